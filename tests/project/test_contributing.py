"""The walk-through in CONTRIBUTING.md, executed as it stands."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import holdfast
from holdfast.faces.cli.application import run as run_command_line
from holdfast.faces.cli.host import Host
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import InvalidArguments, UnknownTool
from holdfast.kernel.registry import Registry, Selection
from tests.conftest import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = re.compile(r"^```python\n# (?P<path>\S+\.py)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```console\n\$ (?P<command>.*?)\n(?P<output>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The files of the walk-through, the package among them importable as part of ours."""
    blocks = list(FILES.finditer(TEXT))
    assert len(blocks) == TEXT.count("```python")
    for block in blocks:
        path = tmp_path / block["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block["code"], encoding="utf-8")
    for folder in ("glossary", "glossary/tools"):
        (tmp_path / f"src/holdfast/{folder}/__init__.py").write_text('"""The words a project uses."""\n')
    monkeypatch.setattr(holdfast, "__path__", [*holdfast.__path__, str(tmp_path / "src/holdfast")])
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("holdfast.glossary")]:
        del sys.modules[name]
    vars(holdfast).pop("glossary", None)


@pytest.fixture
def tool(built: Path) -> ModuleType:
    return importlib.import_module("holdfast.glossary.tools.define_term")


def room() -> object:
    return importlib.import_module("holdfast.glossary.store").Glossary()


def test_the_operation_runs_through_the_dispatcher(tool: ModuleType):
    dispatcher = Dispatcher(Registry([tool.glossary]), lambda name: room())
    operation = dispatcher.registry.operation("define_term")
    result = dispatcher.run(operation, {"term": "lease", "meaning": "A\u200b delivery."}, Call())
    assert result.wire() == {"term": "lease", "meaning": "A delivery.", "replaced": False}
    with pytest.raises(InvalidArguments, match='Did you mean "term"'):
        dispatcher.run(operation, {"trem": "lease", "meaning": "A delivery."}, Call())


def test_a_read_only_server_does_not_offer_it(tool: ModuleType):
    registry = Registry([tool.glossary], Selection(read_only=True))
    with pytest.raises(UnknownTool, match="define_term"):
        registry.operation("define_term")


def test_the_command_says_what_the_walk_through_shows(tool: ModuleType, capfd: pytest.CaptureFixture[str]):
    workspace = SimpleNamespace(room=lambda toolset: room(), close=lambda: None)
    host = Host.of(Registry([tool.glossary]), lambda start: workspace)
    shown = SESSION.search(TEXT)
    assert shown is not None
    for command in (shown["command"], tool.glossary.operations[0].example):
        assert run_command_line(shlex.split(command)[1:], host) == 0
        assert capfd.readouterr().out == shown["output"]


def test_the_test_of_the_walk_through_passes(built: Path, tool: ModuleType):
    path = built / "tests/glossary/tools/test_define_term.py"
    namespace: dict[str, object] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)
    tests = [value for name, value in namespace.items() if name.startswith("test_") and callable(value)]
    assert tests
    for test in tests:
        test()


def test_the_walk_through_is_written_as_our_code_is(built: Path):
    ruff = Path(sys.executable).with_name("ruff")
    shutil.copy(ROOT / "pyproject.toml", built)
    for command in (["format", "--check"], ["check"]):
        answer = subprocess.run([ruff, *command, "--no-cache"], capture_output=True, text=True, cwd=built)
        assert answer.returncode == 0, answer.stdout + answer.stderr
