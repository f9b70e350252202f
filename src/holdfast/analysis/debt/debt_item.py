"""Debt items: the technical debt that the comments of a scan admit, with its place, severity and certainty.

A passage with a marker is a certain item. Other passages are items if the model, which judges only prose,
considers them probable enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from holdfast.analysis.debt.marker import SEVERITIES, Category, Marker, Severity, marker_in
from holdfast.analysis.debt.model import shipped_model
from holdfast.analysis.debt.passage import Passage, passages
from holdfast.analysis.debt.prose import is_prose
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis
from holdfast.kernel.call import current_call
from holdfast.kernel.text import shorten
from holdfast.syntax.record import Record

Certainty = Literal["certain", "probable"]
PROBABLE_SEVERITY: Severity = "Low"
"""The severity of items without a marker: a convention, as only markers tell severities apart."""
_MAX_TEXT_CHARACTERS = 300
"""Characters of an item's text: a judgement, some three lines are enough to recognise a comment."""

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
"""Stems and words that suggest the category of an item without a marker; the first that occurs decides."""


@dataclass(frozen=True)
class DebtItem:
    """A comment that admits technical debt."""

    category: Category
    severity: Severity
    certainty: Certainty
    text: str
    file: str
    line: int
    column: int
    marker: str | None = None
    """The marker in its usual spelling; None for probable items."""
    probability: float | None = None
    """The model's estimate; None for certain items."""

    @property
    def order(self) -> tuple[int, str, str, int, int]:
        """A sort key: by severity, then certain before probable, then by place."""
        return SEVERITIES.index(self.severity), self.certainty, self.file, self.line, self.column


def debt_items(scan: Scan, threshold: float) -> list[DebtItem]:
    """Return the items with a marker, and those that are at least as probable, the most severe first."""
    call, items = current_call(), list[DebtItem]()
    for done, (path, record) in enumerate(scan.files.items()):
        call.progress(done, len(scan.files), "files searched for debt")
        items += file_debt(path, record, threshold)
    return sorted(items, key=lambda item: item.order)


def certain_items(room: Analysis, scan: Scan) -> list[DebtItem]:
    """Return the items with a marker, the most severe first; cached by file."""
    by_file = room.cached_by_file(
        "certain debt items",
        scan,
        lambda path, record: [asdict(item) for item in file_debt(path, record, None)],
        on_disk=True,
    )
    items = (DebtItem(**item) for items in by_file.values() for item in items)
    return sorted(items, key=lambda item: item.order)


def new_items(items: Iterable[DebtItem], base: BaseCommit, threshold: float | None) -> list[DebtItem]:
    """Return the items that the base lacks.

    Items are compared by text. If a text occurs more often in a file than at the base, the last ones are new.
    """
    by_file: dict[str, list[DebtItem]] = {}
    for item in items:
        by_file.setdefault(item.file, []).append(item)
    new: list[DebtItem] = []
    for path, former_record in base.changed_records(by_file):
        former_items = file_debt(path, former_record, threshold) if former_record else ()
        former_texts = Counter(item.text for item in former_items)
        for item in by_file[path]:
            if former_texts[item.text]:
                former_texts[item.text] -= 1
            else:
                new.append(item)
    return sorted(new, key=lambda item: item.order)


def probability_threshold(wanted: float | None) -> float:
    """Return the minimum probability of an item: the requested one, or the model's own threshold."""
    return shipped_model().threshold if wanted is None else wanted


def file_debt(path: str, record: Record, threshold: float | None) -> Iterator[DebtItem]:
    """Yield the debt items of one file: the certain ones, and with a threshold those at least as probable."""
    for passage in passages(record.comments):
        certain = list(_marked_items(path, passage))
        yield from certain
        if not certain and threshold is not None and is_prose(passage):
            text = passage.text
            probability = shipped_model().probability(text)
            if probability >= threshold:
                first_line = next(line for line in passage.lines if line.text)
                yield DebtItem(
                    category=_category(text),
                    severity=PROBABLE_SEVERITY,
                    certainty="probable",
                    text=shorten(text, _MAX_TEXT_CHARACTERS, tidy=True),
                    file=path,
                    line=first_line.line,
                    column=first_line.column,
                    probability=round(probability, 3),
                )


@dataclass
class _MarkedText:
    """A marker and the lines from it on that belong to its item."""

    marker: Marker
    line: int
    column: int
    lines: list[str]


def _marked_items(path: str, passage: Passage) -> Iterator[DebtItem]:
    """Yield an item for each marker of a passage; its text ends at a blank line or a documentation tag."""
    texts: list[_MarkedText] = []
    continues = False
    for line in passage.lines:
        if opening := marker_in(line.text):
            marker, offset = opening
            texts.append(_MarkedText(marker, line.line, line.column + offset, [line.text[offset:]]))
            continues = True
        elif not line.text or line.text.startswith("@"):
            continues = False
        elif continues:
            texts[-1].lines.append(line.text)
    for item in texts:
        yield DebtItem(
            category=item.marker.category,
            severity=item.marker.severity,
            certainty="certain",
            text=shorten(" ".join(item.lines), _MAX_TEXT_CHARACTERS, tidy=True),
            file=path,
            line=item.line,
            column=item.column,
            marker=item.marker.word,
        )


def _category(text: str) -> Category:
    """Return the category of an item without a marker, from the words in its text."""
    return next((category for category, words in _CATEGORIES if words.search(text)), "Design")
