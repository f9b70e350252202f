"""Rules in what people say: "never", "always", "prefer", "use X instead"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdfast.tasks.store.rules import RuleType, alike

LEAST_CONFIDENCE = 0.3

_SIGNS: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), weight)
    for pattern, weight in (
        (r"\bnever\b", 0.9),
        (r"\balways\b", 0.9),
        (r"\bmust( not)?\b", 0.8),
        (r"\bremember( to| that)?\b", 0.7),
        (r"\b(don't|do not|dont)\b", 0.7),
        (r"\bavoid\b", 0.7),
        (r"\buse\b.+\binstead\b", 0.7),
        (r"\bprefer\b", 0.6),
        (r"\bshould(n't| not)?\b", 0.5),
        (r"\bfrom now on\b", 0.8),
    )
)
_HEDGES = re.compile(r"\b(maybe|perhaps|might|not sure|i think|could)\b|\?\s*$", re.IGNORECASE)
_TOPIC_WORDS: tuple[tuple[RuleType, str], ...] = (
    ("testing", "tests?|testing|coverage|assert|mocks?|fixtures?|pytest"),
    ("git", "commits?|branch(es)?|git|merge|rebase|push|pull requests?"),
    ("security", "passwords?|secrets?|tokens?|keys?|credentials?|security|injection|sanitiz\\w+"),
    ("performance", "performance|slow|fast|cache|memory|latency|queries|n\\+1"),
    ("coding", "functions?|class(es)?|types?|names?|naming|style|imports?|comments?|code|variables?|any"),
)
_TOPICS = tuple((kind, re.compile(rf"\b({words})\b", re.IGNORECASE)) for kind, words in _TOPIC_WORDS)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Detected:
    """Something that sounds like a rule."""

    type: RuleType
    text: str
    confidence: float


def detect(feedback: str) -> list[Detected]:
    """Return what in a text sounds like a rule, the surest first, each once."""
    found: list[Detected] = []
    for sentence in _SENTENCES.split(feedback):
        text = " ".join(sentence.split()).lstrip("-*• ").strip()
        confidence = _confidence(text)
        if confidence >= LEAST_CONFIDENCE and not any(alike(text, item.text) for item in found):
            found.append(Detected(_topic(text), text, confidence))
    return sorted(found, key=lambda item: -item.confidence)


def _confidence(text: str) -> float:
    """Return the weight of the strongest sign, less when the sentence hedges, more when there are several."""
    weights = sorted((weight for sign, weight in _SIGNS if sign.search(text)), reverse=True)
    if not weights:
        return 0.0
    confidence = weights[0] + 0.05 * (len(weights) - 1)
    if _HEDGES.search(text):
        confidence /= 2
    return round(min(confidence, 1.0), 2)


def _topic(text: str) -> RuleType:
    return next((kind for kind, topic in _TOPICS if topic.search(text)), "custom")
