"""Comments after a large refactoring, and the comments of one file among many.

python -m bench.comments [--rounds 5] [--check] [--save] [--files 1000]

The baseline of re-anchoring is the figure published for an unoptimised tracker of this kind, one second for
each pair of changed files; it is a stated figure, not a measurement of this run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench._comparison import Comparison, compare
from bench._results import Results, arguments
from holdfast.comments.anchors.scan import Scan
from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.store import Comments
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository

SECONDS_A_PAIR = 1.0
COMMENTS_A_FILE = 5
FUNCTIONS = 30
SETTLED_SECONDS = 3
"""How long folders are left alone before they are read: one that changed just now is listed each time."""


def main() -> None:
    options = arguments(__doc__, rounds=5, files=1000)
    # In memory where that is possible: flushing a disk five thousand times is not what is measured.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        small, large = Path(folder, "small"), Path(folder, "large")
        filled(small, 10)
        filled(large, options.files)
        rounds = options.rounds * 20
        fresh = reading("reading one file's comments among many, just written", None, (small, large), rounds)
        time.sleep(SETTLED_SECONDS)
        left_alone = reading("reading one file's comments among many", 1.5, (small, large), rounds)
        comparisons = [left_alone, fresh, refactored(large, options.files)]
    results = Results(
        "bench.comments", f"{options.files:,} files with {COMMENTS_A_FILE * options.files:,} comments"
    )
    compare(results, "comments", ("baseline", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def module(number: int) -> str:
    """Return a Python module with some functions."""
    functions = (
        f"\ndef compute_{number}_{at}(value, other_value):\n"
        f"    total = value * {at} + other_value\n"
        f"    if total > {number}:\n"
        f"        total -= {at + 1}\n"
        f"    for step in range({at + 2}):\n"
        f"        total += step * {number % 7}\n"
        f"    return total\n"
        for at in range(FUNCTIONS)
    )
    return "\n".join([f'"""Module {number}."""\n\nimport os\n', *functions])


def refactor(text: str, number: int) -> str:
    """Return a module after renames, moves, edits and a new head."""
    functions = text.split("\n\ndef ")
    head, body = functions[0], functions[1:]
    body = [body[-1], *body[:-1]]
    body = [part.replace("total", "result", 3) if at % 3 == 0 else part for at, part in enumerate(body)]
    renamed = [part.replace(f"compute_{number}_", f"calculate_{number}_") for part in body]
    return f"# Licence\n# of a new owner\n{head}\nimport sys\n" + "".join(
        f"\n\ndef {part}" for part in renamed
    )


def filled(path: Path, files: int) -> None:
    """Make a repository with annotated modules in one commit."""
    subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    for number in range(files):
        place = path / f"pkg{number % 20}" / f"module_{number}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_text(module(number))
    commit(path, "Begin")
    room = Comments.open(Repository.at(path))
    writing = CommentWriter(room)
    for number in range(files):
        source = RepoPath.parse(f"pkg{number % 20}/module_{number}.py")
        for at in range(COMMENTS_A_FILE):
            line = 6 + at * 9 * (FUNCTIONS // COMMENTS_A_FILE) + at
            writing.add(source, CommentDraft(line, f"TODO: look at {at}", "bench", "TODO"))
    room.close()
    commit(path, "Annotate")


def commit(path: Path, message: str) -> None:
    who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    for words in (("add", "--all"), (*who, "commit", "--quiet", "-m", message)):
        subprocess.run(["git", *words], cwd=path, check=True)


def refactored(path: Path, files: int) -> Comparison:
    """Change every file, then bring all comments up to date once."""
    for number in range(files):
        place = path / f"pkg{number % 20}" / f"module_{number}.py"
        place.write_text(refactor(place.read_text(), number))
    commit(path, "Refactor")
    room = Comments.open(Repository.at(path))
    started = time.perf_counter()
    result = Scan(room).run()
    seconds = time.perf_counter() - started
    room.close()
    sure = sum(1 for one in result.outcomes if not one.location.orphaned and not one.location.needs_review)
    print(
        f"re-anchored {result.comments} comments in {result.changed} files in {seconds:.1f} s; "
        f"{sure} moved, {len(result.outcomes) - sure} to be looked at"
    )
    name = f"re-anchoring {result.comments} comments after {files} files changed"
    return Comparison(name, 1 / 20, "s", [files * SECONDS_A_PAIR], [seconds])


def reading(name: str, bar: float | None, places: tuple[Path, Path], rounds: int) -> Comparison:
    """Read one file's comments among ten files and among all of them."""
    times: dict[Path, list[float]] = {path: [] for path in places}
    rooms = {path: Comments.open(Repository.at(path)) for path in times}
    for _ in range(rounds):
        for path, room in rooms.items():
            started = time.perf_counter()
            room.load("pkg3/module_3.py")
            times[path].append(time.perf_counter() - started)
    for room in rooms.values():
        room.close()
    few, many = times.values()
    return Comparison(name, bar, "s", few, many)


if __name__ == "__main__":
    main()
