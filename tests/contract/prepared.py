"""Repositories with the same content in every room, so that two faces can be asked the same things."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from holdfast.inbox.envelope import digest_of, message_id
from holdfast.inbox.store import Inbox
from holdfast.milestones.entity import EntityDraft, ImportedComment
from holdfast.milestones.store import Milestones
from holdfast.storage.git.repository import Repository
from tests.contract.comment_cases import fill_comments
from tests.contract.comment_search_cases import fill_searched
from tests.contract.task_cases import fill_tasks
from tests.contract.task_link_cases import fill_task_links
from tests.wire.client import PROGRAM

COMMITTED = f"{int(datetime.now(UTC).timestamp())} +0000"
"""When all repositories of a test were committed to, so that their commits have the same ids."""
HOLDFAST = str(Path(sys.executable).with_name("holdfast"))
MOMENT = datetime(2025, 7, 1, 10, 30, tzinfo=UTC)
SUGGESTION = "About the work tree, line 1:\n> one\n\n```suggestion\nONE\n```"
MESSAGES = (
    ("src/main.py", "This function needs error handling", "42", "Ada", "2025-07-01T10:30:00Z"),
    ("src/main.py", 'Größe: "quotes", $(echo) and `ticks`\nsecond line', None, None, "2025-07-01T10:31:00Z"),
    ("README.md", "Hidden \x1b[31mred\u202e text", "3-5", "Grace", "2025-07-01T10:32:00Z"),
    ("src/main.py", SUGGESTION, "1", "Ada", "2025-07-01T10:32:30Z"),
    (".", "About everything", None, "Ada", "2025-07-01T10:33:00Z"),
)
MILESTONE = "8903a9b6-0000-7000-8000-000000000001"
ISSUES = ["c8d4b0a2-0000-7000-8000-000000000002", "d1e2f3a4-0000-7000-8000-000000000003"]
COMMENT = "00000000-0000-7000-8000-00000000000c"
MILES = [MILESTONE, *ISSUES, COMMENT]
GITHUB = '[{"html_url": "https://github.com/o/r/issues/1", "title": "Imported", "state": "open"}]'
IDS = [message_id(digest_of(file, comment, time)) for file, comment, _, _, time in MESSAGES]


PERSON = PROGRAM
"""The person has the name of the program that asks over MCP, so that all interfaces write the same name."""
PERSON_WITH_MAIL = f"{PERSON} <{PERSON}@example.org>"


def environment(home: Path) -> dict[str, str]:
    """Return variables under which nothing of the machine's configuration is read."""
    person = {"GIT_AUTHOR_NAME": PERSON, "GIT_AUTHOR_EMAIL": f"{PERSON}@example.org"}
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return (
        kept
        | person
        | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "GIT_CONFIG_NOSYSTEM": "1"}
    )


def prepare(path: Path, home: Path) -> Path:
    """Make a repository with a commit, a change since, messages, milestones, and a remote without either."""
    home.mkdir(exist_ok=True)
    source = path / "src" / "main.py"
    source.parent.mkdir(parents=True)
    source.write_text("one\ntwo\nthree\n")
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "."),
        ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message=Begin"),
    ):
        dates = {"GIT_AUTHOR_DATE": COMMITTED, "GIT_COMMITTER_DATE": COMMITTED}
        subprocess.run(["git", *arguments], cwd=path, env=environment(home) | dates, check=True)
    source.write_text("one\ntwo, changed\nthree\nfour\n")
    (path / "issues.json").write_text(GITHUB)
    (path / "mark.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    _add_remote(path, home)
    _fill_inbox(path)
    _fill_milestones(path)
    fill_comments(path)
    fill_searched(path)
    fill_tasks(path)
    fill_task_links(path)
    return path


def _add_remote(path: Path, home: Path) -> None:
    remote = f"{path.name}-origin.git"
    for arguments in (
        ("init", "--quiet", "--bare", str(path.with_name(remote))),
        ("remote", "add", "origin", f"../{remote}"),
    ):
        subprocess.run(["git", *arguments], cwd=path, env=environment(home), check=True)


def _fill_milestones(path: Path) -> None:
    room = Milestones(Repository.discover(path), clock=lambda: MOMENT)
    ada = "Ada <ada@example.org>"
    comment = ImportedComment(ada, "2025-07-01T10:30:00Z", "kickoff", COMMENT)
    room.create(
        EntityDraft(
            "milestone", "Milestone Alpha", "First", labels=("alpha",), comments=(comment,), id=MILESTONE
        ),
        actor=ada,
    )
    hidden = "Hidden \x1b[31mred\u202e text"
    room.create(EntityDraft("issue", hidden, milestone=MILESTONE, labels=("bug",), id=ISSUES[0]), actor=ada)
    room.create(EntityDraft("issue", "Größe", "Too big", due="2026-01-31", id=ISSUES[1]), actor=ada)
    room.close()


def _fill_inbox(path: Path) -> None:
    inbox = Inbox(Repository.discover(path), clock=lambda: MOMENT)
    for file, comment, line, author, time in MESSAGES:
        inbox.send(file, comment, line, author, time=time, work_tree=str(path.resolve()))
    inbox.mark_delivered(inbox.take(limit=1).lease)
    inbox.reply(inbox.find(IDS[0]), "Done in the last commit", "agent")
    inbox.close()
