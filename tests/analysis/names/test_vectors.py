from __future__ import annotations

import io

import numpy as np
import pytest

from holdfast.analysis.names.vectors import Vectors, ngrams, shipped_vectors, unit


def near(one, other):
    left, right = unit(shipped_vectors()([one, other]))
    return float(left @ right)


@pytest.mark.parametrize(
    ("word", "like", "unlike"),
    [
        ("calculate", "compute", "close"),
        ("remove", "delete", "width"),
        ("sum", "total", "socket"),
        ("cfg", "config", "color"),
        ("username", "user", "pixel"),
        ("begin", "start", "font"),
    ],
)
def test_words_that_mean_alike_are_nearer_than_others(word, like, unlike):
    assert near(word, like) > near(word, unlike) + 0.1


def test_an_unknown_word_is_near_the_word_it_is_made_of():
    assert "colourize" not in shipped_vectors().index
    assert near("colourize", "color") > near("colourize", "socket")


def test_numbers_and_words_of_other_scripts_have_no_vector():
    assert not shipped_vectors()(["256", "größe", "名前", ""]).any()


def test_pieces_mark_beginning_and_end():
    assert list(ngrams("ab")) == [b"<ab", b"ab>", b"<ab>", b"<ab>"]


def test_rows_come_out_as_they_were_stored():
    file = io.BytesIO()
    np.savez(
        file,
        words=np.frombuffer(b"one two", dtype=np.uint8),
        rows=np.array([[127, 0], [0, -127], [10, 10]], dtype=np.int8),
        scales=np.array([1 / 127, 2 / 127, 1], dtype=np.float32),
    )
    file.seek(0)
    found = Vectors(file)(["two", "one", "zzz"])
    assert found[:2].tolist() == [[0, -2], [1, 0]]
    assert found[2] == pytest.approx([2**-0.5, 2**-0.5])
