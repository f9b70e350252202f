"""Parsers of documents: what other programs leave, and what the rooms keep in files and logs."""

from __future__ import annotations

import json
import sqlite3
from functools import cache, partial
from pathlib import Path
from typing import Any

import holdfast
from holdfast.analysis.coverage import report_formats
from holdfast.analysis.coverage.python_statements import python_statements
from holdfast.analysis.fleet.roster import parse_roster
from holdfast.analysis.gate.settings import gate_settings
from holdfast.comments.memory.imports import memories_in
from holdfast.comments.search.pattern import compile_query
from holdfast.comments.sidecar import document as sidecar
from holdfast.comments.union.conflicts import parse_conflict
from holdfast.comments.union.three_way import merge_conflicted_bytes, merge_sidecar_bytes
from holdfast.inbox.legacy import LegacyFile
from holdfast.milestones import imports
from holdfast.milestones.filter.parser import parse_filter
from holdfast.milestones.log.entry import Entry, parse, with_entity_id, with_operation_id
from holdfast.storage.files import foreign_document
from holdfast.storage.files.globs import matcher
from holdfast.tasks.imports import archive
from holdfast.tasks.imports.backlog_folder import read_backlog
from holdfast.tasks.imports.check_list import read_check_list
from holdfast.tasks.imports.task_master import read_task_master
from holdfast.tasks.link_targets import parse_target
from holdfast.tasks.trackers import asana, github_issues, linear
from holdfast.tasks.trackers.json_fields import required_list
from holdfast.tasks.trackers.settings import parse_settings
from holdfast.templates.address import TemplateAddress
from holdfast.templates.definition import compile_pattern as compiled_parameter
from holdfast.templates.definition import parse_template as parsed_template
from holdfast.templates.scaffold import merge_record
from tests.fuzz import table
from tests.fuzz.table import FOREIGN, NOTHING, OURS, SAMPLES, add, held, in_file, scratch, typed

# fmt: off
# Documents of others, and the formats of the rooms.
SIDECAR = json.dumps(
    {"file": "a.py", "version": "2.1.0", "ghostMarkers": [{"id": "gm_1", "line": 2, "commentIds": ["c_1"]}],
     "comments": [{"id": "c_1", "line": 2, "text": "Why?", "created": "2025-10-19T15:00:00.000Z",
         "tag": "TODO",
                   "replies": [{"id": "r_1", "text": "So."}], "ghostMarkerId": "gm_1"}]}
)
TOML = "[project]\nname = 'kelp'\n[tool.holdfast.gate]\ncomplexity_threshold = 12.5\ndisable = ['debt']\n"
YAML = "customCommands:\n  - key: '<c-h>'\n    context: files\n    command: other\nwidth: 1.5\n"
add("json", "storage/files/foreign_document", foreign_document.parse_json, FOREIGN, SIDECAR, "[1e3, null]")
add("toml", "storage/files/foreign_document", held(foreign_document.parse_toml), FOREIGN, TOML,
    "a.b = 2020-01-01", f"a = {'9' * 5000}")
add("yaml", "storage/files/foreign_document", held(foreign_document.parse_yaml), FOREIGN, YAML,
    "{a: [1, !!set {b}]}", cost=8)
XML = '<coverage><class filename="a.py"><line number="3" hits="1"/></class></coverage>'
add("xml", "storage/files/foreign_document", lambda data: list(foreign_document.parse_xml(data)), FOREIGN,
    XML, f'<?xml version="1.0" encoding="utf-7"?>{XML}')
add("cobertura", "analysis/coverage/report_formats", report_formats.xml_report, FOREIGN, XML,
    '<report><package name="p"><sourcefile name="A"><line nr="3" ci="2"/></sourcefile></package></report>')
add("lcov", "analysis/coverage/report_formats", report_formats.lcov_report, FOREIGN,
    "SF:a.c\nDA:1,2\nend_of_record\n")
add("go coverage", "analysis/coverage/report_formats", report_formats.go_report, FOREIGN,
    "mode: set\na/b.go:1.2,3.4 5 1\n")


