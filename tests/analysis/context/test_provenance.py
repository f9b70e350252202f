from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from holdfast.analysis.context.provenance import NO_RECORD, provenance_of
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from tests.conftest import RunHoldfast


def record(files: dict[str, str]) -> str:
    listed = [
        {"path": path, "template": "template://x", "checksum": hashlib.sha256(text.encode()).hexdigest()}
        for path, text in files.items()
    ]
    return json.dumps({"format": 1, "toolchain": "go", "variant": "cli", "parameters": {}, "files": listed})


@pytest.mark.requirement("analysis-118")
def test_drift_is_measured_against_what_the_scaffold_wrote(
    repository: Path, run_holdfast: RunHoldfast
) -> None:
    run_holdfast("scaffold", "python-uv", "kelp", "--write", str(repository / "kelp"), check=True)
    tree = Tree(Repository.at(repository))
    found, reason = provenance_of(tree, "kelp", [], 10)
    assert reason is None
    assert found is not None
    assert found.toolchain == "python-uv"
    assert found.drift_analysis.drift_score == 0.0
    assert found.drift_analysis.unchanged_files == found.drift_analysis.scaffolded_files > 1
    readme = repository / "kelp" / "README.md"
    readme.write_text("changed", encoding="utf-8")
    (repository / "kelp" / ".gitignore").unlink()
    found, _ = provenance_of(tree, "kelp", ["kelp/new.py"], 10)
    assert found is not None
    drift = found.drift_analysis
    assert (drift.modified_files, drift.deleted_files) == (["kelp/README.md"], ["kelp/.gitignore"])
    assert drift.added_files == ["kelp/new.py"]
    assert drift.drift_score == round(2 / drift.scaffolded_files, 3)


def test_without_a_record_nothing_is_said_about_drift(repository: Path) -> None:
    assert provenance_of(Tree(Repository.at(repository)), "", [], 10) == (None, NO_RECORD)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 2}', record({}).replace("go", "\\ud800")[:-1]])
def test_a_record_that_is_none_is_said_to_be_unreadable(repository: Path, text: str) -> None:
    (repository / ".scaffold.json").write_text(text, encoding="utf-8")
    found, reason = provenance_of(Tree(Repository.at(repository)), "", [], 10)
    assert found is None
    assert reason == ".scaffold.json is not a valid record of a scaffold"


def test_a_record_that_points_outside_leads_nowhere(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (repository / ".scaffold.json").write_text(record({"../secret": "secret"}), encoding="utf-8")
    found, _ = provenance_of(Tree(Repository.at(repository)), "", [], 10)
    assert found is not None
    assert found.drift_analysis.deleted_files == ["../secret"]
