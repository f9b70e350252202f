"""Machinery for tests that kill, starve and crowd a store.

A store is tested through small programs of its own, run as real processes. Three conventions connect a
program with the harness:

- It *acknowledges* by printing one line per durable write, after the write has returned.
- Between `begin()` and `end()` (from `PRELUDE`) lies the write that system calls are counted in. Without
  these marks the whole process counts, its start included.
- `gather()` (from `PRELUDE`) makes it wait until all its companions are ready.

What there is:

- `python(program, *arguments)`: the command line for a program, with `PRELUDE` in front of it.
- `run_kill_trials(command, read)`: A1, the set test. Writers add distinct items and are killed with signal 9
  at random moments; afterwards `read()` must return every acknowledged item.
- `kill_at_every_syscall(command, prepare, check)`: A2. One run per system call of the write, killed on it.
- `fail_at_every_syscall(command, prepare, check, errors)`: A4. One run per system call, which fails with an
  error of the system instead; then one run without interference, which must succeed.
- `restoring(folder)`: a `prepare` for these two, which puts a folder back as it was.
- `DATABASE_ERRORS`: errors of the system for `fail_at_every_syscall` on a store in SQLite.
- `run_together(commands)`: B. Processes that start at the same moment.

Every report can say what it did (`summary`) and what went wrong (`failures`). A suite built on this needs a
control: a deliberately weaker program for which the same harness reports failures.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.reliability.nursery import Writer, quick_starts
from tests.reliability.samples import samples

PRELUDE = """
import os, sys
def begin(): os.access("/holdfast-mark-begin", 0)
def end(): os.access("/holdfast-mark-end", 0)
def acknowledge(item="done"): os.write(1, f"{item}\\n".encode())
def gather():
    os.write(1, b"ready\\n")
    os.read(0, 1)
"""

WRITE_CALLS = (
    *("openat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "fallocate", "fchmod", "flock"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir"),
)

DATABASE_ERRORS = {
    "EIO": {"pwrite64": "EIO", "fdatasync": "EIO", "ftruncate": "EIO"},
    "ENOSPC": {"pwrite64": "ENOSPC", "ftruncate": "ENOSPC"},
}

SYSTEM_CALLS = samples("system calls")
_MARK_CALLS = ("access", "faccessat", "faccessat2")
_CALL = re.compile(r"^(\d+) +(\w+)\((.*)")
_SECONDS = 60
_WORKING_SECONDS = 0.12


def restoring(folder: Path) -> Callable[[], None]:
    """Return what puts a folder back as it is now."""
    kept = folder.with_name(f"{folder.name}.kept")
    shutil.copytree(folder, kept)

    def prepare() -> None:
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)

    return prepare


def python(program: str, *arguments: object) -> list[str]:
    """Return the command line that runs a program of the tests."""
    return [sys.executable, "-c", PRELUDE + program, *map(str, arguments)]


# A1: killed at random moments.


@dataclass
class KillReport:
    """What a set test did, and what it found wrong."""

    kills: int = 0
    rounds: int = 0
    seconds: float = 0.0
    acknowledged: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def summary(self) -> str:
        return (
            f"{self.kills} kills in {self.rounds} rounds, {len(self.acknowledged)} acknowledged, "
            f"{len(self.lost)} lost, {len(self.failures)} failures, {self.seconds:.1f} s"
        )


def run_kill_trials(
    command: Callable[[str], list[str]],
    read: Callable[[], Collection[str]],
    *,
    kills: int = 300,
    at_once: int = 3,
    delay: tuple[float, float] | None = None,
    working_seconds: float = _WORKING_SECONDS,
    seed: int = 1,
) -> KillReport:
    """Kill writers at random moments and look for everything they acknowledged.

    `command(name)` is the command line of a writer that adds `name-1`, `name-2`, … and acknowledges each.
    `read()` opens the store as any program would and returns the items in it; when it raises, the store needs
    a manual step, which is a failure. `delay` bounds the moment of a kill, counted from a writer's start.
    Without it, kills fall into the start and a moment of work: how long a start takes is measured first, and
    more time is given while writers acknowledge less than one item each: a busy machine changes little.
    A writer made by `python` starts in a nursery that has loaded what it imports: the time goes into writing.
    """
    report = KillReport()
    moments = random.Random(seed)
    started = time.monotonic()
    with quick_starts() as start:
        is_measured = delay is None
        if delay is None:
            starting_seconds = _watch_one_start(report, start(command("w0")))
            delay = (starting_seconds * 0.4, starting_seconds + working_seconds)
        while report.kills < kills:
            names = [
                f"w{report.kills + number}" for number in range(1, 1 + min(at_once, kills - report.kills))
            ]
            writers = [start(command(name)) for name in names]
            outputs = _kill_each(writers, [moments.uniform(*delay) for _ in names])
            _judge_round(report, names, outputs, read)
            if is_measured and len(report.acknowledged) < report.kills:
                delay = (delay[0], delay[1] * 1.1)
    report.seconds = time.monotonic() - started
    return report


def _watch_one_start(report: KillReport, writer: Writer) -> float:
    """Return the seconds until a writer's first acknowledgement, which counts like all others."""
    started = time.monotonic()
    while not writer.output() and time.monotonic() < started + _SECONDS:
        time.sleep(0.001)
    seconds = time.monotonic() - started
    writer.kill()
    assert writer.output(), f"the writer never acknowledged anything: {writer.complaint()}"
    report.acknowledged.update(writer.output().split("\n")[:-1])
    return seconds


