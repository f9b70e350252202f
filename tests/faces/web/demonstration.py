"""A small project on an ordinary afternoon: for pictures, and for looking at every view with data."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.faces.web.site import Site

PEOPLE = ("Ada", "Grace", "Linus")
LEASES = '''"""Leases: who holds a thing, until when, and the token that proves it."""

from dataclasses import dataclass
from time import monotonic


@dataclass
class Lease:
    holder: str
    until: float
    token: int


class Leases:
    """The leases of one store. A later token always wins over an earlier one."""

    def __init__(self) -> None:
        self._held: dict[str, Lease] = {}
        self._last = 0

    def take(self, name: str, holder: str, seconds: float = 60.0) -> Lease | None:
        held = self._held.get(name)
        if held is not None and held.until > monotonic() and held.holder != holder:
            return None
        self._last += 1
        self._held[name] = Lease(holder, monotonic() + seconds, self._last)
        return self._held[name]

    def renew(self, name: str, token: int, seconds: float = 60.0) -> bool:
        held = self._held.get(name)
        if held is None or held.token != token:
            return False
        held.until = monotonic() + seconds
        return True

    def release(self, name: str, token: int) -> None:
        if (held := self._held.get(name)) is not None and held.token == token:
            del self._held[name]
'''
ROUTER = '''"""From a request to the function that answers it."""

from tidepool.leases import Leases
from tidepool.limits import Bucket

MOST_BYTES = 1_000_000


class TooLarge(Exception):
    """The body does not fit."""


def route(request, leases: Leases, bucket: Bucket):
    """Return the answer to a request, or the status that says why there is none."""
    if not bucket.take(request.client):
        return 429, "Too many requests"
    if request.method == "GET":
        if request.path == "/health":
            return 200, "ok"
        if request.path.startswith("/pools/"):
            name = request.path.removeprefix("/pools/")
            if not name or "/" in name:
                return 404, "No such pool"
            return 200, name
        return 404, "Nothing is here"
    if request.method == "POST":
        if request.length is None:
            return 411, "How long is it?"
        if request.length > MOST_BYTES:
            raise TooLarge(request.length)
        lease = leases.take(request.path, request.client)
        if lease is None:
            return 409, "Somebody else is writing"
        try:
            return 201, request.read()
        finally:
            leases.release(request.path, lease.token)
    if request.method in ("PUT", "DELETE"):
        return 405, "Not here"
    return 501, "Not that"
'''
LIMITS = '''"""How much a client may ask over time."""

from time import monotonic


class Bucket:
    """A token bucket for each client."""

    def __init__(self, per_second: float = 10.0, burst: int = 50) -> None:
        self._per_second = per_second
        self._burst = burst
        self._level: dict[str, tuple[float, float]] = {}

    def take(self, client: str) -> bool:
        now = monotonic()
        level, since = self._level.get(client, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._per_second)
        if level < 1:
            return False
        self._level[client] = (level - 1, now)
        return True
'''
STORE = '''"""Where pools are kept: one file each, replaced as a whole."""

import json
import os
from pathlib import Path


class Store:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> dict:
        return json.loads((self._folder / f"{name}.json").read_text())

    def write(self, name: str, value: dict) -> None:
        # Later: flush the folder too, or a power cut loses the name
        place = self._folder / f"{name}.json"
        new = place.with_suffix(".new")
        with new.open("w") as file:
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(place)
'''
PAGE = """// The list of pools, kept current.
export async function showPools(list: HTMLElement): Promise<void> {
  const answer = await fetch("/pools");
  const names: string[] = await answer.json();
  list.replaceChildren(...names.map((name) => {
    const item = document.createElement("li");
    item.textContent = name;
    return item;
  }));
}
"""
README = "# Tidepool\n\nKeeps small pools of data for many writers.\n\n    tidepool serve --folder pools\n"
CHECKS = """from tidepool.leases import Leases


def test_a_lease_keeps_others_out():
    leases = Leases()
    assert leases.take("a", "ada") is not None
    assert leases.take("a", "grace") is None
