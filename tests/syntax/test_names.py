"""The names of every language on a source written for the purpose.

Beside each sample stands what is expected of it, a line for each row; every line was judged by hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.syntax.languages import LANGUAGES, language_of
from holdfast.syntax.record import read_record
from tests.syntax.names import described

SAMPLES = sorted(
    path for path in (Path(__file__).parent / "names_samples").iterdir() if path.suffix != ".expected"
)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_names_are_those_found_by_hand(path):
    record = read_record(path.name, path.read_bytes())
    expected = path.with_name(path.name + ".expected").read_text(encoding="utf-8").splitlines()
    assert described(record.names) == expected
    assert record.broken is None


def test_every_language_has_a_sample_of_its_names():
    others = {language_of(path.name).name for path in SAMPLES}
    assert {language.name for language in LANGUAGES} - others == {
        "python"
    }  # has a module of tests of its own
