"""Parsers at the border: what clients send, what git keeps, source text, and settings of other programs."""

from __future__ import annotations

import asyncio
import hashlib
import json
from functools import cache, partial
from typing import Any

from holdfast import toolsets
from holdfast.analysis.dead_code.entry_points import entry_points
from holdfast.analysis.graph.imports.javascript_modules import JavaScriptModules
from holdfast.analysis.graph.imports.layout import Layout
from holdfast.analysis.graph.imports.named_packages import GoModules, NamedPackages
from holdfast.analysis.graph.imports.python_modules import PythonModules
from holdfast.analysis.graph.imports.rust_crates import RustCrates
from holdfast.comments.quick import parse_notes
from holdfast.faces.cli.serve import parse_listen_address
from holdfast.faces.hooks.request import read_request as read_hook
from holdfast.faces.http.login import Logins
from holdfast.faces.http.oauth import JwtVerifier
from holdfast.faces.http.settings import OAuthSettings, validate_url
from holdfast.faces.mcp.streamable.endpoint import check_post_headers
from holdfast.faces.mcp.streamable.post_request import Refusal
from holdfast.faces.mcp.wire.messages import decode, refuse_overlong
from holdfast.faces.rest.entity_tags import add_expected_version, is_cached
from holdfast.faces.rest.json_body import json_object
from holdfast.faces.rest.query import QueryReader
from holdfast.faces.web.markdown import render_markdown
from holdfast.installation.dialects import AFTER_EDIT
from holdfast.installation.formats.entry import ConfigurationEntry, EditRefused, EntryState
from holdfast.installation.formats.json_entry import JsonHook, JsonMember
from holdfast.installation.formats.plain_text import MarkedLines
from holdfast.installation.formats.toml_table import TomlTable
from holdfast.installation.formats.yaml_items import YamlItems
from holdfast.kernel.clock import microseconds_of
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.kernel.resource import find_resource
from holdfast.source.diff.comparison import Comparison
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git import ref_files
from holdfast.storage.git.commits import commit
from holdfast.storage.git.history import line_age_cache
from holdfast.storage.git.objects import pack_format
from holdfast.storage.git.remotes import local_path
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.address import parse_address
from holdfast.storage.network.client import parse_proxy
from holdfast.storage.network.login_codes import LoginCodes
from holdfast.storage.network.tokens import TOKENS_NAME, TokenFile
from holdfast.storage.sql.write_ahead_log import committed_pages
from holdfast.syntax.core.sections import PackedRecord, pack
from holdfast.syntax.highlighting import HighlightedText
from holdfast.syntax.languages import language_of
from holdfast.syntax.parse import ParseTooLong
from holdfast.syntax.record import ImportedName, read_record
from tests.faces.hooks.payloads import PAYLOADS
from tests.fuzz import documents
from tests.fuzz.table import NOTHING, OURS, SAMPLES, add, held, in_file, typed

# fmt: off
# What clients send.
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo",
    "arguments": {"text": "é"}}}
add("message", "faces/mcp/wire/messages", decode, NOTHING, json.dumps(CALL),
    '{"id":"x","jsonrpc":"2.0","result":{}}')
add("overlong message", "faces/mcp/wire/messages", lambda data: refuse_overlong(data, 9), NOTHING,
    '{"id":01,', json.dumps(CALL))
add("cursor", "kernel/paging", typed(lambda text: decode_cursor("q", text)), OURS, encode_cursor("q", "k"),
    encode_cursor("r", [1]))
add("moment", "kernel/clock", typed(microseconds_of), NOTHING, "2025-01-01T00:00:00.123+01:00",
    "0001-01-01T00:00:00+23:59")
add("path", "storage/files/repo_path", typed(RepoPath.parse), OURS, "src/a.py", "./a/../b", "%2e%2e/x",
    "~/C:\\x")


@cache
def resources() -> tuple[Any, ...]:
    return tuple(item for one in toolsets.toolsets() for item in one.resources)


add("resource address", "kernel/resource", typed(lambda text: find_resource(resources(), text)), OURS,
    "git-mile://entity/0b6d5a52-9f0e-4a30-8c26-5f4d2a1e7c01", "comments://file/src%2Fa.py",
        "taskpilot://workspace/w/tasks/TP-1", "template://a/b/c")


@cache
def operation(name: str) -> Any:
    return toolsets.full_registry().operation(name)


add("query string", "faces/rest/query",
    lambda data: QueryReader(operation("search_comments")).arguments(data), OURS,
    "query=a%20b&tags=%5B%22TODO%22%5D&limit=5&x=%ff", "limit=1e9", "limit=%ff")
add("request body", "faces/rest/json_body", lambda data: json_object({b"content-type": b"application/json"},
    data), OURS, '{"file": "a", "n": [1]}')
add("If-Match", "faces/rest/entity_tags", lambda data: add_expected_version(operation("taskpilot_update"), {},
    {b"if-match": data}), OURS, '"7.abcdef"', "*", '"x"')
