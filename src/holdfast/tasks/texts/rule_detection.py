"""Detects sentences in feedback that read like rules, such as `Always run the tests.`"""

from __future__ import annotations

import re

from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import Result
from holdfast.tasks.texts.rules import RuleType, is_similar

_MIN_CONFIDENCE = 0.3
"""A sentence with less confidence is not reported. A judgement: any indicator is enough, except a hedged
`should` (0.25)."""

_INDICATORS: tuple[tuple[re.Pattern[str], float], ...] = tuple(
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
"""Words that indicate a rule, each with the confidence it gives. A judgement: absolute words weigh most."""
_EXTRA_INDICATOR_WEIGHT = 0.05
"""Confidence that each further indicator adds. A judgement: several weak ones do not equal a strong one."""
_HEDGES = re.compile(r"\b(maybe|perhaps|might|not sure|i think|could)\b|\?\s*$", re.IGNORECASE)
_TOPIC_WORDS: tuple[tuple[RuleType, str], ...] = (
    ("testing", "tests?|testing|coverage|assert|mocks?|fixtures?|pytest"),
    ("git", "commits?|branch(es)?|git|merge|rebase|push|pull requests?"),
    ("security", "passwords?|secrets?|tokens?|keys?|credentials?|security|injection|sanitiz\\w+"),
    ("performance", "performance|slow|fast|cache|memory|latency|queries|n\\+1"),
    ("coding", "functions?|class(es)?|types?|names?|naming|style|imports?|comments?|code|variables?|any"),
)
"""For each rule type, the words from which it is guessed; the first type with a word in the rule applies."""
_TOPICS = tuple((kind, re.compile(rf"\b({words})\b", re.IGNORECASE)) for kind, words in _TOPIC_WORDS)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class DetectedOut(Result):
    """A sentence that reads like a rule."""

    type: RuleType
    text: UntrustedText
    confidence: float


def detect_rules(feedback: str) -> list[DetectedOut]:
    """Return the sentences of a text that read like rules, without similar ones, most confident first."""
    detected: list[DetectedOut] = []
    for sentence in _SENTENCE_END.split(feedback):
        text = " ".join(sentence.split()).lstrip("-*• ").strip()
        confidence = _confidence(text)
        if confidence >= _MIN_CONFIDENCE and not any(is_similar(text, item.text) for item in detected):
            matching = (kind for kind, topic in _TOPICS if topic.search(text))
            kind: RuleType = next(matching, "custom")
            detected.append(DetectedOut(type=kind, text=text, confidence=confidence))
    return sorted(detected, key=lambda item: -item.confidence)


def _confidence(text: str) -> float:
    """Return the weight of the strongest indicator, plus a little for each further one; halved if hedged."""
    weights = sorted((weight for pattern, weight in _INDICATORS if pattern.search(text)), reverse=True)
    if not weights:
        return 0.0
    confidence = weights[0] + _EXTRA_INDICATOR_WEIGHT * (len(weights) - 1)
    if _HEDGES.search(text):
        confidence /= 2
    return round(min(confidence, 1.0), 2)
