"""Churn and the ages of lines beside git itself: `git log --numstat`, and `git blame` for each file.

Ours is a call inside a running server, its words included: of the last 30 days with nothing kept, of the
whole history with nothing kept, and of the whole history once more. git writes into a pipe that is read to
its end. CPU seconds are those of the process and each git that it starts; the median of the rounds counts.

Without `--repository` or BENCH_TREE a history is made up: 20,000 commits on 800 files, some of them renamed.
The bars are for real histories: git compares the small files of this one far more quickly.

    python -m bench.churn [--repository DIRECTORY] [--rounds 3] [--check] [--save]
"""

from __future__ import annotations

import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench._comparison import Comparison, compare
from bench._results import Results, absent, parser
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_code_churn import AnalyzeCodeChurn, CodeChurn, analyze_code_churn
from holdfast.storage.git.history.line_ages import line_ages
from holdfast.storage.git.repository import Repository
from holdfast.toolsets import toolset

COLD_BAR, WARM_BAR = 1.3, 0.05
COMMITS, FILES = 20_000, 800
MARKS = ("TODO", "FIXME", "XXX", "HACK")
MAX_MARKED = 60


class Measured:
    """One comparison by CPU and one by the clock, taken together."""

    def __init__(self, label: str, bar: float | None = None) -> None:
        self.cpu = Comparison(f"{label}, CPU", bar)
        self.wall = Comparison(f"{label}, wall")

    def take(self, theirs: Callable[[], object], ours: Callable[[], object]) -> None:
        """Run both sides once."""
        for run, cpu, wall in (
            (theirs, self.cpu.baseline, self.wall.baseline),
            (ours, self.cpu.ours, self.wall.ours),
        ):
            before, started = _cpu(), time.perf_counter()
            run()
            wall.append(time.perf_counter() - started)
            cpu.append(_cpu() - before)

    def beside(self, other: Measured, ours: Callable[[], object]) -> None:
        """Run our side once, and compare it with what another's took."""
        self.take(lambda: None, ours)
        self.cpu.baseline[-1], self.wall.baseline[-1] = other.cpu.baseline[-1], other.wall.baseline[-1]


def _cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