add("If-None-Match", "faces/rest/entity_tags", lambda data: is_cached('"7"', {b"if-none-match": data}),
    NOTHING, 'W/"7", "8"')
add("Accept", "faces/mcp/streamable/endpoint",
    lambda data: check_post_headers({b"content-type": b"application/json", b"accept": data}), (Refusal,),
    "application/json, text/event-stream;q=0.5", "*/*;q=0")
add("cookie", "faces/http/login", lambda data: logins().caller({"path": "/api/x", "method": "GET"},
    {b"cookie": data}), OURS, "holdfast-1=99999999999.abc; b=c")
TOKEN = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJpc3MiOiJodHRwczovL2EiLCJleHAiOjk5OTk5OTk5OTl9.AAAA"
add("access token", "faces/http/oauth", lambda data: verified(data.decode("latin-1")), OURS, TOKEN, "a.b.c")
add("public address", "faces/http/settings", typed(lambda text: validate_url(text, "--public-url")), OURS,
    "https://a.example:8443/x", "http://[::1]/", "http://[")
add("listening address", "faces/cli/serve", typed(parse_listen_address), OURS, "127.0.0.1:8080", "[::1]:0",
    "localhost")
add("service address", "storage/network/address", typed(parse_address), OURS, "https://a.example/x?y=1",
    "http://127.0.0.1:8080")
add("proxy", "storage/network/client", typed(parse_proxy), OURS, "http://proxy.example:3128", "proxy:8080",
    "a:b", "[")
add("markdown", "faces/web/markdown", typed(render_markdown), NOTHING,
    "# A\n[x](http://a) ![i](b) <script>\n|a|b|\n|-|-|\n|1|2|\n```py\nx\n```\n", cost=30)


@cache
def logins() -> Logins:
    repository = Repository.discover(".")
    return Logins(LoginCodes(repository), b"key", 1, TokenFile(repository), encrypted=False)


@cache
def verifier() -> JwtVerifier:
    # An address that nothing answers at: only what can be told without keys is told.
    return JwtVerifier(OAuthSettings("https://a", "https://a/mcp", "https://127.0.0.1:1/keys"),
        clock=lambda: 0.0)


def verified(token: str) -> object:
    return asyncio.run(verifier().verify_token(token))


# What git and other programs leave in files of ours and of a repository.
add("git commit", "storage/git/commits/commit", lambda data: commit.from_object("0" * 40, data), NOTHING,
    f"tree {'4' * 40}\nparent {'5' * 40}\ncommitter A <a@b> 1700000000 +0000\nencoding x\n\nWords\n")
add("loose ref", "storage/git/ref_files", ref_files.parse_object_id, NOTHING, "5" * 40 + "\n",
    "ref: refs/heads/main")
add("packed refs", "storage/git/ref_files", lambda data: ref_files.parse_packed_refs(data, "refs/"), NOTHING,
    f"# pack-refs\n{'5' * 40} refs/heads/main\n^{'6' * 40}\n")
add("remote address", "storage/git/remotes", typed(local_path), NOTHING, "file:///a/%20b",
    "git@github.com:a/b.git", "../x")


def sha1(data: bytes) -> bytes:
    return hashlib.sha1(data).digest()


PACK, INDEX = pack_format.encode_pack(
    {"5" * 40: pack_format.encode_entry("commit", b"tree x\n"),
     "6" * 40: pack_format.encode_entry("tree", b"")}, sha1)
add("pack", "storage/git/objects/pack_format",
    lambda data: pack_format.decode_commits(data + sha1(data), INDEX, sha1), NOTHING, PACK[:-20])
add("pack index", "storage/git/objects/pack_format",
    lambda data: pack_format.decode_commits(PACK, data + sha1(data), sha1), NOTHING, INDEX[:-20])
add("line ages", "storage/git/history/line_age_cache", line_age_cache.parse, NOTHING,
    json.dumps({"5" * 40: {"a.py": {"1": ["6" * 40, 1700000000]}}}))
add("tokens", "storage/network/tokens", in_file(lambda at: f"{at.store_directory}/{TOKENS_NAME}",
    lambda at: TokenFile(at).find("x")), OURS,
    json.dumps({"version": 1, "tokens": [{"name": "ci", "role": "read", "sha256": "0" * 64,
        "created": "2025-01-01T00:00:00Z"}]}), cost=2)
add("login codes", "storage/network/login_codes", in_file(
    lambda at: f"{at.store_directory}/login-codes.json", lambda at: LoginCodes(at).use("x")), OURS,
    json.dumps({"0" * 64: ["ci", 4102444800.0]}), cost=2)
add("write-ahead log", "storage/sql/write_ahead_log", committed_pages, NOTHING,
    bytes.fromhex("377f0682002de2180000100000000000") + bytes(5000), cost=4)
add("comparison", "source/diff/comparison", lambda data: [list(map(list, Comparison.of(data,
    b"a\nb\n" * 9).hunks(3)))], NOTHING, b"a\nb\nc\n" * 8, cost=4)


