"""Milestones beside bare SQLite and plain git, with 100,000 issues in one repository.

python -m bench.milestones [--rounds 15] [--check] [--save] [--issues 100000]

`bench.git_bug` puts them beside git-bug.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench._comparison import Comparison, compare
from bench._results import Results, arguments
from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.index.query import EVERYTHING, EntityQuery, page_statement
from holdfast.milestones.store import Milestones
from holdfast.milestones.tools.list import ListEntities, list_entities
from holdfast.storage.git.repository import Repository

REBUILDS = 3


def main() -> None:
    options = arguments(__doc__, rounds=15, issues=100_000)
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        path = filled(Path(folder, "with"), options.issues)
        room = Milestones.open(Repository.at(path))
        comparisons = [
            rebuilds(path, options.issues),
            pages(path, room, options.rounds * 20),
            *appends(path, room, options.rounds),
            *ordinary_git(path, room, Path(folder), options.rounds * 4),
        ]
        room.close()
    results = Results("bench.milestones", f"{options.issues:,} issues")
    compare(results, "milestones", ("baseline", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def prepare(home: str) -> None:
    """Leave this machine's configuration aside."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    os.environ["HOME"] = home
    os.environ["XDG_CONFIG_HOME"] = home


def git(where: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(where), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def new_repository(path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(path)], check=True)
    git(path, "config", "user.name", "Ada")
    git(path, "config", "user.email", "ada@example.org")
    return path


def filled(path: Path, issues: int) -> Path:
    room = Milestones.open(Repository.at(new_repository(path)))
    drafts = (
        EntityDraft(
            "issue", f"Issue {number}", description="Some words. " * 20, labels=(f"area-{number % 20}", "bug")
        )
        for number in range(issues)
    )
    started = time.perf_counter()
    room.import_drafts(drafts)
    print(f"{issues} issues brought in within {time.perf_counter() - started:.1f} s\n")
    room.close()
    return path


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def rebuilds(path: Path, issues: int) -> Comparison:
    """A cold rebuild of the index beside `git log --format=%B` over the same refs."""
    refs = git(path, "for-each-ref", "--format=%(refname)", "refs/holdfast/").split()
    command = ["git", "-C", str(path), "log", "--format=%B", *refs]
    comparison = Comparison("cold rebuild / git log --format=%B", bar=3)
    for _ in range(REBUILDS):
        comparison.baseline.append(
            timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))
        )
        for file in (path / ".git" / "holdfast").glob("milestones*.sqlite*"):
            file.unlink()
        room = Milestones.open(Repository.at(path))
        comparison.ours.append(timed(lambda room=room: room.count("issue", EVERYTHING)))
        assert room.count("issue", EVERYTHING) == issues
        room.close()
    return comparison


def pages(path: Path, room: Milestones, rounds: int) -> Comparison:
    """A warm page of 50 as a server makes it, from arguments to JSON, beside the query in bare sqlite3."""
    query = EntityQuery("issue", after=room.find(EntityQuery("issue")).next)
    given = {"entity": "issue", "cursor": list_entities(room, ListEntities(entity="issue")).next_cursor}
    (file,) = (path / ".git" / "holdfast").glob("milestones-*.sqlite")
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    sql, values = page_statement(query)
    comparison = Comparison("warm page of 50 / the query in sqlite3", bar=5)
    for _ in range(rounds):
        comparison.baseline.append(timed(lambda: connection.execute(sql, values).fetchall()))
        comparison.ours.append(
            timed(lambda: list_entities(room, ListEntities.model_validate(given)).model_dump_json())
        )
    connection.close()
    return comparison


def appends(path: Path, room: Milestones, rounds: int) -> list[Comparison]:
    """One append beside the two git commands it takes: as git comes, and flushed as an append is."""
    plain = Comparison("append / commit-tree + update-ref", bar=3)
    durable = Comparison("append / the same with core.fsync=committed")
    tree = git(path, "hash-object", "-w", "-t", "tree", os.devnull)
    items = room.find(EntityQuery("issue", limit=rounds + 1)).items
    room.comment(items[-1].id, "Warm")

    def write(*settings: str) -> None:
        commit = git(path, *settings, "commit-tree", tree, "-m", str(time.perf_counter()))
        git(path, *settings, "update-ref", "refs/measure/one", commit)

    for number in range(rounds):
        plain.baseline.append(timed(write))
        durable.baseline.append(timed(lambda: write("-c", "core.fsync=committed")))
        spent = timed(lambda number=number: room.comment(items[number].id, "Measured"))
        plain.ours.append(spent)
        durable.ours.append(spent)
    return [plain, durable]


def ordinary_git(path: Path, room: Milestones, folder: Path, rounds: int) -> list[Comparison]:
    """An ordinary push of one commit, and a fetch of nothing, with the issues and without."""
    without = new_repository(folder / "without")
    for repository in (path, without):
        hub = folder / f"{repository.name}.git"
        subprocess.run(["git", "init", "--quiet", "--bare", str(hub)], check=True)
        git(repository, "remote", "add", "origin", f"file://{hub}")
        git(repository, "commit", "--quiet", "--allow-empty", "--message", "First")
        git(repository, "push", "--quiet", "--set-upstream", "origin", "main")
    room.sync()
    push = Comparison("git push of one commit, with / without issues", bar=1.1)
    fetch = Comparison("git fetch of nothing, with / without issues", bar=1.1)
    for number in range(rounds):
        for repository, pushes, fetches in (
            (without, push.baseline, fetch.baseline),
            (path, push.ours, fetch.ours),
        ):
            git(repository, "commit", "--quiet", "--allow-empty", "--message", str(number))
            pushes.append(timed(lambda repository=repository: git(repository, "push", "--quiet")))
            fetches.append(timed(lambda repository=repository: git(repository, "fetch", "--quiet")))
    return [push, fetch]


if __name__ == "__main__":
    main()
