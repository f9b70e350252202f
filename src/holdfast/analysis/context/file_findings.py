"""The findings in one file, from that file alone: fast enough to be shown with a task.

Other files are not read, so unused code is reported only if no other file can use it.
"""

from __future__ import annotations

from holdfast.analysis.complexity.complexity_report import complexity_report
from holdfast.analysis.dead_code.dead_code_report import unused_finding
from holdfast.analysis.dead_code.detection import find_dead_code
from holdfast.analysis.debt.debt_item import file_debt
from holdfast.analysis.debt.debt_report import debt_finding
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.file_reader import FileReader
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis
from holdfast.syntax.core.sections import PackedRecord

FILE_LOCAL_KINDS = frozenset({"import", "local", "unreachable"})
"""Kinds of code that other files cannot use."""


def findings_in_file(room: Analysis, path: str) -> list[CodeFinding]:
    """Return the findings in a file, the costliest first; none if it is not source code."""
    result = FileReader(room.repository.root).read(path)
    if result.parts is None:
        return []
    record = PackedRecord(result.parts)
    unused = [
        item
        for item in find_dead_code(room.resolution(Scan({path: record}, {path: result.size})))
        if item.level == "high" and item.kind in FILE_LOCAL_KINDS
    ]
    findings = [
        *complexity_report({path: record}).findings,
        *map(debt_finding, file_debt(path, record, None)),
        *map(unused_finding, unused),
    ]
    return sorted(findings, key=lambda finding: (-finding.minutes, finding.line or 0, finding.message))
