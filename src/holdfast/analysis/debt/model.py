"""A logistic regression that estimates how probable it is that a passage without a marker admits a debt.

Its features are the words and word pairs (bigrams) of a passage; the same after replacing words with their
kind (`ugly` and `nasty` are one kind) and kinds with their sort; the length; and how much the passage looks
like code. `scripts/train_debt.py` trains the weights with the features computed here.
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

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\?+|!+|\.\.+")
_CODE = re.compile(r"[;{}=()]")
_CHARACTERS = 4000
"""A chosen bound: later text adds little to the decision."""


@dataclass(frozen=True)
class DebtModel:
    """The weights of the features, and the least probability at which a passage counts."""

    bias: float
    threshold: float
    kinds: Mapping[str, str]
    """The kind of each word that has one."""
    sorts: Mapping[str, str]
    weights: Mapping[str, float]

    def probability(self, text: str) -> float:
        """Return the probability that the text of a passage, without comment signs, admits a debt."""
        weights = self.weights
        known = [weights[name] for name in features(text, self.kinds, self.sorts) if name in weights]
        score = self.bias + (math.fsum(known) / math.sqrt(len(known)) if known else 0.0)
        return 1 / (1 + math.exp(-score))


def features(text: str, kinds: Mapping[str, str], sorts: Mapping[str, str]) -> set[str]:
    """Return the features of a text."""
    text = text[:_CHARACTERS]
    words = [word if word[0] not in "?!." else word[:2] for word in _WORD.findall(text.lower())]
    found = {*words, *_pairs(words)}
    of_kind = [kinds.get(word, word) for word in words]
    if of_kind != words:
        of_sort = [sorts.get(kind, kind) for kind in of_kind]
        present = sorted({sort for kind, sort in zip(of_kind, of_sort, strict=True) if kind != sort})
        found.update(of_kind, of_sort, _pairs(of_kind), _pairs(of_sort))
        found.update([f"{one}&{other}" for at, one in enumerate(present) for other in present[at + 1 :]])
        found.add(f"#sorts {len(present)}")
    found.add(f"#words {min(8, len(words).bit_length())}")
    found.add(f"#code {min(5, 40 * len(_CODE.findall(text)) // max(1, len(text)))}")
    return found


def _pairs(words: list[str]) -> list[str]:
    return [f"{one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True)]


@cache
def shipped_model() -> DebtModel:
    """Return the model that ships with the package."""
    packed = files("holdfast.analysis.debt").joinpath("model.json.gz").read_bytes()
    return DebtModel(**json.loads(gzip.decompress(packed)))
