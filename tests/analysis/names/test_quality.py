from __future__ import annotations

import pytest

from holdfast.analysis.names.quality import are_unclear, name_quality
from holdfast.analysis.names.subwords import subwords
from holdfast.syntax.record import read_record


def quality(source):
    record = read_record("a.py", source.encode())
    assert record is not None
    return name_quality(record)


@pytest.mark.parametrize("name", ["q", "tmp", "foo", "x1", "tmp2", "obj_3", "ab12"])
def test_letters_placeholders_and_numbered_stems_are_unclear(name):
    assert are_unclear(subwords(name))


@pytest.mark.parametrize(
    "name", ["i", "x", "total", "tmp_folder", "sha256_sum", "version2", "data2thing", "ctx"]
)
def test_customary_letters_and_words_are_clear(name):
    assert not are_unclear(subwords(name))


def test_quality_is_the_share_of_clear_names_of_definitions_parameters_and_variables():
    assert quality("def total(prices):\n    tmp = q = 0\n    return tmp + q\n") == 0.5
    assert quality("def total(prices):\n    result = 0\n    return result\n") == 1.0


def test_names_that_say_they_are_not_used_do_not_count():
    assert quality("def total(_):\n    return 1\n") == 1.0


def test_a_file_without_names_has_no_quality():
    assert quality("print(1)\n") is None
