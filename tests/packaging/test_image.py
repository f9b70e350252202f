"""The Dockerfile, as far as it can be judged without an engine: what it copies, and what its build runs."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
from pathlib import Path

from holdfast import __version__
from holdfast.faces.cli.serve import parse_http_settings, serve_command
from tests.conftest import ROOT
from tests.packaging.conftest import OLDEST, clean_environment, install, run

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
INSTRUCTIONS = [
    tuple(line.split(maxsplit=1))
    for line in re.sub(r"\\\n", " ", TEXT).splitlines()
    if line and not line.startswith("#")
]
SECOND = [number for number, (name, _) in enumerate(INSTRUCTIONS) if name == "FROM"][1]
BUILD, FINAL = INSTRUCTIONS[:SECOND], INSTRUCTIONS[SECOND:]
ADMITTED = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]


def copies() -> list[tuple[list[str], str]]:
    parts = [shlex.split(rest) for name, rest in BUILD if name == "COPY"]
    return [(sources, target) for *sources, target in parts]


def test_all_that_is_copied_exists_and_is_sent_to_the_engine() -> None:
    for sources, _ in copies():
        for source in sources:
            assert (ROOT / source).exists(), source
            assert any(fnmatch.fnmatch(source, pattern) for pattern in ADMITTED), source
    assert (ROOT / ".dockerignore").read_text().splitlines()[0] == "*"


def test_it_serves_the_mounted_repository_and_not_as_root() -> None:
    said = dict(FINAL)
    assert said["USER"] != "root"
    assert said["WORKDIR"] == "/repository"
    assert "HOLDFAST_ROOT=/repository" in said["ENV"]
    assert json.loads(said["ENTRYPOINT"]) + json.loads(said["CMD"]) == ["holdfast", "serve"]
    assert any(name == "COPY" and rest.startswith("--from=build /opt/holdfast ") for name, rest in FINAL)


def test_the_commands_of_the_build_stage_work(environment, wheel: Path, tmp_path: Path) -> None:
    """They run with what is copied, under a root of their own where the dependencies are already."""
    for sources, target in copies():
        assert target == "./" or [target] == sources
        for source in sources:
            place = tmp_path / "source" / source
            place.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, place)
    (tmp_path / "tmp").mkdir()
    install(tmp_path / "opt" / "holdfast", OLDEST, wheel)
    path = f"{environment(OLDEST) / 'bin'}{os.pathsep}{os.environ['PATH']}"
    for name, rest in BUILD:
        if name == "RUN":
            command = re.sub(r"(?<![\w.])/(?=(tmp|wheels|opt)\b)", f"{tmp_path}/", rest)
            run("sh", "-c", command, cwd=tmp_path / "source", env=clean_environment(PATH=path))
    [built] = (tmp_path / "wheels").iterdir()
    assert built.read_bytes() == wheel.read_bytes()
    versions = (tmp_path / "tmp" / "versions.txt").read_text()
    assert "--hash" not in versions
    assert "\npydantic==" in versions
    done = run(tmp_path / "opt" / "holdfast" / "bin" / "holdfast", "--version")
    assert done.stdout == f"holdfast {__version__} (Python reader)\n"


def test_the_command_that_docs_name_for_http_is_accepted() -> None:
    text = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    [command] = re.findall(r"docker run (?:.*\\\n)*.*--http.*", text)
    words = shlex.split(command.replace("\\\n", " "))
    options = words[words.index("serve") + 1 :]
    with serve_command().make_context("serve", options) as context:
        given = context.params
    names = ("http", "public_url", "workers", "oauth_issuer", "oauth_audience", "oauth_keys")
    address = parse_http_settings(*(given[name] for name in names)).address
    exposed = dict(FINAL)["EXPOSE"]
    assert (address.host, str(address.port)) == ("0.0.0.0", exposed)
    assert words[words.index("--publish") + 1].endswith(f":{exposed}")
