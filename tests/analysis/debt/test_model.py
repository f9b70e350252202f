from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.analysis.debt.model import shipped_model

SENTENCES: dict[str, float] = json.loads(
    Path(__file__).with_name("sentences.json").read_text(encoding="utf-8")
)
"""Sentences, and what scikit-learn said of them when the shipped model was trained."""


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_shipped_model_says_what_the_training_said(sentence):
    assert shipped_model().probability(sentence) == pytest.approx(SENTENCES[sentence], abs=0.003)


def test_the_recorded_sentences_are_on_both_sides_of_the_threshold():
    threshold = shipped_model().threshold
    above = [sentence for sentence, probability in SENTENCES.items() if probability >= threshold]
    assert 4 <= len(above) <= len(SENTENCES) - 4


def test_length_does_not_break_the_score():
    assert 0 <= shipped_model().probability("should be fixed ??? " * 5000) <= 1