def _kill_each(writers: Sequence[Writer], delays: Sequence[float]) -> list[tuple[str, str]]:
    """Kill each writer at its moment, counted from now, and return what they printed and complained."""
    started = time.monotonic()
    for delay, writer in sorted(zip(delays, writers, strict=True), key=lambda pair: pair[0]):
        time.sleep(max(0.0, started + delay - time.monotonic()))
        writer.kill()
    return [(writer.output(), writer.complaint()) for writer in writers]


def _judge_round(
    report: KillReport,
    names: Sequence[str],
    outputs: Sequence[tuple[str, str]],
    read: Callable[[], Collection[str]],
) -> None:
    report.rounds += 1
    report.kills += len(names)
    for output, complaint in outputs:
        # The last piece is empty, or a line that the kill cut short.
        report.acknowledged.update(output.split("\n")[:-1])
        if complaint:
            report.failures.append(f"round {report.rounds}: a writer complained: {complaint[-300:]}")
    try:
        found = set(read())
    except Exception as error:
        report.failures.append(
            f"round {report.rounds}: the store does not open: {type(error).__name__}: {error}"
        )
        return
    lost = report.acknowledged - found - report.lost
    if lost:
        report.failures.append(f"round {report.rounds}: lost {sorted(lost)[:5]}")
    report.lost |= lost


# A2 and A4: killed, or failed, at each system call.


@dataclass
class InjectionReport:
    """What was injected where, and what was wrong afterwards."""

    points: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def failed(self) -> set[str]:
        """The points with a failure, of which each may have several."""
        return {failure.partition(": ")[0] for failure in self.failures}

    def summary(self) -> str:
        calls = Counter(point.split(":")[0] for point in self.points)
        places = ", ".join(f"{call} {count}" for call, count in sorted(calls.items()))
        return (
            f"{len(self.points)} points ({places}), {len(self.missed)} missed, "
            f"{len(self.failures)} failures, {self.seconds:.1f} s"
        )


@dataclass(frozen=True)
class Outcome:
    """How one run of the program ended."""

    status: int
    output: str
    complaint: str

    @property
    def killed(self) -> bool:
        return self.status in (-9, 137)

    @property
    def acknowledged(self) -> bool:
        return bool(self.output.strip())

    def admits(self, is_stored: bool) -> bool:
        """Tell whether somebody who was refused what is stored all the same knows that it is."""
        return self.acknowledged or not is_stored or "was written" in self.complaint


Check = Callable[[Outcome], None]


def kill_at_every_syscall(
    command: list[str],
    prepare: Callable[[], None],
    check: Check,
    *,
    calls: Sequence[str] = WRITE_CALLS,
    enough: int | None = None,
    most: int = SYSTEM_CALLS,
) -> InjectionReport:
    """Kill the program on entering each of its system calls, one run per call.

    `prepare()` puts the store into its old state before every run. `check(outcome)` asserts what must hold
    after it: the old state or the new one, the new one if the program acknowledged. A control needs no more
    than some failures: with `enough` of them it ends, having tried calls here and there. A short run tries
    `most` of the calls, here and there too.
    """
    report = InjectionReport()
    started = time.monotonic()
    for call, number in _points(command, prepare, calls, enough, most):
        if enough is not None and len(report.failures) >= enough:
            break
        prepare()
        outcome = _run_injected(command, f"{call}:signal=SIGKILL:when={number}")
        report.points.append(f"{call}:{number}")
        if not outcome.killed:
            report.missed.append(f"{call}:{number}")
        _judge(report, check, outcome)
    report.seconds = time.monotonic() - started
    return report


