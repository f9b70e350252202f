"""The protocol's official conformance suite against our server over HTTP."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clients.node import run_node
from tests.conftest import NODE_HOME, ROOT

SUITE = NODE_HOME / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
REVISIONS = ["2025-11-25", "2026-07-28"]
EXTENSION_SCENARIOS = [
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
]
"""All but two: the suite itself skips `tasks-status-notifications`; `sep-2640-skills-directory` is only for
servers that declare it."""

pytestmark = [pytest.mark.node, pytest.mark.slow]


@contextmanager
def serving(repository: Path, *what: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.conformance.server", str(repository), *what]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(120)
        process.stdout.close()


def run_suite(url: str, revision: str, results: Path, *options: str) -> tuple[int, str]:
    arguments = ["server", "--url", url, "--requirements", revision, "-o", str(results), *options]
    run = run_node(SUITE, *arguments, check=False)
    return run.returncode, run.stdout + run.stderr


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.evidence("D9", "wire", "the official suite, {revision}")
def test_the_fixtures_pass_everything_a_revision_requires(
    repository: Path, tmp_path: Path, revision: str
) -> None:
    with serving(repository, "fixtures") as url:
        status, report = run_suite(url, revision, tmp_path / "results")
    assert status == 0, report[-3000:]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.evidence("D9", "wire", "the official suite, {revision}")
def test_the_real_toolsets_fail_only_what_needs_fixtures(
    repository: Path, tmp_path: Path, revision: str
) -> None:
    baseline = Path(__file__).parent / f"real-toolsets-{revision}.yml"
    with serving(repository) as url:
        status, report = run_suite(url, revision, tmp_path / "results", "--expected-failures", str(baseline))
    assert status == 0, report[-3000:]


@pytest.mark.evidence("D9", "wire", "the official suite, extensions")
def test_every_scenario_of_the_extensions_passes(repository: Path, tmp_path: Path) -> None:
    with serving(repository) as url:
        for scenario in EXTENSION_SCENARIOS:
            options = ("--scenario", scenario, "--spec-version", REVISIONS[1], "--force")
            run = run_node(
                SUITE, "server", "--url", url, *options, "-o", str(tmp_path / "results"), check=False
            )
            passed = re.search(r"Passed: (\d+)/(\d+), 0 failed, 0 warnings", run.stdout)
            assert passed, run.stdout[-3000:]
            assert int(passed[1]) == int(passed[2]) > 0, run.stdout[-3000:]


@pytest.mark.evidence("D9", "wire", control="a server that lacks a fixture")
def test_the_suite_notices_a_server_that_lacks_a_fixture(repository: Path, tmp_path: Path) -> None:
    with serving(repository) as url:
        status, report = run_suite(url, REVISIONS[0], tmp_path / "results")
    assert status == 1
    assert "tools-call-image" in report
