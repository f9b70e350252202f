"""Whatever a string of a call holds is text: no program runs, no option is taken, the server answers on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.operation import Operation
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.contract.case import CURSOR
from tests.contract.cases import CASES
from tests.contract.prepared import prepare
from tests.faces.http.running import HOLDFAST
from tests.wire.client import WireClient, wire_client

TEXTS = ("--output=pwned", "x;$(touch pwned)`touch pwned`|touch pwned&", "--upload-pack=touch pwned;")
REGISTRY = full_registry()


def attempts() -> Iterator[tuple[Operation, dict[str, Any]]]:
    """Yield a call for each text in the place of each string that each operation takes."""
    for operation in REGISTRY.operations:
        usual = [case.arguments for case in CASES if case.operation == operation.listed_name]
        usual = [arguments for arguments in usual if CURSOR not in arguments.values()]
        for name, field in operation.input.model_fields.items():
            if "str" in str(field.annotation) or "RepoPath" in str(field.annotation):
                for text in TEXTS:
                    listed = "list[" in str(field.annotation) or "tuple[" in str(field.annotation)
                    yield operation, {**(usual or [{}])[0], field.alias or name: [text] if listed else text}


def made(place: Path) -> list[str]:
    return [os.path.join(top, name) for top, _, names in os.walk(place) for name in names if name == "pwned"]


@pytest.mark.evidence("E3", "git", "every string of every operation")
def test_no_string_of_any_operation_runs_a_program_or_is_an_option(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
):
    place = prepare(tmp_path / "workspace", home)
    monkeypatch.chdir(place)
    answered = refused = 0
    with (
        closing(Workspace.discover(place)) as workspace,
        closing(Dispatcher(REGISTRY, workspace.room)) as dispatcher,
    ):
        for operation, arguments in attempts():
            try:
                dispatcher.run(operation, arguments, dispatcher.new_call(operation))
                answered += 1
            except HoldfastError as failure:
                refused += 1
                if failure.kind == "internal" or str(tmp_path) in failure.sentence():
                    pytest.fail(f"{operation.name} {arguments}: {failure.sentence()}")
    assert answered > 100
    assert refused > 100
    assert made(tmp_path) == []


@pytest.mark.evidence("E3", "git", control="a shell, and git without our guard")
def test_control_a_shell_and_plain_git_would_have_made_the_file(repository: Path):
    subprocess.run(["sh", "-c", f"echo {TEXTS[1]}"], cwd=repository, check=True, capture_output=True)
    assert made(repository)
    os.unlink(repository / "pwned")
    subprocess.run(["git", "log", TEXTS[0]], cwd=repository, capture_output=True)
    subprocess.run(["git", "diff", "--no-index", TEXTS[0], "/dev/null", "/etc/hosts"], cwd=repository)
    assert made(repository)


@pytest.fixture
def client(repository: Path) -> Iterator[WireClient]:
    with wire_client([HOLDFAST, "serve"], cwd=repository) as client:
        client.initialize()
        yield client


def test_arguments_of_odd_shapes_are_refused_and_the_connection_lives(client: WireClient, repository: Path):
    for number, arguments in enumerate(
        [
            {"__proto__": {"x": 1}, "constructor": {}, "prototype": 1},
            {"file": "a.py", "comment": "x", "__class__": "x"},
            {"state": list(range(150_000))},
            {"limit": 10**300},
            {"limit": -1, "state": {"$ne": None}},
        ]
    ):
        tool = "send_message" if "file" in arguments else "list_messages"
        answer = client.call(number, tool, **arguments)
        assert "error" in answer or answer["result"]["isError"]
        assert "Traceback" not in str(answer)
    assert client.call("alive", "list_messages")["result"]["structuredContent"]["total"] == 0
    assert not (repository / ".git" / "holdfast" / "inbox.sqlite").exists()


@pytest.mark.evidence("E3", "git", "every string of every operation")
def test_hostile_names_of_refs_are_names(client: WireClient, repository: Path):
    """An unpacked archive may hold a ref that looks like an option, or one with a line feed."""
    (repository / "a.py").write_text("one\n")
    for words in (["add", "."], ["commit", "-qm", "--output=pwned; $(touch pwned)"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    head = (repository / ".git/refs/heads/main").read_text()
    for folder in ("heads", "holdfast/log", "tags"):
        for name in ("--format=evil", "--output=pwned", "a\nb", "x;touch pwned"):
            path = repository / ".git/refs" / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(head)
    for number, (tool, arguments) in enumerate(
        [
            ("git_mile_list", {"kind": "issue"}),
            ("read_diff", {"base": "--output=pwned"}),
            ("read_source", {"path": "a.py", "revision": "refs/heads/--output=pwned"}),
            ("read_source", {"path": "a.py", "revision": "@{-1}"}),
            ("analyze_code_churn", {"project_path": ".", "toolchain": "python"}),
            ("get_file_comments", {"filePath": "a.py"}),
        ]
    ):
        answer = client.call(number, tool, **arguments)
        assert "inside Holdfast" not in str(answer), answer
        assert "nknown tool" not in str(answer), answer
    assert client.ask("alive", "ping")["result"] == {}
    assert made(repository.parent) == []
