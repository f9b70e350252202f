"""`holdfast analyze fleet`: many repositories, in processes and on a cluster, with the same bytes for all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.fleet.fleet_run import run_tasks
from holdfast.faces.cli.application import application, this_installation
from holdfast.faces.cli.fleet import (
    analyse_repository,
    analysis_commands,
    fleet_command,
    parse_shared_request,
)
from holdfast.faces.cli.groups import CommandGroup, first_sentence
from holdfast.storage.processes.pool import DaskCluster
from holdfast.toolsets import full_registry
from tests.analysis.fleet.workers import dies_once, task
from tests.conftest import RunHoldfast

FILES = ("fleet.json", "fleet.parquet", "fleet.html")
TEXT = "import os\n\n\ndef f(a):\n    # TODO: mend\n    return 1 if a else {}\n"  # hygiene: to be found


def made(place: Path, text: str) -> Path:
    """Return a repository with one commit, of always the same id."""
    place.mkdir(parents=True)
    (place / "a.py").write_text(text, encoding="utf-8")
    moment = "2026-01-02T03:04:05Z"
    variables = {**os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
    person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for arguments in (("init", "--quiet"), ("add", "."), (*person, "commit", "--quiet", "-m", "One")):
        subprocess.run(["git", "-C", str(place), *arguments], check=True, env=variables)
    return place


@pytest.fixture
def fleet(tmp_path: Path, home: Path) -> Path:
    """A folder with three repositories and a list of them."""
    for number, name in enumerate(("alpha", "beta", "gamma")):
        made(tmp_path / "all" / name, TEXT.format(number))
    (tmp_path / "list").write_text(
        "# ours\nall/gamma gamma\nall/alpha first\nall/beta beta\n", encoding="utf-8"
    )
    return tmp_path


def ran(run_holdfast: RunHoldfast, where: Path, *arguments: str, status: int = 0) -> dict[str, Any]:
    done = run_holdfast("analyze", "fleet", "list", "--json", *arguments, cwd=where)
    assert done.returncode == status, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told | {"stderr": done.stderr}


def contents(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in FILES]


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    document = json.loads((folder / "fleet.json").read_text(encoding="utf-8"))
    return {row["repository"]: row for row in document["repositories"]}


def test_every_repository_is_analysed_and_the_number_of_processes_changes_nothing(
    fleet: Path, run_holdfast: RunHoldfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_ROOT", "/nowhere")  # it is about repositories that the list names
    told = ran(run_holdfast, fleet, "--analysis", "debt", "--workers", "1", "--output", "one")
    assert told["totals"]["analysed"] == 3
    assert "3/3" in told["stderr"]
    ran(run_holdfast, fleet, "--analysis", "debt", "--workers", "3", "--output", "three")
    assert contents(fleet / "one") == contents(fleet / "three")
    found = rows(fleet / "one")
    assert list(found) == ["beta", "first", "gamma"]
    assert found["first"]["result"]["summary"]["total"] == 1
    assert str(fleet) not in (fleet / "one" / "fleet.json").read_text(encoding="utf-8")


def test_only_what_changed_is_run_again_and_arguments_reach_the_analysis(
    fleet: Path, run_holdfast: RunHoldfast
) -> None:
    asked = ("--workers", "1", "--analysis", "complexity", "--", "--max-cyclomatic", "1")
    assert ran(run_holdfast, fleet, *asked)["unchanged"] == 0
    before = contents(fleet / "fleet")
    assert rows(fleet / "fleet")["beta"]["result"]["thresholds"]["cyclomatic"]["error"] == 1
    assert ran(run_holdfast, fleet, *asked)["unchanged"] == 3
    assert contents(fleet / "fleet") == before
    (fleet / "all" / "beta" / "a.py").write_text("x = 1\n", encoding="utf-8")
    told = ran(run_holdfast, fleet, *asked)
    assert told["unchanged"] == 2
    assert "beta: analysed" in told["stderr"]
    assert "gamma: unchanged" in told["stderr"]
    assert rows(fleet / "fleet")["beta"]["result"]["summary"]["total_functions"] == 0
    assert ran(run_holdfast, fleet, "--again", *asked)["unchanged"] == 0
    assert ran(run_holdfast, fleet, *asked[:-1], "2")["unchanged"] == 0  # another question


def test_a_broken_repository_is_named_with_the_reason_and_the_others_are_there(
    fleet: Path, run_holdfast: RunHoldfast
) -> None:
    (fleet / "all" / "beta" / ".git" / "index").write_bytes(b"damaged")
    told = ran(run_holdfast, fleet, "--analysis", "complexity", status=1)
    assert (told["totals"]["analysed"], told["totals"]["failed"]) == (2, 1)
    row = rows(fleet / "fleet")["beta"]
    assert row["status"] == "failed"
    assert row["reason"]
    assert str(fleet) not in row["reason"]
    assert row["reason"] in told["stderr"]
    subprocess.run(["git", "-C", str(fleet / "all" / "beta"), "reset", "--quiet"], check=False)
    (fleet / "all" / "beta" / ".git" / "index").unlink(missing_ok=True)
    assert (
        ran(run_holdfast, fleet, "--analysis", "complexity")["unchanged"] == 2
    )  # only the failed one is new


def test_an_empty_list_gives_empty_reports(fleet: Path, run_holdfast: RunHoldfast) -> None:
    (fleet / "list").write_text("# nobody\n", encoding="utf-8")
    assert ran(run_holdfast, fleet, "--analysis", "debt")["totals"]["repositories"] == 0
    assert rows(fleet / "fleet") == {}
    assert (fleet / "fleet" / "fleet.html").exists()


@pytest.mark.parametrize(
    ("listed", "arguments", "words"),
    [
        ("all/alpha\nall/bta\n", ("--analysis", "debt"), "Line 2 of the list"),
        ("all/alpha\n", ("--analysis", "det"), 'Did you mean "debt"?'),
        ("all/alpha\n", ("--analysis", "debt", "--executor", "threads"), "is not an executor"),
        ("all/alpha\n", ("--analysis", "debt", "--", "--limit", "0"), "--limit"),
        ("all/alpha\n", ("--analysis", "debt", "--", "--root", "/"), "--root"),
        ("all/alpha\n", (), "--analysis"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_written(
    fleet: Path, run_holdfast: RunHoldfast, listed: str, arguments: tuple[str, ...], words: str
) -> None:
    (fleet / "list").write_text(listed, encoding="utf-8")
    done = run_holdfast("analyze", "fleet", "list", *arguments, cwd=fleet)
    assert done.returncode in (2, 3)
    assert words in done.stderr
    assert not (fleet / "fleet").exists()


def test_who_may_only_read_writes_no_report(fleet: Path, run_holdfast: RunHoldfast, monkeypatch) -> None:
    monkeypatch.setenv("HOLDFAST_READ_ONLY", "1")
    done = run_holdfast("analyze", "fleet", "list", "--analysis", "debt", cwd=fleet)
    assert done.returncode == 5
    assert not (fleet / "fleet").exists()


def test_an_interrupted_run_keeps_what_is_done_for_the_next(
    tmp_path: Path, home: Path, run_holdfast: RunHoldfast
) -> None:
    for number in range(150):
        (tmp_path / "all" / str(number)).mkdir(parents=True)
    (tmp_path / "list").write_text("".join(f"all/{number}\n" for number in range(150)), encoding="utf-8")
    command = [sys.executable, "-m", "holdfast", "analyze", "fleet", "list", "--analysis", "complexity"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert b"1/150" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"not run" in said
    found = rows(tmp_path / "fleet")
    assert {row["status"] for row in found.values()} == {"analysed", "not run"}
    done = [name for name, row in found.items() if row["status"] == "analysed"][:2]
    (tmp_path / "list").write_text("\n".join(done), encoding="utf-8")
    assert ran(run_holdfast, tmp_path, "--analysis", "complexity")["unchanged"] == len(done)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a scheduler with two workers, each a process."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made:
        yield str(made.scheduler_address).removeprefix("tcp://")


def test_a_cluster_gives_the_same_bytes_as_processes_and_resumes_what_they_did(
    fleet: Path, run_holdfast: RunHoldfast, cluster: str
) -> None:
    there = ("--executor", f"dask://{cluster}")
    ran(run_holdfast, fleet, "--analysis", "context", *there, "--output", "cluster")
    ran(run_holdfast, fleet, "--analysis", "context", "--output", "here")
    assert contents(fleet / "cluster") == contents(fleet / "here")
    assert ran(run_holdfast, fleet, "--analysis", "context", *there, "--output", "here")["unchanged"] == 3
    assert contents(fleet / "cluster") == contents(fleet / "here")


def test_a_worker_of_a_cluster_that_is_killed_midway_costs_no_repository(
    tmp_path: Path, cluster: str
) -> None:
    names = ["bad", "one", "two"]
    with DaskCluster(cluster) as where:
        tasks = [task(name, tmp_path) for name in names]
        told = {one.name: answer for one, answer in run_tasks(tasks, dies_once, where, 0)}
    assert told == {name: name for name in names}
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("analysis", analysis_commands())
def test_an_analysis_tells_the_same_of_the_same_repository(tmp_path: Path, home: Path, analysis: str) -> None:
    required = {"names": ("total",)}
    request = parse_shared_request(analysis, required.get(analysis, ()))
    root = str(made(tmp_path / "one", TEXT.format(1)))
    first, second = (
        analyse_repository(json.dumps({**request, "root": root, "cached_key": None})) for _ in range(2)
    )
    assert "result" in json.loads(first), first
    assert first == second


def test_no_server_offers_the_fleet() -> None:
    assert all("fleet" not in operation.name for operation in full_registry().operations)


def test_the_list_of_commands_says_what_the_page_says() -> None:
    group = application(this_installation()).entries["analyze"].make("analyze")
    assert isinstance(group, CommandGroup)
    assert group.entries["fleet"].summary == first_sentence(fleet_command().help or "")