"""
FILES = {
    "README.md": README,
    "src/tidepool/leases.py": LEASES,
    "src/tidepool/router.py": ROUTER,
    "src/tidepool/limits.py": LIMITS,
    "src/tidepool/store.py": STORE,
    "tests/test_leases.py": CHECKS,
    "web/pools.ts": PAGE,
}
HISTORY = (
    ("README.md", 1.0, "Begin"),
    ("src/tidepool/store.py", 0.6, "Keep pools in files"),
    ("src/tidepool/store.py", 1.0, "Replace a pool as a whole"),
    ("src/tidepool/router.py", 0.4, "Answer GET"),
    ("src/tidepool/leases.py", 0.55, "Leases, so that two writers do not meet"),
    ("src/tidepool/router.py", 0.7, "Answer POST"),
    ("src/tidepool/limits.py", 1.0, "Limit what a client may ask"),
    ("src/tidepool/router.py", 0.85, "Refuse bodies that are too long"),
    ("src/tidepool/leases.py", 0.8, "Renew a lease"),
    ("tests/test_leases.py", 1.0, "Test that a lease keeps others out"),
    ("src/tidepool/router.py", 0.95, "Say 405 where something else is allowed"),
    ("web/pools.ts", 1.0, "Show the pools"),
    ("src/tidepool/leases.py", 1.0, "Release only with the token"),
    ("src/tidepool/router.py", 1.0, "Say 501 to what nobody knows"),
)


def make(site: Site) -> None:
    """Fill every room, with some of the work just going on."""
    _commit_history(site)
    _plan(site)
    _add_tasks(site)
    _add_notes(site)
    _change_work_tree(site)
    _leave_remarks(site)


def _commit_history(site: Site) -> None:
    now = datetime.now(UTC)
    for number, (path, share, message) in enumerate(HISTORY):
        lines = FILES[path].splitlines(keepends=True)
        site.write(path, "".join(lines[: round(len(lines) * share)]))
        when = (now - timedelta(days=5 * (len(HISTORY) - number), hours=number)).isoformat()
        who = PEOPLE[number % len(PEOPLE)]
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        named = {"GIT_AUTHOR_NAME": who, "GIT_AUTHOR_EMAIL": f"{who.lower()}@example.org"}
        site.git("add", "--all")
        command = ["git", "commit", "--quiet", "--message", message]
        subprocess.run(command, cwd=site.root, env=os.environ | dates | named, check=True)


def _plan(site: Site) -> None:
    due = (datetime.now(UTC) + timedelta(days=12)).date().isoformat()
    later = (datetime.now(UTC) + timedelta(days=40)).date().isoformat()
    first = _issue(site, "milestone", "First release", due=due, description="What others can rely on.")
    second = _issue(site, "milestone", "Many writers", due=later)
    made = {}
    for key, title, milestone, labels in (
        ("power", "A power cut loses the newest pool", first, ["bug", "durability"]),
        ("limit", "Tell a client how long to wait after 429", first, ["api"]),
        ("words", "Say in the README what a pool is", first, ["docs"]),
        ("fair", "Writers that wait take turns", second, ["leases"]),
    ):
        made[key] = _issue(site, "issue", title, milestone=milestone, label=labels)
    site.call(
        "git_mile_comment",
        id=made["power"],
        body="Seen **twice** here:\n\n1. write a pool\n2. pull the plug\n3. `read` says *not found*",
        actor="Grace <grace@example.org>",
    )
    site.call("git_mile_close", id=made["words"], comment="Done with the new beginning of the README.")


def _issue(site: Site, entity: str, title: str, **more: Any) -> str:
    created: str = site.call("git_mile_create", entity=entity, title=title, **more)["id"]
    return created


def _add_tasks(site: Site) -> None:
    site.call("taskpilot_init", project_name="Tidepool")
    for number in range(1, 5):
        site.call("taskpilot_update", task_id=f"TP-{number}", set={"status": "dropped"})
    flush = _task(
        site,
        "Flush the folder after a pool is replaced",
        priority="high",
        labels=["durability"],
        criteria=["The folder is flushed", "A test pulls the plug", "The README says what is promised"],
        connected_files=["src/tidepool/store.py:18-27"],
        milestone="First release",
        task_description="A file's **name** is in its folder: flushing only the file is not enough.\n\n"
        "- open the folder\n- `os.fsync` it after `replace`\n\nSee the issue about the power cut.",
    )
    wait = _task(site, "Answer 429 with Retry-After", labels=["api"], criteria=["The header is sent"])
    _task(site, "Queue writers fairly", priority="low", labels=["leases"], depends_on=[wait])
    renew = _task(
        site, "Renew a lease while a body arrives", labels=["leases"], criteria=["Slow bodies", "Tests"]
    )
    words = _task(site, "Explain pools in the README", labels=["docs"])
    done = _task(site, "Say 501 to what nobody knows", labels=["api"])
    stuck = _task(site, "Measure writes on a slow disk", labels=["durability"], priority="high")
    _task(site, "Show how full each pool is", milestone="Many writers", labels=["page"])
    _task(site, "Name clients in the log", priority="low")
    for task, agent in ((flush, "claude"), (renew, "codex")):
        token = site.server.add_token(agent, "write")
        site.server.call("tools/call", token=token, name="taskpilot_claim", arguments=_claim(task))
    site.call("taskpilot_update", task_id=flush, check=[1])
    for task in (words, done):
        site.call("taskpilot_update", task_id=task, set={"status": "in-progress"})
    site.call("taskpilot_update", task_id=words, set={"status": "review"})
    site.call("taskpilot_update", task_id=done, set={"status": "done"})
    site.call(
        "taskpilot_update", task_id=stuck, set={"status": "blocked"}, reason="The slow disk is on its way."
    )


def _claim(task: str) -> dict[str, Any]:
    return {"action": "take", "task_id": task, "lease_seconds": 1800}


def _task(site: Site, title: str, **more: Any) -> str:
    created: str = site.call("taskpilot_create_task", title=title, **more)["task"]["id"]
    return created


def _add_notes(site: Site) -> None:
    for path, line, tag, author, text in (
        (
            "src/tidepool/leases.py",
            24,
            "NOTE",
            "Ada",
            "A holder may take its own lease again: a retry must not lock itself out.",
        ),
        (
            "src/tidepool/leases.py",
            31,
            "QUESTION",
            "claude",
            "Should a renewal after the end succeed when nobody took it meanwhile?",
        ),
        (
            "src/tidepool/store.py",
            18,
            "FIXME",
            "Grace",
            "Flush the folder too; see the issue about the power cut.",
        ),
        ("src/tidepool/router.py", 14, "TODO", "Linus", "Say in a header how long to wait."),
    ):
        site.call("add_comment", filePath=path, line=line, tag=tag, author=author, text=text)
    site.commit("Notes")


def _change_work_tree(site: Site) -> None:
    store = STORE.replace("        # Later: flush the folder too, or a power cut loses the name\n", "")
    site.write("src/tidepool/store.py", f"{store}        _flush(self._folder)\n\n\n{FLUSH}")
    site.write("src/tidepool/limits.py", LIMITS.replace("burst: int = 50", "burst: int = 80"))


FLUSH = '''def _flush(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
'''


def _leave_remarks(site: Site) -> None:
    remarks = (
        (
            "src/tidepool/store.py",
            "30-33",
            "What happens where a file system does not let folders be opened?",
        ),
        ("src/tidepool/limits.py", "9", "Why 80? Write down what was measured."),
    )
    sent = [
        site.call("send_message", file=file, line=line, comment=text, author="Ada")["id"]
        for file, line, text in remarks
    ]
    site.call("check_lazygit_messages")
    site.call(
        "reply_to_message", message_id=sent[0], text="It is ignored there now, with a test.", author="claude"
    )
    site.call("send_message", file="README.md", line="3", comment="Say how many writers.", author="Grace")
