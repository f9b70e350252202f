"""A logistic regression that estimates how probable it is that a passage without a marker admits a debt.

The features of a passage are its words and bigrams; the same after replacing words with their kind (`ugly`
and `nasty` are of one kind), and after replacing kinds with their sort, which is a group of kinds; its
length; and how much it looks like code. `scripts/train_debt.py` trains the weights with the features computed
here.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations, pairwise

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\?+|!+|\.\.+")
_CODE = re.compile(r"[;{}=()]")
_MAX_CHARACTERS = 4000
"""Characters of a passage that are read: a judgement, as later text adds little to the decision."""


@dataclass(frozen=True)
class DebtModel:
    """A trained model: the weights of the features, and the words that its features group."""

    bias: float
    threshold: float
    """The minimum probability of a debt item."""
    kinds: Mapping[str, str]
    """The kind of each word that has one."""
    sorts: Mapping[str, str]
    """The sort of each kind that has one."""
    weights: Mapping[str, float]

    def probability(self, text: str) -> float:
        """Return the probability that a passage admits debt, from its text without comment delimiters."""
        score = self.bias
        names = features(text, self.kinds, self.sorts) & self.weights.keys()
        if names:
            score += math.fsum(self.weights[name] for name in names) / math.sqrt(len(names))
        return 1 / (1 + math.exp(-score))


def features(text: str, kinds: Mapping[str, str], sorts: Mapping[str, str]) -> set[str]:
    """Return the names of the features of a text."""
    text = text[:_MAX_CHARACTERS]
    words = [word if word[0] not in "?!." else word[:2] for word in _WORD.findall(text.lower())]
    found = {*words, *_bigrams(words)}
    word_kinds = [kinds.get(word, word) for word in words]
    if word_kinds != words:
        word_sorts = [sorts.get(kind, kind) for kind in word_kinds]
        present = sorted({sort for kind, sort in zip(word_kinds, word_sorts, strict=True) if kind != sort})
        found.update(word_kinds, word_sorts, _bigrams(word_kinds), _bigrams(word_sorts))
        found.update(f"{first}&{second}" for first, second in combinations(present, 2))
        found.add(f"#sorts {len(present)}")
    found.add(f"#words {min(8, len(words).bit_length())}")
    found.add(f"#code {min(5, 40 * len(_CODE.findall(text)) // max(1, len(text)))}")
    return found


def _bigrams(words: list[str]) -> list[str]:
    """Return the pairs of adjacent words, including those of the text's start `^` and end `$`."""
    return [f"{first} {second}" for first, second in pairwise(["^", *words, "$"])]


@cache
def shipped_model() -> DebtModel:
    """Return the model that ships with the package."""
    packed = files("holdfast.analysis.debt").joinpath("model.json.gz").read_bytes()
    return DebtModel(**json.loads(gzip.decompress(packed)))
