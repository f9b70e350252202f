"""The page's modules pass the type checker, and the type checker finds a wrong type."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import holdfast.faces.web
from tests.conftest import NODE_HOME

WEB = Path(holdfast.faces.web.__file__).parent
TYPE_CHECKER = NODE_HOME / "node_modules" / ".bin" / "tsc"


@pytest.mark.node
def test_a_wrong_type_in_a_module_is_found(tmp_path: Path) -> None:
    shutil.copytree(WEB / "static", tmp_path / "static")
    shutil.copy(WEB / "tsconfig.json", tmp_path)
    check: list[str | Path] = [TYPE_CHECKER, "--project", tmp_path]
    sound = subprocess.run(check, capture_output=True, text=True)
    assert sound.returncode == 0, sound.stdout
    module = tmp_path / "static" / "links.js"
    module.write_text(f"{module.read_text()}\nexport const wrong = codeAddress(1, 'first line');\n")
    refused = subprocess.run(check, capture_output=True, text=True)
    assert refused.returncode != 0
    assert "links.js" in refused.stdout
    assert "not assignable to parameter of type 'string'" in refused.stdout