@cache
def coverage_database() -> bytes:
    with sqlite3.connect(":memory:") as made:
        made.executescript(
            "CREATE TABLE file (id integer, path); CREATE TABLE line_bits (file_id, context_id, numbits);"
            "CREATE TABLE arc (file_id, context_id, fromno, tono); INSERT INTO file VALUES (1, 'a.py');"
            "INSERT INTO line_bits VALUES (1, 0, x'0607'); INSERT INTO arc VALUES (1, 0, -1, 3);"
        )
        return made.serialize()


add("coverage.py", "analysis/coverage/report_formats", report_formats.coverage_data, FOREIGN,
    coverage_database(), cost=4)
add("python statements", "analysis/coverage/python_statements", python_statements, FOREIGN,
    (SAMPLES / "inventory.pyw").read_bytes(), cost=20)
add("sidecar", "comments/sidecar/document",
    lambda data: sidecar.bytes_of(sidecar.parse_sidecar("a.py", data)), OURS, SIDECAR, cost=2)
CONFLICT = f"<<<<<<< ours\n{SIDECAR}\n||||||| base\n{{}}\n=======\n{SIDECAR}\n>>>>>>> theirs\n"
add("conflict", "comments/union/conflicts", parse_conflict, NOTHING, CONFLICT)
add("conflicted sidecar", "comments/union/three_way", merge_conflicted_bytes, (*OURS, *FOREIGN),
    CONFLICT, cost=2)
add("union", "comments/union/three_way",
    lambda data: merge_sidecar_bytes(None, data, SIDECAR.encode()), (*OURS, *FOREIGN),
    SIDECAR, SIDECAR.replace('"gm_1"', "[1]"), SIDECAR.replace('"c_1"', "{}"), cost=2)
add("query", "comments/search/pattern",
    typed(lambda text: compile_query(text).count("some text, a" * 9)), NOTHING,
    r"(lock|cache)\b.*[a-z]+?$", r"\p{L}{2,9}(?i:x)")
add("path patterns", "storage/files/globs", typed(lambda text: matcher([text])("src/a.py")), OURS,
    "src/**/[a-z]*.{py,rs}", "docs/", "[!a-c]?/{x}\\*", b"src/\xc4*")
add("gate settings", "analysis/gate/settings",
    in_file(lambda at: f"{at.root}/pyproject.toml", lambda at: gate_settings(at, "")), OURS, TOML, cost=2)
add("roster", "analysis/fleet/roster", typed(lambda text: parse_roster(text, "/")), OURS,
    "/tmp 'two words' # why\n\n/usr\n", "/\0")
FOUND = with_entity_id(Entry("", "", "issue", 1, "2025-01-01T00:00:00Z", "Ada <a@b.c>", "create", "title",
    "Kelp", ("x",)))
add("operation", "milestones/log/entry", held(parse), NOTHING, with_operation_id(FOUND, 1).line())
add("filter", "milestones/filter/parser", typed(lambda text: parse_filter(text, "issue", 1.7e9)), OURS,
    'status == "open" and not (label in [a, b] or updated > 7d)',
        "(and (= status open) (contains title 'x'))")
ISSUES = [{"title": "A", "body": "b", "number": 3, "state": "open", "created_at": "2024-10-25T09:17:00Z",
    "labels": [{"name": "x"}],
           "milestone": {"title": "M", "due_on": "2025-01-01T00:00:00Z"}, "user": {"login": "ada"},
               "comments": [{"body": "c"}]}]
BEADS = {"id": "b-1", "title": "A", "status": "open", "priority": 1, "issue_type": "epic",
    "created_at": "0001-01-01T00:00:00+02:00",
         "dependencies": [{"type": "blocks", "depends_on_id": "b-2"}], "labels": ["x"]}


def drafts(read: Any) -> table.Read:
    return held(lambda text: list(read(text, lambda _name, _reason: None)))


