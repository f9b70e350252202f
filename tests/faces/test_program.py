"""What messages tell people to type."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from holdfast.faces.program import program_in_shell
from tests.faces.http.running import HOLDFAST


def test_the_program_is_named_as_a_shell_finds_this_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program_in_shell() == shlex.quote(HOLDFAST)
    other = tmp_path / "holdfast"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    assert program_in_shell() == shlex.quote(HOLDFAST), "another installation"
    other.unlink()
    other.symlink_to(HOLDFAST)
    assert program_in_shell() == "holdfast"
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    other.unlink()
    assert program_in_shell() == "holdfast", "there is no program beside the interpreter"
