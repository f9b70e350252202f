"""What is to be mended in one file, told from the file alone: quick enough to stand beside a task.

What others use of a file is not looked at: of code without use only what the file itself shows to be so.
"""

from __future__ import annotations

from holdfast.analysis.complexity.measure import Reading
from holdfast.analysis.complexity.thresholds import Thresholds
from holdfast.analysis.context.sections import owed, too_complex, useless
from holdfast.analysis.dead_code.analyser import dead_code
from holdfast.analysis.debt.debt_item import file_debt
from holdfast.analysis.engine.file_reader import FileReader
from holdfast.analysis.engine.measurements import Issue
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.engine.stored_record import StoredRecord
from holdfast.analysis.room import Analysis

SEEN_IN_THE_FILE = frozenset({"import", "local", "unreachable"})
"""Kinds of what nothing uses that other files have no part in."""


def file_issues(room: Analysis, path: str) -> list[Issue]:
    """Return what is to be mended in a file, the most costly first; nothing where it is no source."""
    outcome = FileReader(room.repository.root).read(path)
    if outcome.parts is None:
        return []
    record = StoredRecord(outcome.parts)
    over = Thresholds().violations(Reading().of(path, record))
    unused = [
        item
        for item in dead_code(room.resolution(Scan({path: record}, {path: outcome.size})))
        if item.level == "high" and item.kind in SEEN_IN_THE_FILE
    ]
    debts = file_debt(path, record, None)
    issues = [*map(too_complex, over), *map(owed, debts), *map(useless, unused)]
    return sorted(issues, key=lambda issue: (-issue.minutes, issue.finding.line or 0, issue.finding.message))