def fail_at_every_syscall(
    command: list[str],
    prepare: Callable[[], None],
    check: Check,
    *,
    errors: Mapping[str, str],
    enough: int | None = None,
    most: int = SYSTEM_CALLS,
) -> InjectionReport:
    """Make each system call of the program fail, one run per call, then run it once more undisturbed.

    `errors` says which error each call gets, such as `{"fsync": "EIO"}`. `check(outcome)` is called after
    each run; a program must not acknowledge what it could not store, and undisturbed it must acknowledge.
    """
    report = InjectionReport()
    started = time.monotonic()
    for call, number in _points(command, prepare, tuple(errors), enough, most):
        if enough is not None and len(report.failures) >= enough:
            break
        prepare()
        outcome = _run_injected(command, f"{call}:error={errors[call]}:when={number}")
        report.points.append(f"{call}:{number}")
        _judge(report, check, outcome)
        after = _run(command)
        if not after.acknowledged:
            report.failures.append(
                f"{report.points[-1]}: no write works afterwards: {after.complaint[-300:]}"
            )
        _judge(report, check, after)
    report.seconds = time.monotonic() - started
    return report


def _points(
    command: list[str], prepare: Callable[[], None], calls: Sequence[str], enough: int | None, most: int
) -> list[tuple[str, int]]:
    """Count the system calls of one undisturbed run; return those between the marks, `most` of them."""
    prepare()
    with tempfile.NamedTemporaryFile("r") as log:
        names = ",".join(f"?{call}" for call in (*calls, *_MARK_CALLS))
        outcome = _run(["strace", "-f", "-o", log.name, "-e", f"trace={names}", *command])
        assert outcome.status == 0, f"the undisturbed run failed: {outcome.complaint}"
        lines = log.read().splitlines()
    points = list(_between_marks(lines))
    if enough is None and len(points) <= most:
        return points
    return random.Random(1).sample(points, min(most, len(points)))


def _between_marks(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each call of a trace that lies between the marks, and its number within its own process.

    strace counts for each process by itself. What a child does is left out where the same number would hit
    the marking process outside its marks, in its start or in its acknowledgement.
    """
    found = [match.groups() for match in map(_CALL.match, lines) if match]
    main = next((pid for pid, _, words in found if "/holdfast-mark-begin" in words), None)
    counts: Counter[tuple[str, str]] = Counter()
    inside, outside, of_children = [], set(), []
    is_inside = main is None
    for pid, call, words in found:
        if call in _MARK_CALLS:
            is_inside = is_inside if "/holdfast-mark-" not in words else "begin" in words
            continue
        counts[pid, call] += 1
        point = (call, counts[pid, call])
        if main not in (None, pid):
            of_children += [point] if is_inside else []
        elif is_inside:
            inside.append(point)
        else:
            outside.add(point)
    yield from dict.fromkeys(point for point in [*inside, *of_children] if point not in outside)


def _run_injected(command: list[str], injection: str) -> Outcome:
    call = injection.split(":")[0]
    return _run(
        ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={injection}", *command]
    )


def _run(command: list[str]) -> Outcome:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    return Outcome(done.returncode, done.stdout, done.stderr)


def _judge(report: InjectionReport, check: Check, outcome: Outcome) -> None:
    try:
        check(outcome)
    except Exception as error:
        report.failures.append(f"{report.points[-1]}: {type(error).__name__}: {error}")


# B: many at once.


def run_together(commands: Sequence[list[str]], *, seconds: float = 120) -> list[Outcome]:
    """Start processes, wait until each has called `gather()`, let them go at the same moment."""
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for command in commands
    ]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outcomes = []
    for process in processes:
        output, complaint = process.communicate(timeout=seconds)
        outcomes.append(Outcome(process.returncode, output, complaint))
    return outcomes
