"""What all tests share: a repository of their own, the real command, and families that may be skipped.

A family is a group of tests that needs something this machine may not have. Its tests carry the
family's marker; where the thing is missing they are skipped with the reason, and when nothing of a
family ran at all the last lines of the run say so.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import hypothesis
import pytest

from holdfast.syntax.core.library import VARIABLE as READER_VARIABLE
from holdfast.syntax.core.library import is_found
from tests import forked
from tests.reliability import evidence
from tests.reliability.evidence import tally as tally
from tests.reliability.samples import SCALE
from tests.repositories import new_repository

# How long an example takes says more about the machine's other work than about ours.
for profile, number in (("small", 20), ("large", 100)):
    hypothesis.settings.register_profile(
        profile, max_examples=number, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
hypothesis.settings.load_profile("large" if SCALE else "small")

ROOT = Path(__file__).resolve().parent.parent
NODE_HOME = ROOT / ".cache" / "node"
NODE = NODE_HOME / "node_modules" / ".bin" / "node"
NODE_VERSION = (22, 19)

STARTED = pytest.StashKey[float]()

RunHoldfast = Callable[..., subprocess.CompletedProcess[str]]


def node_is_missing() -> str | None:
    if not NODE.exists():
        return "the MCP clients are not installed; ./scripts/test installs them where npm works"
    answer = subprocess.run([NODE, "--version"], capture_output=True, text=True)
    version = tuple(int(part) for part in re.findall(r"\d+", answer.stdout)[:2])
    return None if version >= NODE_VERSION else "Node is older than 22.19"


def strace_is_missing() -> str | None:
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "-o", os.devnull, sys.executable, "-c", ""], capture_output=True)
    return None if tried.returncode == 0 else "this process may not trace others"


def mounts_are_missing() -> str | None:
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    mount = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    tried = subprocess.run(mount, capture_output=True)
    return None if tried.returncode == 0 else "this process may not mount anything"


def postgres_is_missing() -> str | None:
    from tests.tasks import postgres

    return postgres.is_missing()


def chromium_is_missing() -> str | None:
    return None if shutil.which("chromium") else "Chromium is not installed"


def firefox_is_missing() -> str | None:
    return None if shutil.which("firefox-esr") else "Firefox ESR is not installed"


FAMILIES: dict[str, Callable[[], str | None]] = {
    "node": cache(node_is_missing),
    "strace": cache(strace_is_missing),
    "mounts": cache(mounts_are_missing),
    "postgres": cache(postgres_is_missing),
    "chromium": cache(chromium_is_missing),
    "firefox": cache(firefox_is_missing),
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    evidence.note(items)
    for item in items:
        if evidence.is_control(item):
            item.add_marker(pytest.mark.slow)
        for family, why_missing in FAMILIES.items():
            if item.get_closest_marker(family) is None:
                continue
            item.user_properties.append(("family", family))
            if reason := why_missing():
                item.add_marker(pytest.mark.skip(reason=f"{family}: {reason}"))


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all those that it waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system + forked.spent_seconds


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Start the module's fixtures anew before a test that is defined above the one that ran last.

    The tests of a module may share a repository and rely on their order in the file. A worker that takes over
    the last tests of a module, and then some of the earlier ones, would break that order.
    """
    item.stash[STARTED] = cpu_seconds()
    module = item.getparent(pytest.Module)
    if (
        module is None
        or not isinstance(nextitem, pytest.Item)
        or nextitem.getparent(pytest.Module) is not module
    ):
        return None
    if (nextitem.location[1] or 0) < (item.location[1] or 0):
        # Run it as if the next test were outside this module.
        return bool(item.ihook.pytest_runtest_protocol(item=item, nextitem=module.parent))
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    yield
    item.user_properties.append(("cpu_seconds", round(cpu_seconds() - item.stash[STARTED], 3)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    entries = [entry for group in terminalreporter.stats.values() for entry in group]
    reports = [entry for entry in entries if isinstance(entry, pytest.TestReport)]
    evidence.keep(reports)
    for family in FAMILIES:
        ours = [report for report in reports if ("family", family) in map(tuple, report.user_properties)]
        skipped = [report for report in ours if report.skipped]
        ran = any(report.failed or (report.when == "call" and report.passed) for report in ours)
        if skipped and not ran:
            reason = str(skipped[0].longrepr[2]).removeprefix(f"Skipped: {family}: ")
            terminalreporter.write_line(f"family {family} was skipped entirely: {reason}", yellow=True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, so that nothing of the machine's configuration is read."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_", "HOLDFAST_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def python_reader(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in Python, even if the compiled core is built."""
    monkeypatch.setenv(READER_VARIABLE, "python")


@pytest.fixture(params=["python", "compiled"])
def reader(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each of the two readers, by its name."""
    if request.param == "python":
        monkeypatch.setenv(READER_VARIABLE, "python")
    elif not is_found():
        pytest.skip("the compiled core is not built")
    return str(request.param)


@pytest.fixture
def repository(home: Path, tmp_path: Path) -> Path:
    """The work tree of a fresh git repository without commits."""
    return new_repository(tmp_path / "repository")


@pytest.fixture
def run_holdfast(repository: Path) -> RunHoldfast:
    """Run the installed `holdfast` command, in the repository unless told where."""
    command = Path(sys.executable).with_name("holdfast")

    def run(
        *arguments: str, cwd: Path = repository, check: bool = False, **more: object
    ) -> subprocess.CompletedProcess[str]:
        more = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 60, **more}
        return forked.run([command, *arguments], cwd=cwd, check=check, **more)  # type: ignore[arg-type]

    return run