class Asked:
    """A repository that both sides are asked about, as if its last commit had just been made."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.last = int(self.git("log", "-1", "--format=%ct"))
        self.repository = Repository.discover(place)
        [operation] = [one for one in toolset("analyze").operations if one.name == "analyze_code_churn"]
        self._words = operation.as_text

    def git(self, *arguments: str) -> bytes:
        """Return what plain git prints."""
        return subprocess.run(["git", *arguments], cwd=self.place, capture_output=True, check=True).stdout

    def log(self, days: int | None) -> None:
        """Let git count the lines."""
        since = [] if days is None else [f"--since=@{self.last - days * 86400} +0000"]
        self.git("log", "--numstat", *since, "HEAD")

    def blame(self, lines: dict[str, list[int]]) -> None:
        """Let git say when lines were changed."""
        for path, numbers in lines.items():
            ranges = (f"-L{number},{number}" for number in numbers)
            self.git("blame", "--porcelain", *ranges, "HEAD", "--", path)

    def churn(self, days: int, *, kept: bool) -> CodeChurn:
        """Measure the churn, with what was kept or without."""
        if not kept:
            self._forget("commits*")
        room = Analysis(self.repository, lambda: datetime.fromtimestamp(self.last, UTC))
        result: CodeChurn = analyze_code_churn(room, AnalyzeCodeChurn(project_path=".", period_days=days))
        self._words(result)
        room.close()
        return result

    def ages(self, lines: dict[str, list[int]], *, kept: bool) -> None:
        """Find the ages of lines, with what was kept or without."""
        if not kept:
            self._forget("line-ages*")
        line_ages(self.repository, lines, time.time(), seconds=600)

    def _forget(self, names: str) -> None:
        for path in Path(self.repository.store_directory).glob(names):
            path.unlink()

    def marked(self) -> dict[str, list[int]]:
        """Return lines of which one wants to know the age."""
        arguments = ("grep", "-z", "-n", "-I", "-E", f"#.*({'|'.join(MARKS)})\\b", "HEAD")
        found = subprocess.run(["git", *arguments], cwd=self.place, capture_output=True).stdout
        lines: dict[str, list[int]] = {}
        for path, number in re.findall(
            r"^HEAD:([^\0]+)\0(\d+)\0", found.decode(errors="replace"), re.MULTILINE
        ):
            lines.setdefault(path, []).append(int(number))
        return dict(sorted(lines.items())[:MAX_MARKED])


def make_history(place: Path) -> None:
    """Write the same history every time."""
    chance = random.Random(5)
    files = {f"src/part{number % 20}/file{number}.py": [0] * 60 for number in range(FILES)}
    stream, mark = [], f"  # {MARKS[0]}"
    for number in range(COMMITS):
        moment = 1_600_000_000 + number * 7200
        stream.append(
            f"commit refs/heads/main\ncommitter A{number % 90} <a{number % 90}@b> {moment} +0000\ndata 0\n"
        )
        for path in chance.sample(sorted(files), chance.randint(1, 5)):
            lines = files[path]
            is_there = any(lines)
            for _ in range(chance.randint(1, 6)):
                lines[chance.randrange(len(lines))] = number
            lines += [number] * chance.randint(0, 2)
            if is_there and chance.random() < 0.01:
                renamed = f"{path.removesuffix('.py')}_.py"
                stream.append(f"R {path} {renamed}\n")
                files[renamed] = files.pop(path)
            else:
                renamed = path
            text = "".join(f"{index} {value}{mark * (index == 7)}\n" for index, value in enumerate(lines))
            stream.append(f"M 644 inline {renamed}\ndata {len(text)}\n{text}\n")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", place], check=True)
    fast_import = ["git", "fast-import", "--quiet"]
    subprocess.run(fast_import, input="".join(stream).encode(), cwd=place, check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard"], cwd=place, check=True)


def measured(asked: Asked, rounds: int, *, is_real: bool) -> Results:
    """Measure everything."""
    month, first, again = (
        Measured("30 days, nothing kept", COLD_BAR if is_real else None),
        Measured("whole history, nothing kept"),
        Measured("whole history, once more", WARM_BAR if is_real else None),
    )
    ages, ages_again = (Measured("ages of lines, nothing kept"), Measured("ages of lines, once more"))
    marked = asked.marked()
    for _ in range(rounds):
        month.take(lambda: asked.log(30), lambda: asked.churn(30, kept=False))
        first.take(lambda: asked.log(None), lambda: asked.churn(10**6, kept=False))
        again.beside(first, lambda: asked.churn(10**6, kept=True))
        ages.take(lambda: asked.blame(marked), lambda: asked.ages(marked, kept=False))
        ages_again.beside(ages, lambda: asked.ages(marked, kept=True))
    size = sum(path.stat().st_size for path in Path(asked.repository.store_directory).glob("commits*"))
    result = asked.churn(10**6, kept=True)
    total = result.summary
    corpus = (
        f"{asked.place.name}, {total.total_commits:,} commits and {total.merge_commits:,} merges,"
        f" {result.files_analyzed:,} files;"
        f" {size / 1e6:.1f} MB are kept; {sum(map(len, marked.values()))} lines in {len(marked)} files"
    )
    taken = [one for both in (month, first, again, ages, ages_again) for one in (both.cpu, both.wall)]
    results = Results("bench.churn", corpus)
    compare(results, "churn", ("git", "holdfast"), taken)
    return results


def main() -> int:
    """Measure, print the table and return the exit status."""
    options = parser(__doc__, rounds=3)
    public = os.environ.get("BENCH_TREE")
    options.add_argument("--repository", type=Path, default=public, help="a clone with its history")
    given = options.parse_args()
    if given.save and given.repository is None:
        return absent("a public history (BENCH_TREE)")
    with tempfile.TemporaryDirectory() as folder:
        place = given.repository or Path(folder, "history")
        if given.repository is None:
            make_history(place)
        results = measured(Asked(place), given.rounds, is_real=given.repository is not None)
    return results.finish(given)


if __name__ == "__main__":
    sys.exit(main())
