"""The dependency review fails when a package is affected, and when it could not be checked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT

HASH = "--hash=sha256:" + "1" * 64
LOCK = f"left-pad==1.0 \\\n    {HASH}\nright-pad==2.0 ; sys_platform == 'win32' \\\n    {HASH}\n"


@contextmanager
def advisories(affected: set[str]) -> Iterator[str]:
    """Answer as an advisory service does, with one advisory for each of these packages."""

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["package"]
            known = [{"id": "X-1", "summary": "Bad.", "affected": [{"package": asked, "ranges": []}]}]
            answer = json.dumps({"vulns": known} if asked["name"] in affected else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
        server.shutdown()


def audit(folder: Path, *options: str, path: str | None = None) -> tuple[int, str]:
    (folder / "lock").write_text(LOCK)
    programs = f"{path or Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "audit.py", "--lock", folder / "lock", *options],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PATH": programs, "HOME": str(folder), "NO_PROXY": "127.0.0.1"},
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("affected", "status", "words"),
    [
        ({"django"}, 0, "2 packages checked, 0 affected"),
        ({"django", "right-pad"}, 1, "right-pad: X-1"),
        (set(), 2, "NOT CHECKED: 0 of 2 packages"),
    ],
    ids=["none", "one, for another machine", "a service that knows of nothing"],
)
@pytest.mark.evidence("G7", "lock", "every package pinned and looked up")
def test_the_service_decides(tmp_path: Path, affected: set[str], status: int, words: str):
    with advisories(affected) as address:
        code, said = audit(tmp_path, "-s", "osv", "--osv-url", address)
    assert (code, words in said) == (status, True), said


@pytest.mark.evidence("G7", "lock", control="a service that cannot be reached, a package passed over")
def test_a_service_that_cannot_be_reached_is_a_failure(tmp_path: Path):
    code, said = audit(tmp_path, "-s", "osv", "--osv-url", "http://127.0.0.1:9/v1/query")
    assert (code, "NOT CHECKED: 2 of 2 packages" in said) == (2, True), said


@pytest.mark.evidence("G7", "lock", control="a service that cannot be reached, a package passed over")
def test_a_package_that_was_passed_over_is_a_failure_although_pip_audit_ends_with_0(tmp_path: Path):
    answer = {
        "dependencies": [
            {"name": "django", "version": "3.2.0", "vulns": [{"id": "X-1"}]},
            {"name": "left-pad", "version": "1.0", "vulns": []},
            {"name": "right-pad", "skip_reason": "not found"},
        ]
    }
    stand_in = tmp_path / "pip-audit"
    stand_in.write_text(f"#!/bin/sh\nprintf '%s' '{json.dumps(answer)}'\n")
    stand_in.chmod(0o755)
    code, said = audit(tmp_path, path=str(tmp_path))
    assert (code, "NOT CHECKED: 1 of 2 packages" in said, "right-pad" in said) == (2, True, True), said


@pytest.mark.evidence("G6", "package", "bandit with the project's settings")
@pytest.mark.evidence("G6", "package", control="a file with a shell, pickle and eval")
def test_bandit_runs_with_the_settings_of_the_project_and_would_find_something(tmp_path: Path):
    planted = tmp_path / "planted.py"
    planted.write_text(
        "import hashlib, subprocess\nhashlib.md5(b'x')\nsubprocess.call('/bin/ls', shell=True)\n"
    )
    command = [sys.executable, "-m", "bandit", "-q", "-c", ROOT / "pyproject.toml", "-f", "json", planted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert {one["test_id"] for one in json.loads(done.stdout)["results"]} == {"B324", "B602"}
    assert "bandit" in (ROOT / "scripts" / "check").read_text()


PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|PSF|MPL|HPND)\b")


def needed() -> set[str]:
    """Return every package that an installation without extras brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting, found = list(project["dependencies"]), set()
    while waiting:
        requirement = Requirement(waiting.pop())
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += distribution(name).requires or ()
    return found


def licence(name: str) -> str:
    about = distribution(name).metadata
    classifiers = [text for text in about.get_all("Classifier") or () if text.startswith("License")]
    return " ".join(filter(None, [about.get("License-Expression"), about.get("License"), *classifiers]))


def test_every_package_of_an_installation_has_a_permissive_licence():
    packages = needed()
    assert len(packages) > 40
    for name in sorted(packages):
        assert PERMISSIVE.search(licence(name)), (name, licence(name))
