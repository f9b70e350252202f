"""The folders of tests mirror those of the package: what tests a module is found without searching."""

from __future__ import annotations

from pathlib import Path

import holdfast
from tests.conftest import ROOT

PACKAGE = Path(holdfast.__file__).parent
OF_THE_WHOLE = {
    "bench", "clients", "conformance", "contract", "fuzz", "packaging", "project", "reliability", "security",
    "spec", "upgrades", "wire",
}  # fmt: skip
"""Folders of tests that concern more than one part."""


def test_every_folder_of_tests_is_a_folder_of_the_package_or_concerns_all_of_it():
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    assert len(folders) > len(OF_THE_WHOLE)
    strays = [folder for folder in folders if folder.parts and folder.parts[0] not in OF_THE_WHOLE]
    assert [str(folder) for folder in strays if not (PACKAGE / folder).is_dir()] == []
