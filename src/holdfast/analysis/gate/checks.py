"""The checks of a gate: each compares the report of one analysis with a threshold.

Contract: with a base, only what is new or worse counts. A check that was not measured never passes.
Exceptions propagate, and the gate reports them as failed checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from holdfast.analysis import reports
from holdfast.analysis.complexity.function_complexity import ComplexityCounting, FunctionComplexity
from holdfast.analysis.dead_code.dead_code_report import unused_finding
from holdfast.analysis.debt.debt_report import debt_finding
from holdfast.analysis.debt.marker import SEVERITIES
from holdfast.analysis.defects.defect_report import Prediction, defect_finding
from holdfast.analysis.defects.prediction import predictions
from holdfast.analysis.duplicates.clone import COPY_KINDS, CloneClass, CloneQuery, Fragment
from holdfast.analysis.duplicates.clone_report import CloneReport, clone_finding
from holdfast.analysis.duplicates.clones import find_clones
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule
from holdfast.analysis.engine.scan import FileScan, Project, Scan
from holdfast.analysis.engine.scope import AnalysisScope
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.analysis.gate.check_result import Breach, Status, Verdict
from holdfast.analysis.gate.settings import CheckName, GateSettings
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import COGNITIVE_RULE, COVERAGE_RULE, CYCLOMATIC_RULE

_CLONES = CloneQuery(COPY_KINDS)
"""Exact and renamed clones; looser matches do not count."""
_MIN_RISE = 0.01
"""How much a probability has to rise to count as riskier. The model is fitted to all files, so any change
shifts every probability a little; a smaller rise is not due to the file itself. A judgement, not measured."""


@dataclass(frozen=True)
class GateScope:
    """The code and settings that the checks apply to."""

    scope: AnalysisScope
    settings: GateSettings

    @property
    def scan(self) -> Scan:
        """The scan of the project."""
        return self.scope.scan

    @property
    def base(self) -> BaseCommit | None:
        """The commit to compare with; None if everything counts."""
        return self.scope.base

    @property
    def counted(self) -> str:
        """The suffix of a measure's name that says what counts."""
        return "" if self.base is None else ", new or worse than at the base"


class BaseRoom(Analysis):
    """An analysis room with the files of a commit, but the current history and caches."""

    def __init__(self, room: Analysis, base: BaseCommit) -> None:
        vars(self).update(vars(room))
        self._room, self._base = room, base

    def scan(self, project: Project, **more: Any) -> Scan:
        """Return the records of the files in the commit."""
        return self._base.scan(self._room.scan(project, **more))

    def scan_tokens(self, project: Project, **more: Any) -> FileScan[TokenStream]:
        """Return the tokens of the files in the commit."""
        return self._base.scan_tokens(self._room.scan_tokens(project, **more))


def _complexity(rule: FindingRule, gate: GateScope, threshold: float) -> Verdict:
    kind = "cyclomatic" if rule is CYCLOMATIC_RULE else "cognitive"
    verdict = Verdict("pass", f"highest {kind} complexity of a function{gate.counted}")
    files = gate.scan.files
    if not any(record.functions for record in files.values()):
        return verdict._replace(status="not_measured", reason="there are no functions")

    def value(each: FunctionComplexity) -> int:
        return each.cyclomatic if rule is CYCLOMATIC_RULE else each.cognitive

    if gate.base is None:
        found: Iterable[FunctionComplexity] = reports.complexity(gate.scope).functions
    else:
        pairs = ComplexityCounting().compared(files, gate.base)
        found = [new for new, old in pairs if old is None or value(new) > value(old)]
    if not found:
        return verdict._replace(reason="no function is new or more complex")
    above = sorted((each for each in found if value(each) > threshold), key=lambda each: -value(each))
    breaches = [Breach(_excess(rule, kind, each, value(each), threshold), value(each)) for each in above]
    return verdict.decided(max(map(value, found)), not breaches, breaches)


def _excess(
    rule: FindingRule, kind: str, measured: FunctionComplexity, value: int, threshold: float
) -> CodeFinding:
    name = measured.function.name
    message = f"{name}: {kind} complexity of {value} is over {threshold:g}."
    return CodeFinding(rule, "error", message, measured.file, measured.function.line, subject=name)


def _duplication(gate: GateScope, threshold: float) -> Verdict:
    verdict, new = Verdict("pass", "percentage of lines that are copies"), None
    if gate.base is not None:
        verdict = verdict._replace(measure=f"{verdict.measure}, of those that are new since the base")
        new = gate.base.new_lines(gate.scan.files)
        if not any(new.values()):
            return verdict._replace(reason="no line is new")
    found = find_clones(gate.scope.room, gate.scope.project, _CLONES, gate.scan)
    if not found.total_lines:
        return verdict._replace(status="not_measured", reason="there are no lines")
    if gate.base is None or new is None:
        copied, total = sum(found.duplicate_lines.values()), found.total_lines
        copies = [(clone, clone.fragments[0]) for clone in found.classes]
    else:
        total = sum(map(len, new.values()))
        copies = _new_copies(gate, found, new, gate.base)
        copied = len({(part.file, line) for _, part in copies for line in _lines(part) & new[part.file]})
    breaches = (
        Breach(clone_finding(clone, part), round(100 * len(_lines(part)) / total, 2))
        for clone, part in copies
    )
    return verdict.decided(round(100 * copied / total, 2), 100 * copied <= threshold * total, breaches)


