"""Every operation gives the same answer on the command line and over the protocol."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from holdfast.workspace import full_registry
from tests.contract.cases import CASES, CURSOR, Case
from tests.contract.prepared import HOLDFAST, IDS, MILES, environment, prepare
from tests.wire.client import ENVELOPE, WireClient, wire_client

OFFERED = {operation.listed_name for operation in full_registry().operations}
RUN = [case for case in CASES if case.operation in OFFERED]

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_NAME = re.compile(r"m_[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Answers:
    """What both faces said to one case."""

    command: dict[str, Any]
    protocol: dict[str, Any]
    status: int


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[Answers]:
    """Ask both faces everything, each in a repository of its own with the same content."""
    folder = tmp_path_factory.mktemp("parity")
    home = folder / "home"
    # The same folder name on both sides: nothing in an answer may depend on where a repository is.
    by_command = prepare(folder / "command" / "repository", home)
    by_protocol = prepare(folder / "protocol" / "somewhere" / "else", home)
    variables = environment(home)
    with wire_client([HOLDFAST, "serve"], cwd=by_protocol, env=variables) as client:
        return list(_asked(client, by_command, variables))


def _asked(client: WireClient, place: Path, variables: dict[str, str]) -> list[Answers]:
    gathered: list[Answers] = []
    cursor = ""
    for number, case in enumerate(RUN):
        typed = [cursor if word == CURSOR else word for word in case.typed]
        sent = {name: cursor if value == CURSOR else value for name, value in case.arguments.items()}
        finished = subprocess.run(
            [HOLDFAST, *typed, "--json"], cwd=place, env=variables, capture_output=True, timeout=60
        )
        call = {"name": case.operation, "arguments": sent, "_meta": ENVELOPE}
        result = client.ask(number, "tools/call", call)["result"]
        answer = Answers(json.loads(finished.stdout), result["structuredContent"], finished.returncode)
        cursor = answer.command.get("next_cursor") or answer.command.get("nextCursor") or cursor
        gathered.append(answer)
    return gathered


def comparable(answer: dict[str, Any]) -> str:
    """Return an answer with what cannot be the same twice taken out: moments and names made just now."""
    text = _MOMENT.sub(
        lambda found: found[0] if found[0].startswith("2025-07-01") else "<now>", json.dumps(answer)
    )
    return _NAME.sub(lambda found: found[0] if found[0] in (*IDS, *MILES) else "<new>", text)


@pytest.mark.parametrize(("number", "case"), list(enumerate(RUN)), ids=map(str, RUN))
def test_both_faces_give_the_same_json(number: int, case: Case, answers: list[Answers]) -> None:
    both = answers[number]
    assert comparable(both.command) == comparable(both.protocol)
    kind = both.command.get("error", {}).get("kind")
    assert (kind, both.status == 0) == (case.fails, case.fails is None)


def test_nothing_invisible_leaves_by_either_face(answers: list[Answers]) -> None:
    said = [text for both in answers for text in (both.command, both.protocol)]
    written = json.dumps(said, ensure_ascii=False)
    assert "Hidden red text" in written
    assert "\u202e" not in written
    # An export spells such characters out in JSON of its own, where they are text that anybody can see.
    assert not re.search(r"(?<!\\)\\u001b", written)


def test_every_operation_has_a_case_that_succeeds() -> None:
    missing = OFFERED - {case.operation for case in CASES if case.fails is None}
    assert not missing, f"add arguments for these to cases.py: {sorted(missing)}"
