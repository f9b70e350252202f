"""Named tokens and what their roles allow, enforced where operations are chosen."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest

from holdfast.kernel.errors import Conflict, Corrupted, Denied, Invalid, NotFound, Unavailable
from holdfast.kernel.operation import Effect
from holdfast.kernel.registry import Selection
from holdfast.kernel.role import Role
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.tokens import TokenFile
from holdfast.toolsets import full_registry
from tests import forked
from tests.faces.http.running import HOLDFAST, RunningServer, running_server

LISTED = [operation for operation in full_registry().operations if operation.listed]


@pytest.fixture
def tokens(repository: Path) -> TokenFile:
    return TokenFile(Repository.discover(repository))


def tool_names(server: RunningServer, token: str) -> set[str]:
    return {tool["name"] for tool in server.call("tools/list", token=token)["result"]["tools"]}


@pytest.mark.requirement("http-7")
def test_a_reader_sees_and_runs_only_what_reads(server: RunningServer) -> None:
    token = server.add_token("reader", "read")
    reading = {item.listed_name for item in LISTED if item.effect is Effect.READ} | {"call_tool"}
    assert tool_names(server, token) == reading
    refused = server.call(
        "tools/call", token=token, name="send_message", arguments={"file": ".", "comment": "x"}
    )
    assert refused["error"]["code"] == -32602
    assert 'role "write"' in refused["error"]["message"]
    told = server.ask("POST", "/api/inbox/send_message", {"file": ".", "comment": "x"}, token=token)
    assert (told.status, told.json["title"]) == (403, "Forbidden")
    assert 'send_message needs the role "write"' in told.json["detail"]
    assert server.ask("GET", "/api/inbox/list_messages", token=token).status == 200
    described = server.ask("GET", "/api/openapi.json", token=token).json
    assert all(list(methods) == ["get"] for methods in described["paths"].values())


@pytest.mark.requirement("http-7")
def test_a_writer_may_write(server: RunningServer) -> None:
    token = server.add_token("writer", "write")
    writing = {item.listed_name for item in LISTED if item.effect is not Effect.DESTRUCTIVE} | {"call_tool"}
    assert tool_names(server, token) == writing
    sent = server.ask("POST", "/api/inbox/send_message", {"file": ".", "comment": "x"}, token=token)
    assert sent.status == 200


@pytest.mark.requirement("http-7")
@pytest.mark.parametrize("role", Role)
def test_a_role_reaches_as_far_as_its_name_says(role: Role) -> None:
    reach = {effect for effect in Effect if Selection(role=role).admits_effect(effect)}
    assert len(reach) == list(Role).index(role) + 1
    assert {effect for effect in Effect if Selection(role=role, read_only=True).admits_effect(effect)} == {
        Effect.READ
    }


@pytest.mark.requirement("http-8")
def test_a_token_that_was_taken_back_is_refused_at_once(server: RunningServer) -> None:
    token = server.add_token("guest", "read")
    assert server.ask("GET", "/api/openapi.json", token=token).status == 200
    forked.run([HOLDFAST, "token", "remove", "guest"], cwd=server.repository, check=True, capture_output=True)
    refused = server.ask("GET", "/api/openapi.json", token=token)
    assert (refused.status, refused.json["type"]) == (401, "urn:holdfast:problem:invalid_token")
    assert 'error="invalid_token"' in refused.headers["www-authenticate"]
    nobody = server.ask("GET", "/api/openapi.json", headers={"Authorization": None})
    assert (nobody.status, nobody.json["type"]) == (401, "urn:holdfast:problem:unauthenticated")
    assert nobody.json["title"] == refused.json["title"] == "Unauthorized"
    assert "error=" not in nobody.headers["www-authenticate"]


def test_a_read_only_server_says_that_it_is(repository: Path) -> None:
    with running_server(repository, "--read-only") as server:
        told = server.ask("POST", "/api/inbox/send_message", {"file": ".", "comment": "x"})
        assert (told.status, told.json["detail"][:43]) == (403, "send_message writes, and this server is rea")
        worded = server.ask("POST", "/api/workspaces/x/tasks", {"title": "x"})
        assert (worded.status, worded.json["error"]["code"]) == (403, "DENIED")
        assert server.ask("GET", "/api/inbox/list_messages").status == 200
        assert server.ask("POST", "/api/inbox/sent_message", {}).status == 404


@pytest.mark.requirement("http-8")
def test_only_hashes_are_kept_and_only_for_the_owner(tokens: TokenFile, repository: Path) -> None:
    token = tokens.add("ada", Role.WRITE)
    path = repository / ".git/holdfast/tokens.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert token not in path.read_text()
    found = tokens.find(token)
    assert found is not None
    assert (found.name, found.role) == ("ada", Role.WRITE)
    assert tokens.find(token[:-1]) is None
    assert tokens.find(found.sha256) is None


def test_names_are_unique_plain_and_not_the_owners(tokens: TokenFile) -> None:
    tokens.add("ada", Role.READ)
    with pytest.raises(Conflict):
        tokens.add("ada", Role.ADMIN)
    for name in ("", "owner", "a b", "../x", "x" * 65, "-x", "ä"):
        with pytest.raises(Invalid):
            tokens.add(name, Role.READ)
    with pytest.raises(NotFound, match="grace"):
        tokens.remove("grace")


def test_several_processes_add_tokens_without_losing_one(repository: Path) -> None:
    commands = [[HOLDFAST, "token", "add", f"agent-{n}"] for n in range(4)]
    secrets = [done.stdout.strip() for done in forked.run_at_once(commands, cwd=repository, text=True)]
    tokens = TokenFile(Repository.discover(repository))
    assert {grant.name for grant in tokens.all()} == {f"agent-{n}" for n in range(4)}
    assert all(tokens.find(secret) is not None for secret in secrets)


def test_a_file_others_can_read_is_refused(tokens: TokenFile, repository: Path) -> None:
    tokens.add("ada", Role.READ)
    (repository / ".git/holdfast/tokens.json").chmod(0o644)
    with pytest.raises(Denied, match="Other users"):
        tokens.all()


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"version": 0, "tokens": []}', '{"version": 1, "tokens": [{}]}']
)
def test_a_damaged_file_is_named_and_left_alone(tokens: TokenFile, repository: Path, content: str) -> None:
    tokens.add("ada", Role.READ)
    path = repository / ".git/holdfast/tokens.json"
    path.write_text(content)
    with pytest.raises(Corrupted, match=r"tokens\.json"):
        TokenFile(Repository.discover(repository)).all()
    with pytest.raises(Corrupted):
        tokens.add("grace", Role.READ)
    assert path.read_text() == content


def test_a_file_of_a_newer_release_is_refused_and_left_alone(tokens: TokenFile, repository: Path) -> None:
    tokens.add("ada", Role.READ)
    path = repository / ".git/holdfast/tokens.json"
    path.write_text('{"version": 2, "tokens": [], "more": 1}')
    for use in (tokens.all, lambda: tokens.add("grace", Role.READ)):
        with pytest.raises(
            Unavailable, match=r"tokens\.json.*newer Holdfast \(format 2, known 1\)"
        ) as caught:
            use()
        assert "Upgrade holdfast" in str(caught.value.hint)
    assert path.read_text() == '{"version": 2, "tokens": [], "more": 1}'


@pytest.mark.requirement("http-8")
def test_the_command_shows_a_token_once(repository: Path) -> None:
    def token(*arguments: str) -> subprocess.CompletedProcess[str]:
        return forked.run([HOLDFAST, "token", *arguments], cwd=repository, capture_output=True, text=True)

    made = token("add", "ada", "--role", "write")
    assert (made.returncode, len(made.stdout.strip())) == (0, 64)
    listed = token("list", "--json")
    assert made.stdout.strip() not in listed.stdout
    assert [(item["name"], item["role"]) for item in json.loads(listed.stdout)["tokens"]] == [
        ("ada", "write")
    ]
    assert "ada" in token("list").stdout
    assert token("add", "eve", "--role", "god").returncode == 2
    assert token("remove", "ada").returncode == 0
    assert "owner" in token("list").stdout