# Source text, and the settings that say what imports mean.
def record(path: str, data: bytes) -> object:
    found = read_record(path, data)
    return None if found is None else PackedRecord(pack(found))


for sample in sorted(SAMPLES.iterdir()):
    if sample.suffix != ".expected":
        add(f"source {sample.name}", "syntax/record", partial(record, sample.name), (ParseTooLong,),
            sample.read_bytes()[:2500], cost=60)
add("colours", "syntax/highlighting",
    held(lambda text: list(HighlightedText(language_of("a.py"), text).lines(1))), (ParseTooLong, *OURS),
    (SAMPLES / "inventory.pyw").read_bytes()[:1500], cost=30)
SOURCES = {"a.py": b"import b.c\n", "src/b.ts": b"import x from '@/y'\n", "lib.rs": b"use crate::x;\n",
    "m.go": b"package m\n", "q.php": b"<?php namespace A;"}
IMPORTS = [ImportedName(module, "x", "x", 1, 0, -1, False, False) for module in ("@/y", "crate::x", "kelp/m",
    "A\\B", "b.c", "./y")]


@cache
def records() -> Any:
    return {path: read_record(path, data) for path, data in SOURCES.items()}


def resolved(name: str, text: str) -> object:
    layout = Layout(records(), [name], {name: text}.get)
    finders = (JavaScriptModules(layout), RustCrates(layout), GoModules(layout), NamedPackages(layout, "php"),
        PythonModules(layout))
    return entry_points(layout), [finder.resolve(path,
        one) for finder in finders for path in SOURCES for one in IMPORTS]


SETTINGS = {
    "package.json": '{"name": "kelp", "main": "dist/b.js", "exports": {".": {"import": "./src/b.ts"}, "./*": '
        '["./x/*"]}, "imports": {"#a": "./a"}, "workspaces": ["p/*"]}',
    "tsconfig.json": '{"extends": "./base", "compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["s/*"]}}}',
    "Cargo.toml": '[package]\nname = "kelp"\n[lib]\npath = "lib.rs"\n[[bin]]\n[dependencies]\nx = "1"',
    "pyproject.toml": "[build-system]\n[project]\nname = 'a'\n[tool.poetry]\n[project.scripts]\nx = 'a:main'",
    "go.mod": "module kelp\n\nrequire (\n\tx v1\n)\n",
    "composer.json": '{"autoload": {"psr-4": {"A\\\\": ["src/"]}}}',
}
for setting, example in SETTINGS.items():
    add(setting, "analysis/graph/imports/layout", held(partial(resolved, setting)), NOTHING, example, cost=8)


# Hooks: what any client sends, and the sidecars that they read without the rest of the program.
for client, make in PAYLOADS.items():
    add(f"hook of {client}", "faces/hooks/request", partial(read_hook, AFTER_EDIT, client, root="/r"),
        (ValueError, RecursionError), json.dumps(make("/r")[AFTER_EDIT]), cost=2)
add("notes for a hook", "comments/quick", lambda data: parse_notes("a.py", data, "x = 1\n"), (),
    '{"ghostMarkers": [{"id": "g", "line": 1, "lineText": "x = 1"}],'
    ' "comments": [{"id": "c", "line": 1, "text": "t", "ghostMarkerId": "g"}]}')

# The installer's formats: whatever they add they can take out again, and nothing else changes.
def there_and_back(part: ConfigurationEntry, text: str) -> object:
    if part.state(text) is not EntryState.ABSENT:
        return None
    with_it = part.add(text)
    assert part.state(with_it) is EntryState.PRESENT
    return part.remove(with_it, text)


COMMAND = {"command": "holdfast", "args": ["serve"]}
ITEMS = "customCommands:\n  - key: '<c-m>'\n    context: files\n    command: holdfast send {{.File}}\n"
for part_name, part, example in (
    ("JSON entry", JsonMember(("mcpServers",), "holdfast", COMMAND),
        '{"mcpServers": {"other": {"command": "x"}}, "n": 1e3}'),  # type: ignore[arg-type]
    ("JSON entry with comments", JsonMember(("servers",), "holdfast", COMMAND, allows_comments=True),
        '{ // a\n "servers": {"b": [1,],}, /* c */\n}'),  # type: ignore[arg-type]
    ("JSON hook", JsonHook("Stop", "holdfast inbox drain --hook || exit 1", 9),
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}'),
    ("TOML table", TomlTable("mcp_servers", "holdfast", COMMAND),
        "[mcp_servers.other]\ncommand = 'x'\n# end\n"),  # type: ignore[arg-type]
    ("YAML items", YamlItems("customCommands", ITEMS), documents.YAML),
    ("marked lines", MarkedLines("union", ("*.comments merge=union",)),
        "*.py text\n# holdfast: begin other\n"),
):
    module = {"J": "json_entry", "T": "toml_table", "Y": "yaml_items", "m": "plain_text"}[part_name[0]]
    add(part_name, f"installation/formats/{module}", held(partial(there_and_back, part)), (EditRefused,),
        example, cost=20 if module == "yaml_items" else 2)
