"""The checks of a gate: each compares the report of one analysis with a threshold.

Contract: with a base, only code that is new or worse than at the base is checked. A check that was not
measured never passes. Exceptions propagate to the gate, which reports a failed check.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

from holdfast.analysis import reports
from holdfast.analysis.complexity.function_complexity import ComplexityCounting, FunctionComplexity
from holdfast.analysis.coverage.coverage_report import CoverageReport
from holdfast.analysis.coverage.report_formats import CoverableParts
from holdfast.analysis.dead_code.dead_code_report import unused_finding
from holdfast.analysis.debt.debt_report import debt_finding
from holdfast.analysis.debt.marker import SEVERITIES
from holdfast.analysis.defects.defect_report import Prediction, defect_finding
from holdfast.analysis.defects.prediction import predictions
from holdfast.analysis.duplicates.clone import COPIES, Fragment, FragmentGroup
from holdfast.analysis.duplicates.clone_report import CloneReport, clone_finding
from holdfast.analysis.duplicates.clones import project_clones
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.code_finding import CodeFinding, FindingRule
from holdfast.analysis.engine.scan import FileScan, Project, Scan
from holdfast.analysis.engine.scope import AnalysisScope, RunOptions
from holdfast.analysis.engine.test_files import IN_TESTS
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.analysis.gate.check_result import Breach, Outcome, Status, Verdict
from holdfast.analysis.gate.settings import CheckName, GateSettings
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import COGNITIVE_RULE, COVERAGE_RULE, CYCLOMATIC_RULE

_MIN_PROBABILITY_RISE = 0.01
"""How much higher than at the base a file's probability must be to count as worse: a judgement. The model is
adapted to all files, so any change shifts every probability a little."""

Item = TypeVar("Item")
Judge = Callable[[list[Item]], Outcome]
"""Compares what was measured in a part of the code with the threshold."""


class GateScope(AnalysisScope):
    """The code to check, and the settings of the gate. Without a base, all code is checked."""

    def __init__(self, room: Analysis, scan: Scan, options: RunOptions, settings: GateSettings) -> None:
        super().__init__(room, scan, options)
        self.settings = settings

    @property
    def measure_suffix(self) -> str:
        """What to append to the name of a measure: which code is checked."""
        return self.code_suffix + self.base_suffix

    @property
    def base_suffix(self) -> str:
        """What to append to the name of a measure if only new or worse code is checked."""
        return "" if self.base is None else ", new or worse than at the base"

    @property
    def code_suffix(self) -> str:
        """What to append to the name of a measure if tests can only warn."""
        return "" if self.settings.fail_on_tests else ", outside tests"

    def only_warns(self, path: str) -> bool:
        """Return whether a file can only cause warnings, as tests, examples and documents do."""
        return not self.settings.fail_on_tests and bool(IN_TESTS.search(path))

    def decide(
        self, verdict: Verdict, items: Iterable[Item], path: Callable[[Item], str], judge: Judge[Item]
    ) -> Verdict:
        """Return the verdict on items, of which those in some files can only cause warnings."""
        code: list[Item] = []
        tests: list[Item] = []
        for item in items:
            (tests if self.only_warns(path(item)) else code).append(item)
        return verdict.decide(judge(code), judge(tests))


class BaseRoom(Analysis):
    """An analysis room that scans the files of a commit, but shares the history and caches of another
    room."""

    def __init__(self, room: Analysis, base: BaseCommit) -> None:
        vars(self).update(vars(room))  # shares all attributes: closing this room would close the other
        self._room, self._base = room, base

    def scan(self, project: Project, **options: Any) -> Scan:
        return self._base.scan(self._room.scan(project, **options))

    def scan_tokens(self, project: Project, **options: Any) -> FileScan[TokenStream]:
        return self._base.scan_tokens(self._room.scan_tokens(project, **options))


def _complexity(rule: FindingRule, gate: GateScope, threshold: float) -> Verdict:
    kind = "cyclomatic" if rule is CYCLOMATIC_RULE else "cognitive"
    verdict = Verdict("pass", f"highest {kind} complexity of a function{gate.measure_suffix}")
    files = gate.scan.files
    if not any(record.functions for record in files.values()):
        return verdict._replace(status="not_measured", reason="there are no functions")

    def value(function: FunctionComplexity) -> int:
        return function.cyclomatic if rule is CYCLOMATIC_RULE else function.cognitive

    if gate.base is None:
        functions: Iterable[FunctionComplexity] = reports.complexity(gate).functions
    else:
        pairs = ComplexityCounting().compare_with_base(files, gate.base)
        functions = [new for new, old in pairs if old is None or value(new) > value(old)]
    if not functions:
        return verdict._replace(reason="no function is new or more complex")

    def judge(functions: list[FunctionComplexity]) -> Outcome:
        above = [function for function in functions if value(function) > threshold]
        breaches = tuple(
            Breach(_complexity_finding(rule, kind, function, value(function), threshold), value(function))
            for function in sorted(above, key=lambda function: -value(function))
        )
        return Outcome(max(map(value, functions), default=None), not breaches, breaches)

    return gate.decide(verdict, functions, lambda function: function.file, judge)


def _complexity_finding(
    rule: FindingRule, kind: str, measured: FunctionComplexity, value: int, threshold: float
) -> CodeFinding:
    name = measured.function.name
    message = f"{name}: {kind} complexity of {value} is over {threshold:g}."
    return CodeFinding(rule, "error", message, measured.file, measured.function.line, subject=name)


class _CheckedCopies(NamedTuple):
    """The copies among the lines of a file that are checked."""

    path: str
    checked_lines: int
    copied_lines: int
    fragments: list[tuple[FragmentGroup, Fragment]]
    """The fragments to report, each with its clone group."""


def _duplication(gate: GateScope, threshold: float) -> Verdict:
    verdict = Verdict("pass", f"percentage of lines that are copies{gate.code_suffix}{_of_new_lines(gate)}")
    new_lines = {} if gate.base is None else gate.base.new_lines(gate.scan.files)
    if gate.base is not None and not any(new_lines.values()):
        return verdict._replace(reason="no line is new")
    report = reports.duplicates(gate)
    if not any(report.line_counts.values()):
        return verdict._replace(status="not_measured", reason="there are no lines")
    copies = (
        _all_copies(gate, report) if gate.base is None else _new_copies(gate, gate.base, report, new_lines)
    )

    def judge(files: list[_CheckedCopies]) -> Outcome:
        checked, copied = sum(file.checked_lines for file in files), sum(file.copied_lines for file in files)
        fragments = sorted(
            (item for file in files for item in file.fragments), key=lambda item: item[0].sort_key
        )
        breaches = tuple(
            Breach(clone_finding(group, fragment), _percent(len(_lines_of(fragment)), checked))
            for group, fragment in fragments
        )
        is_met = 100 * copied <= threshold * checked  # of the value before rounding
        return Outcome(_percent(copied, checked) if checked else None, is_met, breaches)

    return gate.decide(verdict, copies, lambda file: file.path, judge)


def _of_new_lines(gate: GateScope) -> str:
    return "" if gate.base is None else ", of those that are new since the base"


def _percent(part: int, total: int) -> float:
    return round(100 * part / total, 2)


def _all_copies(gate: GateScope, report: CloneReport) -> list[_CheckedCopies]:
    """Return the copies in all lines; a group is reported once, outside tests if it can be."""
    reported: defaultdict[str, list[tuple[FragmentGroup, Fragment]]] = defaultdict(list)
    for group in report.groups:
        fragment = min(group.fragments, key=lambda fragment: gate.only_warns(fragment.file))
        reported[fragment.file].append((group, fragment))
    return [
        _CheckedCopies(path, lines, report.duplicate_lines.get(path, 0), reported[path])
        for path, lines in report.line_counts.items()
    ]


def _new_copies(
    gate: GateScope, base: BaseCommit, report: CloneReport, new_lines: Mapping[str, frozenset[int]]
) -> list[_CheckedCopies]:
    """Return the copies in new lines: fragments of which at least half is new, of groups that grew."""

    def new_lines_of(fragment: Fragment) -> frozenset[int]:
        return _lines_of(fragment) & new_lines.get(fragment.file, frozenset())

    fragments = [
        (group, fragment)
        for group in report.groups
        for fragment in group.fragments
        if 2 * len(new_lines_of(fragment)) >= len(_lines_of(fragment))
    ]
    if fragments:
        base_room = BaseRoom(gate.room, base)
        base_tokens = base_room.scan_tokens(gate.project)
        base_report = project_clones(base_room, base_tokens, gate.project, COPIES)
        base_sizes = {group.id: len(group.fragments) for group in base_report.groups}
        fragments = [
            (group, fragment)
            for group, fragment in fragments
            if len(group.fragments) > base_sizes.get(group.id, 0)
        ]
    reported: defaultdict[str, list[tuple[FragmentGroup, Fragment]]] = defaultdict(list)
    for group, fragment in fragments:
        reported[fragment.file].append((group, fragment))
    return [
        _CheckedCopies(
            path,
            len(lines),
            len({line for _, fragment in reported[path] for line in new_lines_of(fragment)}),
            reported[path],
        )
        for path, lines in new_lines.items()
    ]


def _lines_of(fragment: Fragment) -> frozenset[int]:
    return frozenset(range(fragment.start_line, fragment.end_line + 1))


class _CheckedCoverage(NamedTuple):
    """The coverage of the lines that are checked."""

    parts: Mapping[str, CoverableParts]
    """By path of the file."""
    caveats: Mapping[str, int]
    """What makes the number less certain, with the number of files that it applies to."""


def _coverage(gate: GateScope, threshold: float) -> Verdict:
    report = reports.coverage(gate)
    measure = f"percentage of reported lines that tests ran{_of_new_lines(gate)}"
    verdict = Verdict("pass", measure, reason=report.reason)
    damaged = [f"{file.path} cannot be read: {file.problem}" for file in report.reports if file.problem]
    if damaged:
        return verdict._replace(status="fail", reason="; ".join(damaged))
    status_if_missing: Status = "fail" if gate.settings.require_coverage else "not_measured"
    if report.percent is None:
        return verdict._replace(status=status_if_missing)
    checked = _all_coverage(report) if gate.base is None else _new_coverage(gate, gate.base, report)
    reason = ", ".join(f"{count} {caveat}" for caveat, count in checked.caveats.items() if count) or None
    covered = sum(part.covered for part in checked.parts.values())
    total = sum(part.total for part in checked.parts.values())
    if not total and reason is None:
        return verdict._replace(reason="no executable line is new")
    if not total:
        return verdict._replace(status=status_if_missing, reason=reason)
    is_met = 100 * covered >= threshold * total  # of the value before rounding
    breaches = tuple(_coverage_breaches(checked.parts, threshold))
    return verdict._replace(reason=reason).decide(Outcome(_percent(covered, total), is_met, breaches))


def _all_coverage(report: CoverageReport) -> _CheckedCoverage:
    parts = {path: file.parts for path, file in report.files.items()}
    return _CheckedCoverage(parts, {"files are newer than the report on them": report.stale_files})


def _new_coverage(gate: GateScope, base: BaseCommit, report: CoverageReport) -> _CheckedCoverage:
    """Return the coverage of new lines, without stale files, whose lines may have moved since."""
    new_lines = {path: lines for path, lines in base.new_lines(gate.scan.files).items() if lines}
    reported = {path: report.files[path] for path in new_lines if path in report.files}
    parts = {
        path: file.parts.restrict_to(new_lines[path]) for path, file in reported.items() if not file.is_stale
    }
    caveats = {
        "changed files are newer than the report on them": sum(file.is_stale for file in reported.values()),
        "changed files are in no report": len(new_lines) - len(reported),
    }
    return _CheckedCoverage(parts, caveats)


def _coverage_breaches(parts: Mapping[str, CoverableParts], threshold: float) -> Iterator[Breach]:
    """Yield the files with less coverage than the threshold, the most untested lines first."""
    for path, part in sorted(parts.items(), key=lambda item: (item[1].covered - item[1].total, item[0])):
        if 100 * part.covered < threshold * part.total:
            message = f"Tests ran {part.covered} of {part.total} lines."
            finding = CodeFinding(COVERAGE_RULE, "error", message, path, subject=path)
            yield Breach(finding, _percent(part.covered, part.total))


def _defects(gate: GateScope, threshold: float) -> Verdict:
    suffix = gate.measure_suffix if gate.settings.fail_on_predictions else gate.base_suffix
    verdict = Verdict("pass", f"highest probability that a file needs a fix within a year{suffix}")
    base, no_riskier_file = gate.base, "no changed file became riskier"
    changed = {} if base is None else base.new_lines(gate.scan.files)
    if base is not None and not changed:
        return verdict._replace(reason=no_riskier_file)
    ranked = reports.defects(gate).predictions
    if not ranked:
        return verdict._replace(status="not_measured", reason="there are no files to predict")
    if base is not None:
        ranked = _riskier_files(gate, base, tuple(each for each in ranked if each.file in changed))
    if not ranked:
        return verdict._replace(reason=no_riskier_file)

    def judge(files: list[Prediction]) -> Outcome:
        above = (each for each in files if each.probability > threshold)
        breaches = tuple(Breach(defect_finding(each), each.probability) for each in above)
        return Outcome(files[0].probability if files else None, not breaches, breaches)

    if gate.settings.fail_on_predictions:
        return gate.decide(verdict, ranked, lambda each: each.file, judge)
    predicted = judge(list(ranked))
    return verdict.decide(Outcome(predicted.actual), predicted)


def _riskier_files(
    gate: GateScope, base: BaseCommit, ranked: tuple[Prediction, ...]
) -> tuple[Prediction, ...]:
    """Return the predictions with a higher probability than at the base, or for a new file."""
    if not ranked:
        return ()
    room = BaseRoom(gate.room, base)
    at_base = predictions(room, gate.project, base.scan(gate.scan)).predictions
    base_probabilities = {each.file: each.probability for each in at_base}

    def is_riskier(prediction: Prediction) -> bool:
        former_name = base.renames.get(prediction.file, prediction.file)
        return prediction.probability >= base_probabilities.get(former_name, -1) + _MIN_PROBABILITY_RISE

    return tuple(filter(is_riskier, ranked))


def _debt(gate: GateScope, threshold: float) -> Verdict:
    severity = gate.settings.debt_severity
    severities = SEVERITIES[: SEVERITIES.index(severity) + 1]
    items = [item for item in reports.debt(gate).items if item.severity in severities]
    verdict = Verdict("pass", f"debt items in comments, {severity} or more severe{gate.measure_suffix}")
    return gate.decide(verdict, items, lambda item: item.file, partial(_count, debt_finding, threshold))


def _dead_code(gate: GateScope, threshold: float) -> Verdict:
    level = gate.settings.dead_code_confidence
    items = reports.dead_code(gate).at_least(level).items
    verdict = Verdict("pass", f"unused definitions and statements, confidence {level}{gate.measure_suffix}")
    return gate.decide(verdict, items, lambda item: item.file, partial(_count, unused_finding, threshold))


def _count(finding: Callable[[Item], CodeFinding], threshold: float, items: list[Item]) -> Outcome:
    """Compare the number of items with the threshold."""
    breaches = tuple(Breach(finding(item), len(items)) for item in items)
    return Outcome(len(items), len(items) <= threshold, breaches)


CHECKS: Mapping[CheckName, Callable[[GateScope, float], Verdict]] = {
    "complexity": partial(_complexity, CYCLOMATIC_RULE),
    "cognitive": partial(_complexity, COGNITIVE_RULE),
    "duplication": _duplication,
    "coverage": _coverage,
    "defects": _defects,
    "debt": _debt,
    "dead_code": _dead_code,
}
