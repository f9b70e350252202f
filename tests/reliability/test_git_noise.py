"""Git at work beside writers (gc, prune, repack, checkout, rebase, stash): nothing acknowledged is lost.

Nobody else is stopped either: what git was asked to do is done, at the second attempt at the latest, for it
gives up when a pack that it has seen is replaced by a larger one. `storage/git/test_packs.py` has the same
for each single moment, and the controls, which lose a commit without fail.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from holdfast.comments.store import Comments
from holdfast.storage.git.repository import Repository
from tests.milestones.clones import git
from tests.reliability import test_inbox_survives, test_tasks_survive
from tests.reliability.evidence import Tally
from tests.reliability.harness import python, run_together
from tests.reliability.samples import samples
from tests.reliability.test_comments_survive import WRITING
from tests.reliability.test_milestones_survive import ROOM, titles

WRITES = samples("noisy writes")
"""How much each writer writes."""

MANY_TIMES = """
from holdfast.kernel.errors import HoldfastError
gather()
for number in range(int(sys.argv[3])):
    text = f"{sys.argv[2]}-{number}"
    try:
        write(text)
    except HoldfastError as refusal:
        print(f"refused: {refusal.sentence()}", file=sys.stderr)
    else:
        acknowledge(text)
"""
ISSUES = ROOM + 'def write(text): room.create(EntityDraft("issue", text))\n' + MANY_TIMES
COMMENTS = WRITING + "write = add\n" + MANY_TIMES
MESSAGES = test_inbox_survives.WHOLE + "write = send\n" + MANY_TIMES
TASKS = (
    """
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import CallerIdentity, Draft
from holdfast.tasks.store.tasks import Tasks
room = Tasks(Repository.at(sys.argv[1]))
def write(text): room.create([Draft(text)], CallerIdentity("ada"))
"""
    + MANY_TIMES
)

CLEANING = (
    ("gc", "--quiet", "--prune=now"),
    ("prune",),
    ("gc", "--quiet"),
    ("pack-refs", "--all", "--prune"),
    ("repack", "-a", "-d", "-q"),
    ("maintenance", "run", "--quiet", "--task=loose-objects", "--task=incremental-repack"),
    ("prune",),
)
WORKING = (
    ("checkout", "--quiet", "side"),
    ("stash", "--quiet"),
    ("checkout", "--quiet", "main"),
    ("stash", "pop", "--quiet"),
    ("rebase", "--quiet", "--autostash", "--force-rebase", "HEAD~1"),
)


@pytest.fixture
def busy(repository: Path) -> Path:
    """A repository with two branches and a change that is not committed."""
    for branch, text in (("main", "one\ntwo\nthree\n"), ("side", "zero\none\ntwo\nthree\n")):
        git(repository, "checkout", "--quiet", "-B", branch)
        (repository / "a.txt").write_text(text)
        (repository / "b.txt").write_text("as committed")
        git(repository, "add", "a.txt", "b.txt")
        git(repository, "commit", "--quiet", "--message", branch)
    git(repository, "checkout", "--quiet", "-B", "main")
    git(repository, "branch", "--quiet", "--force", "side", "HEAD~1")
    (repository / "b.txt").write_text("changed")
    test_tasks_survive.prepared(repository)
    return repository


@contextmanager
def noise(repository: Path, *commands: tuple[str, ...]) -> Iterator[dict[str, list[str]]]:
    """Run git commands in turn for as long as the block takes; yield how each has ended, empty if well.

    The last round is finished: between `stash` and `stash pop` a change is not in the work tree.
    """
    ended: dict[str, list[str]] = {" ".join(command): [] for command in commands}
    enough = threading.Event()

    def make() -> None:
        finished = False
        while not finished:
            finished = enough.is_set()
            for command in commands:
                ended[" ".join(command)].append(run(repository, command) and run(repository, command))

    thread = threading.Thread(target=make)
    thread.start()
    try:
        yield ended
    finally:
        enough.set()
        thread.join()


def run(repository: Path, command: tuple[str, ...]) -> str:
    done = subprocess.run(["git", "-C", str(repository), *command], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr or "failed"


def write_beside(
    repository: Path, programs: dict[str, str], *commands: tuple[str, ...]
) -> tuple[dict[str, set[str]], str]:
    """Let programs write beside git; return what each acknowledged, and what was refused."""
    with noise(repository, *commands) as ended:
        outcomes = run_together(
            [python(program, repository, name, WRITES) for name, program in programs.items()], seconds=600
        )
    assert [reasons for reasons in ended.values() if any(reasons)] == []
    assert [outcome.status for outcome in outcomes] == [0] * len(outcomes)
    done = {
        name: set(outcome.output.split()) - {"ready"}
        for name, outcome in zip(programs, outcomes, strict=True)
    }
    written = {name: len(texts) for name, texts in done.items()}
    print(f"git noise: {written} beside {sum(map(len, ended.values()))} commands")
    return done, "".join(outcome.complaint for outcome in outcomes)


def forget_the_index(repository: Path) -> None:
    """Let the issues be read from the log alone."""
    for path in (repository / ".git" / "holdfast").glob("milestones*"):
        if "sqlite" in path.name:
            path.unlink()


def notes(repository: Path) -> list[str]:
    with closing(Comments.open(Repository.at(repository))) as room:
        return [note.text for note in room.load("a.txt").comments]


@pytest.mark.evidence("B6", "all rooms", "git gc, prune and repack beside writers")
def test_nothing_written_beside_gc_and_prune_is_lost_and_git_goes_on_working(busy: Path, tally: Tally):
    programs = {"x": ISSUES, "y": ISSUES, "tasks": TASKS, "inbox": MESSAGES, "comments": COMMENTS}
    done, refused = write_beside(busy, programs, *CLEANING)
    tally(len(programs) * WRITES, len(programs) * WRITES - sum(map(len, done.values())))
    assert refused == ""
    assert {name: len(texts) for name, texts in done.items()} == dict.fromkeys(programs, WRITES)
    forget_the_index(busy)
    assert set(titles(busy)) == done["x"] | done["y"]
    assert test_tasks_survive.items(busy) - {test_tasks_survive.OLD} == done["tasks"]
    assert set(test_inbox_survives.comments(busy)) == done["inbox"]
    assert set(notes(busy)) == done["comments"]
    assert git(busy, "fsck", "--strict", "--no-dangling") == ""
    git(busy, "gc", "--quiet", "--prune=now")
    git(busy, "fetch", "--quiet", ".", "refs/holdfast/log/*:refs/copies/*")
    forget_the_index(busy)
    assert set(titles(busy)) == done["x"] | done["y"]


@pytest.mark.evidence("B6", "all rooms", "git checkout, stash and rebase beside writers")
def test_nothing_written_beside_checkout_stash_and_rebase_is_lost_and_git_goes_on_working(
    busy: Path, tally: Tally
):
    programs = {"issues": ISSUES, "tasks": TASKS, "inbox": MESSAGES, "comments": COMMENTS}
    done, refused = write_beside(busy, programs, *WORKING)
    tally(len(programs) * WRITES, done["issues"] ^ set(titles(busy)))
    assert set(titles(busy)) == done["issues"]
    assert test_tasks_survive.items(busy) - {test_tasks_survive.OLD} == done["tasks"]
    assert set(test_inbox_survives.comments(busy)) == done["inbox"]
    assert set(notes(busy)) == done["comments"]
    # Only a comment may be refused: on a file that git takes away for a moment, or changes under it.
    assert len(refused.splitlines()) == WRITES - len(done.pop("comments"))
    assert {name: len(texts) for name, texts in done.items()} == dict.fromkeys(done, WRITES)
    assert git(busy, "fsck", "--strict", "--no-dangling") == ""
    assert (busy / "b.txt").read_text() == "changed"
