"""The check of duplication: which share of the lines is copied, and which copies are new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.analysis.tools.test_quality_gate import asked, broken, check
from tests.storage.git_support import commit

BLOCK = (
    "def total(rows):\n    found = {}\n    for row in rows:\n        key = row['key']\n"
    "        if key in found:\n            found[key] += row['value']\n        else:\n"
    "            found[key] = row['value']\n    for key in list(found):\n        if not found[key]:\n"
    "            del found[key]\n    return sorted(found.items())\n"
)
LINES = BLOCK.count("\n")


def remarks(number: int, about: str) -> str:
    """Return lines that are like no others."""
    return "".join(f"# {about} {line}\n" for line in range(number))


@pytest.fixture
def copied(repository: Path) -> Path:
    """A repository in which a quarter of the lines are in two copies of a function."""
    commit(repository, {f"{name}.py": BLOCK + remarks(3 * LINES, name) for name in "ab"})
    return repository


def measured(where: Path, **arguments: Any) -> Any:
    return check(asked(where, **arguments), "duplication")


@pytest.mark.requirement("analysis-197")
def test_the_share_of_copied_lines_is_held_to_the_threshold(copied):
    found = measured(copied)
    assert (found.threshold, found.actual, found.status) == (5, 25, "fail")
    assert broken(asked(copied), "duplication") == [("a.py", 1, 12.5)]
    assert "b.py:1" in found.violations[0].message
    assert measured(copied, duplication_threshold=25).status == "pass"


def test_with_a_base_a_copy_of_unchanged_code_is_new_and_old_copies_are_not(copied):
    assert (measured(copied, since="HEAD").status, measured(copied, since="HEAD").actual) == ("pass", None)
    (copied / "c.py").write_text(BLOCK + remarks(LINES, "c"), encoding="utf-8")
    found = measured(copied, since="HEAD")
    assert (found.status, found.actual) == ("fail", 50)
    assert broken(asked(copied, since="HEAD"), "duplication") == [("c.py", 1, 50)]
    assert measured(copied, since="HEAD", count_all=True).actual == pytest.approx(30, abs=0.1)


def test_with_a_base_copies_that_were_edited_or_moved_are_not_new(copied):
    edited = BLOCK.replace("if not found[key]", "if found[key] is None") + remarks(3 * LINES, "a")
    (copied / "a.py").write_text(edited, encoding="utf-8")
    assert (measured(copied, since="HEAD").status, measured(copied, since="HEAD").actual) == ("pass", 0)
    (copied / "a.py").write_text(BLOCK + remarks(3 * LINES, "a"), encoding="utf-8")
    (copied / "b.py").write_text(remarks(3 * LINES, "b"), encoding="utf-8")
    (copied / "moved.py").write_text(BLOCK, encoding="utf-8")
    assert (measured(copied, since="HEAD").status, measured(copied, since="HEAD").actual) == ("pass", 0)
