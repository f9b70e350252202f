"""The debts that the comments of a scan admit, each with its place and certainty.

A passage that opens with a marker is certain. The model judges only passages like those it was trained on:
prose without a marker, and documentation only if it contains a marker word; no licences, commented-out code,
directives to tools or bare issue numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from holdfast.analysis.debt.marker import SEVERITIES, Category, Marker, Severity, opening_marker
from holdfast.analysis.debt.model import shipped_model
from holdfast.analysis.debt.passage import Passage, passages
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis
from holdfast.kernel.call import current_call
from holdfast.kernel.text import shorten
from holdfast.syntax.record import Record

Certainty = Literal["certain", "probable"]
PROBABLE_SEVERITY: Severity = "Low"
_TEXT_CHARACTERS = 300
"""Characters of an item that are shown: a chosen bound, some three lines."""

LICENCE = re.compile(
    r"(?i)\bcopyright\b|\(c\) ?\d{4}|\blicen[cs]ed (?:to|under)\b|\bSPDX-|\ball rights reserved\b"
)
_DIRECTIVE = re.compile(
    r"(?i)\s*(?:noqa|type: ?ignore|pylint|pragma|mypy|pyright|ruff|fmt|isort|flake8|nosec|yapf|black|bandit"
    r"|eslint|prettier|jshint|jslint|global |globals |tslint|@ts-|istanbul|c8 |biome|webpack|nolint|go:"
    r"|\+build|nosonar|noinspection|checkstyle|rubocop|frozen_string_literal|shellcheck|clang-format|swiftlint"
    r"|phpcs|phpstan|region\b|endregion\b|-\*-|vim?:|coding[:=]|\$\w+\$|https?://\S+\s*$"
    r"|(?:bug|issue|ticket) #?\d|i18n\[|\$?non-nls|\(?(?:non-)?javadoc\b)"
)
_CODE_LINE = re.compile(
    r"(?:[\w.$\[\]'\"]+ ?(?:[-+*/|&:]?=|<-) ?\S|@?[\w.$]+\(.*\)?,?$|(?:import|from|return|def|class"
    r"|func|fn|var|let|const|public|private|static|elif|else|#include|except|raise|print) ?.*[\w)\]:'\"]$"
    r"|[)\]}]|>>> |\$ |</?\w+)"
)
_TAG = re.compile(r"(?i)\b(?:todo|fixme|xxx|hack)\b")
_PROSE = re.compile(r"\b[A-Za-z']{2,30} [A-Za-z']{2,30} [A-Za-z']{2,}")
_CATEGORIES: tuple[tuple[Category, re.Pattern[str]], ...] = (
    ("Security", re.compile(r"(?i)\b(?:security|insecure|vulnerab|exploit|injection)")),
    (
        "Performance",
        re.compile(r"(?i)\b(?:slow|performance|inefficien|optimi[sz]|expensive|overhead|faster)"),
    ),
    ("Test", re.compile(r"(?i)\b(?:tests?|untested|test ?cases?|flaky)\b")),
    (
        "Defect",
        re.compile(
            r"(?i)\b(?:bugs?|buggy|broken|wrong|incorrect|fails?|crash|leaks?|does(?:n't| not) work)\b"
        ),
    ),
    ("Requirement", re.compile(r"(?i)\b(?:implement|support|missing|not yet|unfinished|incomplete|handle)")),
)


@dataclass(frozen=True)
class DebtItem:
    """A debt that a comment admits."""

    category: Category
    severity: Severity
    certainty: Certainty
    text: str
    file: str
    line: int
    column: int
    marker: str | None = None
    probability: float | None = None
    """By the model, for probable items."""

    @property
    def order(self) -> tuple[int, str, str, int, int]:
        """Sorts by severity, then certain before probable, then by place."""
        return SEVERITIES.index(self.severity), self.certainty, self.file, self.line, self.column


def debt_items(scan: Scan, *, probable: bool = True, min_probability: float | None = None) -> list[DebtItem]:
    """Return the debts that the comments of a scan admit, in order."""
    call, found = current_call(), list[DebtItem]()
    lowest = probability_threshold(min_probability) if probable else None
    for done, (path, record) in enumerate(scan.files.items()):
        call.progress(done, len(scan.files), "files searched for debt")
        found += file_debt(path, record, lowest)
    return sorted(found, key=lambda item: item.order)


def certain_debts(room: Analysis, scan: Scan) -> list[DebtItem]:
    """Return the debts that a marker shows, the gravest first; cached by file."""
    found = room.cached_by_file("certain debts", scan, lambda path, record: (*file_debt(path, record, None),))
    return sorted((item for items in found.values() for item in items), key=lambda item: item.order)


def new_items(items: Iterable[DebtItem], base: BaseCommit, lowest: float | None) -> list[DebtItem]:
    """Return the items that the base lacks. If a text occurs more often than before, the later ones are
    new."""
    found: dict[str, list[DebtItem]] = {}
    for item in items:
        found.setdefault(item.file, []).append(item)
    new: list[DebtItem] = []
    for path, before in base.changed(found):
        known = Counter(item.text for item in (file_debt(path, before, lowest) if before else ()))
        for item in found[path]:
            if known[item.text]:
                known[item.text] -= 1
            else:
                new.append(item)
    return sorted(new, key=lambda item: item.order)


def probability_threshold(wanted: float | None) -> float:
    """Return the least probability of an item: the requested one, or the model's own threshold."""
    return shipped_model().threshold if wanted is None else wanted


def file_debt(path: str, record: Record, lowest: float | None) -> Iterator[DebtItem]:
    """Yield the debts of one file: the certain ones, and those at least as probable as `lowest` unless it is
    None."""
    for passage in passages(record.comments):
        certain = list(_certain(path, passage))
        yield from certain
        if not certain and lowest is not None and is_prose(passage):
            text = passage.text
            probability = shipped_model().probability(text)
            if probability >= lowest and LICENCE.search(text) is None:
                at = next(line for line in passage.lines if line.text)
                yield DebtItem(
                    category=_category(text),
                    severity=PROBABLE_SEVERITY,
                    certainty="probable",
                    text=shorten(text, _TEXT_CHARACTERS, tidy=True),
                    file=path,
                    line=at.line,
                    column=at.column,
                    probability=round(probability, 3),
                )


def is_prose(passage: Passage) -> bool:
    """Return whether a passage is like those that the model was trained on."""
    written = [line.text for line in passage.lines if line.text]
    if not written or _DIRECTIVE.match(written[0]):
        return False
    if passage.documentation and not any(map(_TAG.search, written)):
        return False
    return sum(map(_is_code, written)) * 2 <= len(written)


def _is_code(line: str) -> bool:
    return (line[-1] in ";{}" or _CODE_LINE.match(line) is not None) and _PROSE.search(line) is None


def _certain(path: str, passage: Passage) -> Iterator[DebtItem]:
    opened: list[tuple[Marker, int, int, list[str]]] = []
    continues = False
    for line in passage.lines:
        if found := opening_marker(line.text):
            marker, at = found
            opened.append((marker, line.line, line.column + at, [line.text[at:]]))
            continues = True
        elif not line.text or line.text.startswith("@"):
            continues = False
        elif continues:
            opened[-1][3].append(line.text)
    for (word, category, severity), number, column, lines in opened:
        text = shorten(" ".join(lines), _TEXT_CHARACTERS, tidy=True)
        yield DebtItem(category, severity, "certain", text, path, number, column, word)


def _category(text: str) -> Category:
    return next((category for category, words in _CATEGORIES if words.search(text)), "Design")
