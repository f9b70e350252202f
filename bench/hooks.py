"""The processor time of a hook, at every event, without a server and with one.

python -m bench.hooks [--rounds 25] [--check] [--save]

Each hook has something to say: a note, a claim, a rule, a remark with its line. A round has its own session.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench._results import Results, arguments
from bench.commands import HOLDFAST, prepare, run
from holdfast.installation.dialects import EVENTS, PROMPT
from holdfast.storage.network.hook_socket import connect
from tests.faces.hooks.payloads import PAYLOADS
from tests.repositories import new_repository
from tests.waiting import wait_until

MAX_MILLISECONDS = {"without a server": 60, "with a server": 30}
SOURCE = "def a():\n    return 1\n\n\ndef b():\n    x = 1\n    return x\n"


def main() -> None:
    options = arguments(__doc__, rounds=25)
    results = Results("bench.hooks")
    with tempfile.TemporaryDirectory() as folder:
        prepare(home=folder)
        repository = new_repository(Path(folder).resolve() / "repository")
        fill(repository)
        alone = [milliseconds(repository, event, options.rounds) for event in EVENTS]
        with subprocess.Popen(
            [HOLDFAST, "serve"], cwd=repository, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as server:
            wait_until(lambda: is_answered(repository), "the server answers")
            for event in EVENTS:
                milliseconds(repository, event, 3)  # It loads what it needs at the first hook.
            served = [milliseconds(repository, event, options.rounds) for event in EVENTS]
            server.terminate()
    results.table("events", ("event", *MAX_MILLISECONDS), list(zip(EVENTS, alone, served, strict=True)))
    for side, figures in zip(MAX_MILLISECONDS, (alone, served), strict=True):
        results.bar(f"a hook {side}, ms of processor time", max(figures), MAX_MILLISECONDS[side])
    sys.exit(results.finish(options))


def fill(repository: Path) -> None:
    (repository / "a.py").write_text(SOURCE, encoding="utf-8")
    tasks = [HOLDFAST, "tasks"]
    for command in (
        [HOLDFAST, "comments", "add", "a.py", "6", "Keep x first", "--tag", "NOTE"],
        [*tasks, "init"],
        [*tasks, "rules", "add", "--rule-type", "coding", "--rule-content", "Run the linter"],
        [*tasks, "add", "Rename x", "--connected-files", "a.py"],
        [*tasks, "claim", "next", "--connected-file", "a.py", "--agent", "grace", "--lease-seconds", "7200"],
    ):
        run(command, repository)


def is_answered(repository: Path) -> bool:
    try:
        connect(str(repository / ".git" / "holdfast"), str(repository), 5).close()
    except OSError:
        return False
    return True


def milliseconds(repository: Path, event: str, rounds: int) -> float:
    """Return the median of a hook's processor time, each in a new session."""
    taken = []
    for number in range(rounds):
        if event == PROMPT:
            remark = f"Remark {number} of {id(taken)}"
            run([HOLDFAST, "send", "--file", "a.py", "--line", "6", "--comment", remark], repository)
        body = {
            **PAYLOADS["claude-code"](str(repository))[event],
            "session_id": f"{event}-{number}-{id(taken)}",
        }
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [HOLDFAST, "hook", event, "--client", "claude-code"],
            cwd=repository,
            input=json.dumps(body).encode(),
            stdout=subprocess.DEVNULL,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(median(taken) * 1000, 1)


if __name__ == "__main__":
    main()
