from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.names.catalogue import Identifier, NameCatalogue, catalogue
from holdfast.analysis.names.ranking import MIN_SCORE, NameComparison, ranking
from holdfast.analysis.names.subwords import subwords
from holdfast.syntax.record import read_record

NAMES = st.text(st.sampled_from("abcXYZ_19é"), min_size=1, max_size=12).filter(subwords)


def made(names):
    return NameCatalogue([Identifier(name, "Function", (("a.py", 1),)) for name in sorted(set(names))])


@given(st.lists(NAMES, min_size=1, max_size=20), NAMES)
def test_a_name_among_many_scores_as_it_does_alone(names, query):
    known = made(names)
    compared = NameComparison(known, query, phonetic=True)
    for row, name in enumerate(known.names):
        alone = NameComparison(made([name]), query, phonetic=True)
        assert compared.scores[row] == pytest.approx(alone.scores[0], abs=1e-5)
        assert compared.sounds[row] == pytest.approx(alone.sounds[0])


@given(NAMES, NAMES)
def test_similarity_goes_both_ways(one, other):
    there, back = (NameComparison(made([a]), b, phonetic=True) for a, b in ((one, other), (other, one)))
    assert there.scores[0] >= 0
    assert there.strings == pytest.approx(back.strings)
    assert there.vectors == pytest.approx(back.vectors, abs=1e-5)
    assert there.has_meaning.tolist() == back.has_meaning.tolist()


@given(st.lists(NAMES, min_size=1, max_size=30), NAMES, st.integers(1, 10))
def test_the_first_are_the_best_of_all_that_are_alike_enough(names, query, top):
    known = made(names)
    # As doubles with four digits: a score of 0.35 in single precision is a little less than 0.35.
    rounded = NameComparison(known, query, phonetic=False).scores.round(4)
    scores = [round(score, 4) for score in rounded.tolist()]
    matches, found = ranking(known, query, "functions", top, phonetic=False)
    best = sorted((score for score in scores if score >= MIN_SCORE), reverse=True)
    assert [match.score for match in matches] == pytest.approx(best[:top])
    assert found == len(best)


def test_names_in_batches_have_the_vectors_they_have_alone(monkeypatch):
    names = [f"read_{word}_value" for word in ("user", "file", "socket", "x", "total")]
    whole = made(names).vectors
    monkeypatch.setattr("holdfast.analysis.names.catalogue.NAMES_PER_BATCH", 2)
    assert np.allclose(made(names).vectors, whole)


def test_an_empty_project_has_no_match():
    assert ranking(made([]), "total", "all", 10, phonetic=True) == ([], 0)


def test_names_that_end_of_the_sound_of_one_letter_do_not_sound_alike():
    compared = NameComparison(made(["to", "two", "tea"]), "to", phonetic=True)
    assert dict(zip(("tea", "to", "two"), compared.sounds.tolist(), strict=True)) == {
        "tea": 0,
        "to": 1,
        "two": 0,
    }


def test_a_catalogue_has_definitions_and_what_functions_bind_without_wordless_names():
    record = read_record("a.py", b"LIMIT = 1\n\n\ndef area(width, _):\n    size = width\n    return size\n")
    assert record is not None
    found = catalogue(Scan({"a.py": record}, {}))
    assert [(each.name, each.kind, each.places) for each in found.identifiers] == [
        ("LIMIT", "Constant", (("a.py", 1),)),
        ("area", "Function", (("a.py", 4),)),
        ("size", "Local", (("a.py", 4),)),
        ("width", "Local", (("a.py", 4),)),
    ]
