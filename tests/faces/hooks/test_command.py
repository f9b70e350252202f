"""The command itself: with a server and without one, and when something is wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.comments import quick as quick_comments
from holdfast.comments.sidecar import archive, source
from holdfast.faces.cli import quick as quick_commands
from holdfast.faces.hooks import answer
from holdfast.inbox import quick as quick_inbox
from holdfast.installation.dialects import AFTER_EDIT, DIALECTS, EVENTS, PROMPT, SESSION_START, STOP
from holdfast.kernel.limits import LIMITS
from holdfast.storage.network.hook_socket import FOLDER, connect, socket_name
from tests.conftest import RunHoldfast
from tests.faces.hooks.payloads import PAYLOADS
from tests.waiting import wait_until

PROGRAM = Path(sys.executable).with_name("holdfast")
COPIED = """def total(items, rate):
    result = 0
    for item in items:
        if item.price > 10 and item.kind == "a":
            result += item.price * rate
        elif item.price > 5:
            result += item.price
        else:
            result -= 1
    print("total", result)
    return result
"""


def payload(repository: Path, event: str, client: str = "claude-code") -> str:
    return json.dumps(PAYLOADS[client](str(repository))[event])


def is_answered(store: Path, repository: Path) -> bool:
    try:
        connect(str(store), str(repository), 5).close()
    except OSError:
        return False
    return True


def test_a_running_server_answers_and_without_it_the_hook_answers_itself(
    repository: Path, run_holdfast: RunHoldfast
):
    store = repository / ".git" / "holdfast"
    (repository / "other.py").write_text(COPIED, encoding="utf-8")
    (repository / "a.py").write_text("x = 1\n", encoding="utf-8")
    calls = "from other import total\n\n\ndef f(x):\n    return total(x, 1) + total(x, 2)\n"
    (repository / "calls.py").write_text(calls, encoding="utf-8")
    for arguments in (["add", "-A"], ["commit", "-qm", "First"]):
        subprocess.run(["git", *arguments], cwd=repository, check=True, timeout=60)
    (repository / "a.py").write_text("x = 1\n" + COPIED.replace("total", "sum_up"), encoding="utf-8")
    run_holdfast("send", "--file", "a.py", "--line", "1", "--comment", "Why?", check=True)

    def hook(event: str, client: str = "claude-code") -> str:
        done = run_holdfast("hook", event, "--client", client, input=payload(repository, event, client))
        assert (done.returncode, done.stderr) == (0, "")
        return str(done.stdout)

    with subprocess.Popen(
        [PROGRAM, "serve"], cwd=repository, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as server:
        wait_until(lambda: is_answered(store, repository), "the server answers hooks")
        path = store / FOLDER / socket_name(str(repository))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        # The first analysis may take longer than a hook waits; the server keeps what it has read.
        wait_until(lambda: "also at other.py:1-11" in hook(STOP), "the gate at a stop")
        run_holdfast(
            "hook", SESSION_START, "--client", "codex", input=payload(repository, SESSION_START, "codex")
        )
        wait_until(
            lambda: re.search(
                r"a\.py:2: The same code is in several places.*other\.py:1 is used in 2 places\.",
                hook(AFTER_EDIT, "codex"),
            ),
            "the gate after an edit",
        )
        assert "Why?" in hook(PROMPT)
        server.send_signal(signal.SIGKILL)
        server.wait(60)
    assert path.exists(), "a server that was killed leaves its socket"
    run_holdfast("send", "--file", "a.py", "--line", "1", "--comment", "Still there?", check=True)
    assert "Still there?" in hook(PROMPT)

    with subprocess.Popen(
        [PROGRAM, "serve"], cwd=repository, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as server:
        wait_until(lambda: is_answered(store, repository), "the next server answers hooks")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([PROMPT, "--client", "claude-code"], "no JSON"),
        ([AFTER_EDIT, "--client", "codex"], '{"tool_name": "Edit", "tool_input": [1]}'),
        ([STOP, "--client", "cursor"], "[]"),
        ([STOP, "--client", "nobody"], "{}"),
        ([SESSION_START, "--client", "copilot", "--root", "/proc/1"], "{}"),
    ],
)
def test_whatever_goes_wrong_a_hook_is_silent_and_harmless(
    repository: Path, run_holdfast: RunHoldfast, arguments: list[str], text: str
):
    (repository / ".git" / "holdfast").mkdir()
    for name in ("inbox.sqlite", "tasks.sqlite", "comments.sqlite"):
        (repository / ".git" / "holdfast" / name).write_bytes(b"damaged")
    done = run_holdfast("hook", *arguments, input=text)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_in_a_repository_without_stores_a_hook_leaves_no_trace(repository: Path, run_holdfast: RunHoldfast):
    for event in EVENTS:
        done = run_holdfast("hook", event, "--client", "claude-code", input=payload(repository, event))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (repository / ".git" / "holdfast").exists()


def test_a_hook_that_a_server_answers_loads_next_to_nothing(repository: Path):
    code = (
        "import sys; from holdfast.faces.hooks.connection import ask_server;"
        " ask_server(sys.argv[1], sys.argv[2], ('stop', 'codex', False), b'{}', print);"
        " from holdfast.faces.hooks import command; print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(repository), str(repository)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    heavy = {
        "click",
        "dataclasses",
        "hashlib",
        "inspect",
        "json",
        "pathlib",
        "pydantic",
        "re",
        "socket",
        "typing",
    }
    assert not heavy & set(done.stdout.split())


def test_constants_of_light_modules_are_those_of_the_heavy_ones():
    assert LIMITS.delivery_lease_seconds == quick_inbox.LEASE_SECONDS
    assert LIMITS.messages_per_call == quick_inbox.MESSAGES_PER_CALL
    assert LIMITS.hook_characters == answer._MAX_REMARK_CHARACTERS
    assert (
        archive.DATABASE_NAME,
        archive.APPLICATION_ID,
        len(archive.MIGRATIONS),
    ) == quick_comments._DATABASE
    assert quick_comments.REPOSITORY_NOTES == source.REPOSITORY_NOTES
    assert quick_commands._EVENTS == EVENTS
    assert all(set(dialect.events) <= set(EVENTS) for dialect in DIALECTS.values())


def test_a_mistake_in_the_command_is_explained(run_holdfast: RunHoldfast):
    for arguments in (["hook", "before-lunch", "--client", "codex"], ["hook", "stop", "--client", "emacs"]):
        done = run_holdfast(*arguments, env={**os.environ, "HOLDFAST_NO_QUICK": "1"})
        assert done.returncode == 2
        assert "Error: There is no" in done.stderr