add("github issues", "milestones/imports", drafts(imports.github_drafts), OURS, json.dumps(ISSUES))
add("beads", "milestones/imports", drafts(imports.beads_drafts), OURS, json.dumps(BEADS), '{"id": "\\ud800"}')
add("legacy message", "inbox/legacy",
    in_file(lambda at: f"{at.store_directory}/legacy",
        lambda at: LegacyFile(f"{at.store_directory}/legacy").read(at)),
    NOTHING, json.dumps({"file": "a", "comment": "b", "project_root": scratch().root,
        "time": "2025-06-30T09:00:00Z", "line": "3"}), cost=2)
LIST = "# To do\n- [ ] One (high) #label\n  - [x] Part\n    text\n```\n- [ ] no\n```\n## Done\n- Two\n"
add("memories", "comments/memory/imports", held(lambda text: list(memories_in(text))), NOTHING, LIST,
    '{"_type": "memory", "key": "flush", "value": "Flush the folder too"}\n{"id": "bd-1"}')
add("check list", "tasks/imports/check_list", held(lambda text: read_check_list(text, "TODO.md")), OURS, LIST)
BACKLOG = "---\nid: task-1\ntitle: A\nstatus: To Do\nlabels: [x]\n---\nA\n## Acceptance Criteria\n- [ ] #1 B"
add("backlog", "tasks/imports/backlog_folder", held(lambda text: read_backlog({"tasks/a.md": text})), OURS,
    BACKLOG, cost=8)
MASTER = {"main": {"tasks": [{"id": 1, "title": "A", "status": "pending", "dependencies": [2],
    "subtasks": [{"id": 1, "title": "B"}]}]}}
add("task-master", "tasks/imports/task_master", held(lambda text: read_task_master(text, "tasks.json")), OURS,
    json.dumps(MASTER, indent=1))
EXPORT = [{"kind": "holdfast-tasks", "format": archive.FORMAT, "workspace": {"id": "w" * 8}},
    {"task": {"uid": "u"}}, {"event": {"task": "u"}}]
add("task export", "tasks/imports/archive", held(lambda text: archive.parse_export(text.split("\n"))), OURS,
    "\n".join(map(json.dumps, EXPORT)), "\n".join(map(json.dumps, [*EXPORT, {"event": 5}])))
add("place in a room", "tasks/link_targets", typed(parse_target), OURS, "m_0123456789",
    "src/a.py#c_1730000000000", "git-mile://entity/0b6d5a52")
for tracker, read in (
    ("github_issues", github_issues.task_of), ("asana", asana.task_of), ("linear", linear.task_of),
):
    add(f"{tracker} answer", f"tasks/trackers/{tracker}", lambda data,
        read=read: [read(one) for one in required_list([foreign_document.parse_json(data)])],  # type: ignore[misc]
        (*OURS, *FOREIGN), json.dumps(ISSUES[0] | {"gid": "3", "id": "x", "identifier": "K-1",
            "state": {"type": "started", "name": "Doing"}}))
add("tracker settings", "tasks/trackers/settings", typed(partial(parse_settings, required=("project",),
    optional=("host",))), OURS, '{"project": "K"}')
TEMPLATE = (Path(holdfast.__file__).parent / "templates" / "builtin" / "ci-node.template").read_bytes()[:1200]
add("template", "templates/definition", lambda data: parsed_template("a.tmpl", data), OURS, TEMPLATE)
add("parameter pattern", "templates/definition", held(compiled_parameter), (ValueError,), "[a-z]{1,9}(x|y)?")
add("template address", "templates/address", typed(TemplateAddress.parse), OURS, "template://makefile/rust/cli",
    "template://a/%62/c")
RECORD = {"toolchain": "rust", "variant": "cli", "parameters": {"a": 1},
    "files": [{"path": "a", "sha256": "0" * 64, "template": "t"}]}
add("scaffold record", "templates/scaffold", lambda data: merge_record(data, json.dumps({**RECORD,
    "files": []})), NOTHING, json.dumps(RECORD))
