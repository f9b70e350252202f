from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.spec.manifest import Claim, UnreadableClaim, claims, requirements
from tests.spec.progress import open_requirements, table

A_REASON_OF_SUBSTANCE = 20


def test_every_requirement_that_is_due_has_a_test():
    waiting = open_requirements()
    assert not waiting, f"no test claims these:\n{waiting}"


def test_every_claim_names_a_requirement_of_the_manifest():
    known = {requirement.id for requirement in requirements()}
    assert [claim for claim in claims() if claim.id not in known] == []


def test_nothing_that_is_put_off_is_claimed_already():
    later = {requirement.id for requirement in requirements() if requirement.later is not None}
    assert [claim for claim in claims() if claim.id in later] == []


def test_whatever_is_put_off_or_differs_says_why():
    entries = [entry for entry in requirements() if entry.later is not None or entry.diverges is not None]
    assert entries
    for entry in entries:
        assert entry.later is None or entry.diverges is None, entry.id
        assert len(entry.later or entry.diverges or "") >= A_REASON_OF_SUBSTANCE, entry.id


def test_ids_are_unique_and_texts_are_sentences():
    entries = requirements()
    assert [name for name, count in Counter(entry.id for entry in entries).items() if count > 1] == []
    assert [entry.id for entry in entries if not entry.text.endswith(".")] == []


def test_claims_are_read_from_decorators_modules_classes_and_parameters(tmp_path: Path):
    (tmp_path / "test_example.py").write_text(
        "import pytest\n"
        "pytestmark = pytest.mark.requirement('a-1')\n"
        "@pytest.mark.requirement('a-2', 'a-3')\n"
        "def test_one(): ...\n"
        "@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.requirement('a-4'))])\n"
        "def test_two(n): ...\n"
        "class TestMany:\n"
        "    @pytest.mark.requirement('a-5')\n"
        "    def test_three(self): ...\n"
    )
    assert claims(tmp_path) == [
        Claim("a-1", "test_example.py"),
        Claim("a-2", "test_example.py::test_one"),
        Claim("a-3", "test_example.py::test_one"),
        Claim("a-4", "test_example.py::test_two"),
        Claim("a-5", "test_example.py::TestMany"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\n@pytest.mark.requirement(NAME)\ndef test_one(): ...\n",
        "import pytest\n@pytest.mark.requirement('a-1')\ndef helper(): ...\n",
    ],
)
def test_a_claim_that_cannot_be_read_is_refused(tmp_path: Path, text: str):
    (tmp_path / "test_example.py").write_text(text)
    with pytest.raises(UnreadableClaim):
        claims(tmp_path)


def test_the_progress_table_counts_every_requirement():
    *_, total = table().splitlines()
    assert sum(int(number) for number in total.split()[1:]) == len(requirements())