def _new_copies(
    gate: GateScope, found: CloneReport, new: Mapping[str, frozenset[int]], base: BaseCommit
) -> list[tuple[CloneClass, Fragment]]:
    """Return the fragments with at least half of their lines new, of classes that had fewer at the base."""
    copies = [
        (clone, part)
        for clone in found.classes
        for part in clone.fragments
        if 2 * len(_lines(part) & new.get(part.file, frozenset())) >= len(_lines(part))
    ]
    if not copies:
        return []
    before = find_clones(BaseRoom(gate.scope.room, base), gate.scope.project, _CLONES)
    known = {clone.id: len(clone.fragments) for clone in before.classes}
    return [(clone, part) for clone, part in copies if len(clone.fragments) > known.get(clone.id, 0)]


def _lines(part: Fragment) -> frozenset[int]:
    return frozenset(range(part.start_line, part.end_line + 1))


def _coverage(gate: GateScope, threshold: float) -> Verdict:
    found = reports.coverage(gate.scope)
    verdict = Verdict("pass", "percentage of reported lines that tests ran", reason=found.reason)
    absent: Status = "fail" if gate.settings.require_coverage else "not_measured"
    damaged = [
        f"{report.path} cannot be read: {report.problem}" for report in found.reports if report.problem
    ]
    if damaged:
        return verdict._replace(status="fail", reason="; ".join(damaged))
    if found.percent is None:
        return verdict._replace(status=absent)
    parts = {path: file.parts for path, file in found.files.items()}
    uncounted = {"files are newer than the report on them": found.stale_files}
    if gate.base is not None:
        verdict = verdict._replace(measure=f"{verdict.measure}, of those that are new since the base")
        changed = gate.base.new_lines(gate.scan.files.keys())
        new = {path: lines for path, lines in changed.items() if lines}
        stale = {path for path in new if path in found.files and found.files[path].is_stale}
        parts = {path: parts[path].among(new[path]) for path in new.keys() & parts.keys() - stale}
        uncounted = {
            "changed files are newer than the report on them": len(stale),
            "changed files are in no report": len(new.keys() - found.files.keys()),
        }
    reason = ", ".join(f"{number} {what}" for what, number in uncounted.items() if number) or None
    covered, total = (sum(getattr(part, name) for part in parts.values()) for name in ("covered", "total"))
    if not total:
        nothing = verdict._replace(reason="no executable line is new")
        return nothing if reason is None else verdict._replace(status=absent, reason=reason)
    breaches = (
        Breach(
            CodeFinding(
                COVERAGE_RULE, "error", f"Tests ran {part.covered} of {part.total} lines.", path, subject=path
            ),
            round(100 * part.covered / part.total, 2),
        )
        for path, part in sorted(parts.items(), key=lambda item: (item[1].covered - item[1].total, item[0]))
        if 100 * part.covered < threshold * part.total
    )
    holds = 100 * covered >= threshold * total
    return verdict._replace(reason=reason).decided(round(100 * covered / total, 2), holds, breaches)


def _defects(gate: GateScope, threshold: float) -> Verdict:
    verdict = Verdict("pass", f"highest probability that a file needs a fix within a year{gate.counted}")
    base, unchanged = gate.base, "no changed file became riskier"
    changed = {} if base is None else base.new_lines(gate.scan.files)
    if base is not None and not changed:
        return verdict._replace(reason=unchanged)
    found = reports.defects(gate.scope).predictions
    if not found:
        return verdict._replace(status="not_measured", reason="there are no files to predict")
    if base is not None:
        found = _riskier(gate, base, tuple(each for each in found if each.file in changed))
    if not found:
        return verdict._replace(reason=unchanged)
    above = (each for each in found if each.probability > threshold)
    breaches = [Breach(defect_finding(each), each.probability) for each in above]
    return verdict.decided(found[0].probability, not breaches, breaches)


def _riskier(gate: GateScope, base: BaseCommit, found: tuple[Prediction, ...]) -> tuple[Prediction, ...]:
    """Return the files with a higher probability than at the base."""
    if not found:
        return ()
    room = BaseRoom(gate.scope.room, base)
    former = predictions(room, gate.scope.project, base.scan(gate.scan)).predictions
    before = {each.file: each.probability for each in former}
    return tuple(
        each
        for each in found
        if each.probability >= before.get(base.renames.get(each.file, each.file), -1) + _MIN_RISE
    )


def _debt(gate: GateScope, threshold: float) -> Verdict:
    severity = gate.settings.debt_severity
    items = reports.debt(gate.scope).items
    found = [item for item in items if item.order[0] <= SEVERITIES.index(severity)]
    breaches = (Breach(debt_finding(item), len(found)) for item in found)
    verdict = Verdict("pass", f"debt items in comments, {severity} or more severe{gate.counted}")
    return verdict.decided(len(found), len(found) <= threshold, breaches)


def _dead_code(gate: GateScope, threshold: float) -> Verdict:
    level = gate.settings.dead_code_confidence
    found = reports.dead_code(gate.scope).at_least(level).items
    breaches = (Breach(unused_finding(item), len(found)) for item in found)
    verdict = Verdict("pass", f"unused definitions and statements, confidence {level}{gate.counted}")
    return verdict.decided(len(found), len(found) <= threshold, breaches)


CHECKS: Mapping[CheckName, Callable[[GateScope, float], Verdict]] = {
    "complexity": partial(_complexity, CYCLOMATIC_RULE),
    "cognitive": partial(_complexity, COGNITIVE_RULE),
    "duplication": _duplication,
    "coverage": _coverage,
    "defects": _defects,
    "debt": _debt,
    "dead_code": _dead_code,
}
"""The checks, in the order in which results list them."""
