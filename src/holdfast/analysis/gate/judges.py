"""The judges of a gate: each measures one thing with the analysis that has it, and holds it to a threshold.

Contract: where there is a base only what is new or worse than there counts. What was not measured is said to
be so, and never passes. Whatever fails is raised, for the gate to count as failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from holdfast.analysis.complexity.measure import Measure, Reading
from holdfast.analysis.complexity.thresholds import COGNITIVE, CYCLOMATIC
from holdfast.analysis.coverage.coverage_report import coverage_of
from holdfast.analysis.dead_code.analyser import became_dead
from holdfast.analysis.dead_code.unused_code import LEAST
from holdfast.analysis.debt.debt_item import certain_debts, new_items
from holdfast.analysis.debt.marker import SEVERITIES
from holdfast.analysis.defects.prediction import kept_predictions, predictions
from holdfast.analysis.duplicates.clone import COPIES, CloneClass, CloneQuery, CloneReport, Fragment
from holdfast.analysis.duplicates.clones import find_clones
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import FileScan, Project, Scan
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.analysis.gate.check import Broken, Status, Verdict
from holdfast.analysis.gate.settings import CheckName, GateSettings
from holdfast.analysis.render.rules import COVERAGE, DEAD_CODE_RULES, DEBT_RULES, DEFECT_RULE, DUPLICATE_RULES
from holdfast.analysis.room import Analysis
from holdfast.storage.files.work_tree import Tree

_CLONES = CloneQuery(COPIES)
"""What counts as a copy: leads do not."""


@dataclass(frozen=True)
class Matter:
    """What is judged."""

    room: Analysis
    project: Project
    scan: Scan
    settings: GateSettings
    base: BaseCommit | None
    """None where everything counts."""

    @property
    def counted(self) -> str:
        """Return what counts, as the end of what a measure is called."""
        return "" if self.base is None else ", new or worse than at the base"


class FormerRoom(Analysis):
    """The room with the files of a commit, and the history and the caches of today."""

    def __init__(self, room: Analysis, base: BaseCommit) -> None:
        vars(self).update(vars(room))
        self._room, self._base = room, base

    def scan(self, project: Project, **more: Any) -> Scan:
        """Return the records of the files as they were."""
        return self._base.scan(self._room.scan(project, **more))

    def scan_tokens(self, project: Project, **more: Any) -> FileScan[TokenStream]:
        """Return the tokens of the files as they were."""
        return self._base.scan_tokens(self._room.scan_tokens(project, **more))


def _complexity(rule: str, matter: Matter, threshold: float) -> Verdict:
    kind = "cyclomatic" if rule == CYCLOMATIC else "cognitive"
    verdict = Verdict("pass", f"highest {kind} complexity of a function{matter.counted}")
    if not any(record.functions for record in matter.scan.files.values()):
        return verdict._replace(status="not_measured", reason="there is no function")

    def value(one: Measure) -> int:
        return one.cyclomatic if rule == CYCLOMATIC else one.cognitive

    reading, files = Reading(), matter.scan.files
    if matter.base is None:
        found = reading.all(files)
    else:
        pairs = reading.compared(files, matter.base)
        found = [new for new, old in pairs if old is None or value(new) > value(old)]
    if not found:
        return verdict._replace(reason="no function is new or more complex")
    broken = [
        Broken(
            rule,
            one.file,
            one.function.line,
            f"{one.function.name}: {kind} complexity of {value(one)} is over {threshold:g}.",
            value(one),
            one.function.name,
        )
        for one in found
        if value(one) > threshold
    ]
    return verdict.judged(max(map(value, found)), not broken, sorted(broken, key=lambda one: -one.actual))


def _duplication(matter: Matter, threshold: float) -> Verdict:
    verdict, new = Verdict("pass", "percent of the lines that are copies"), None
    if matter.base is not None:
        verdict = verdict._replace(measure=f"{verdict.measure}, of those that are new since the base")
        new = matter.base.new_lines(matter.scan.files)
        if not any(new.values()):
            return verdict._replace(reason="no line is new")
    found = find_clones(matter.room, matter.project, _CLONES, matter.scan)
    if not found.total_lines:
        return verdict._replace(status="not_measured", reason="there is no line")
    if matter.base is None or new is None:
        copied, total = sum(found.duplicate_lines.values()), found.total_lines
        copies = [(one, one.fragments[0]) for one in found.classes]
    else:
        total = sum(map(len, new.values()))
        copies = _new_copies(matter, found, new, matter.base)
        copied = len({(part.file, line) for _, part in copies for line in _lines(part) & new[part.file]})
    broken = (
        Broken(
            DUPLICATE_RULES[one.kind].id,
            part.file,
            part.start_line,
            f"{DUPLICATE_RULES[one.kind].summary} {len(one.fragments)} copies, also at {_other(one, part)}.",
            round(100 * len(_lines(part)) / total, 2),
            one.id,
        )
        for one, part in copies
    )
    return verdict.judged(round(100 * copied / total, 2), 100 * copied <= threshold * total, broken)


def _new_copies(
    matter: Matter, found: CloneReport, new: Mapping[str, frozenset[int]], base: BaseCommit
) -> list[tuple[CloneClass, Fragment]]:
    """Return the fragments of which half the lines are new, where the base had fewer like them."""
    copies = [
        (one, part)
        for one in found.classes
        for part in one.fragments
        if 2 * len(_lines(part) & new.get(part.file, frozenset())) >= len(_lines(part))
    ]
    if not copies:
        return []
    before = find_clones(FormerRoom(matter.room, base), matter.project, _CLONES)
    known = {one.id: len(one.fragments) for one in before.classes}
    return [(one, part) for one, part in copies if len(one.fragments) > known.get(one.id, 0)]


def _other(one: CloneClass, part: Fragment) -> str:
    other = next(each for each in one.fragments if each != part)
    return f"{other.file}:{other.start_line}-{other.end_line}"


def _lines(part: Fragment) -> frozenset[int]:
    return frozenset(range(part.start_line, part.end_line + 1))


def _coverage(matter: Matter, threshold: float) -> Verdict:
    root, paths = matter.room.repository.root, matter.scan.files.keys()
    told = coverage_of(Tree(matter.room.repository), root, matter.project.path, paths)
    verdict = Verdict("pass", "percent of the lines in reports that tests ran", reason=told.reason)
    absent: Status = "fail" if matter.settings.require_coverage else "not_measured"
    damaged = [f"{report.path} cannot be read: {report.problem}" for report in told.reports if report.problem]
    if damaged:
        return verdict._replace(status="fail", reason="; ".join(damaged))
    if told.percent is None:
        return verdict._replace(status=absent)
    parts = {path: file.parts for path, file in told.files.items()}
    left = {"files are newer than the report on them": told.stale_files}
    if matter.base is not None:
        verdict = verdict._replace(measure=f"{verdict.measure}, of those that are new since the base")
        new = {path: lines for path, lines in matter.base.new_lines(paths).items() if lines}
        stale = {path for path in new if path in told.files and told.files[path].is_stale}
        parts = {path: parts[path].among(new[path]) for path in new.keys() & parts.keys() - stale}
        left = {
            "changed files are newer than the report on them": len(stale),
            "changed files are in no report": len(new.keys() - told.files.keys()),
        }
    reason = ", ".join(f"{number} {what}" for what, number in left.items() if number) or None
    covered, total = (sum(getattr(part, name) for part in parts.values()) for name in ("covered", "total"))
    if not total:
        nothing = verdict._replace(reason="no line that tests could run is new")
        return nothing if reason is None else verdict._replace(status=absent, reason=reason)
    broken = (
        Broken(
            COVERAGE,
            path,
            None,
            f"Tests ran {part.covered} of {part.total} lines.",
            round(100 * part.covered / part.total, 2),
            path,
        )
        for path, part in sorted(parts.items(), key=lambda item: (item[1].covered - item[1].total, item[0]))
        if 100 * part.covered < threshold * part.total
    )
    holds = 100 * covered >= threshold * total
    return verdict._replace(reason=reason).judged(round(100 * covered / total, 2), holds, broken)


def _defects(matter: Matter, threshold: float) -> Verdict:
    verdict = Verdict("pass", f"highest probability that a file needs a fix within a year{matter.counted}")
    base, unchanged = matter.base, "no file that changed got riskier"
    changed = {} if base is None else base.new_lines(matter.scan.files)
    if base is not None and not changed:
        return verdict._replace(reason=unchanged)
    found = kept_predictions(matter.room, matter.project, matter.scan).predictions
    if not found:
        return verdict._replace(status="not_measured", reason="there is no file to predict")
    if base is not None:
        found = tuple(one for one in found if one.file in changed)
        former = FormerRoom(matter.room, base)
        report = predictions(former, matter.project, base.scan(matter.scan)) if found else None
        before = {one.file: one.probability for one in (report.predictions if report else ())}
        found = tuple(
            one
            for one in found
            # The model learns from the files there are: less than a percent is not about this one.
            if one.probability >= before.get(base.renames.get(one.file, one.file), -1) + 0.01
        )
    if not found:
        return verdict._replace(reason=unchanged)
    words = "A fix is {:.0%} probable within a year."
    broken = [
        Broken(DEFECT_RULE.id, one.file, None, words.format(one.probability), one.probability, one.file)
        for one in found
        if one.probability > threshold
    ]
    return verdict.judged(found[0].probability, not broken, broken)


def _debt(matter: Matter, threshold: float) -> Verdict:
    severity = matter.settings.debt_severity
    items = certain_debts(matter.room, matter.scan)
    if matter.base is not None:
        items = new_items(items, matter.base, None)
    found = [item for item in items if item.order[0] <= SEVERITIES.index(severity)]
    broken = (
        Broken(DEBT_RULES[item.category].id, item.file, item.line, item.text, len(found)) for item in found
    )
    verdict = Verdict("pass", f"debts marked in comments, {severity} or graver{matter.counted}")
    return verdict.judged(len(found), len(found) <= threshold, broken)


def _dead_code(matter: Matter, threshold: float) -> Verdict:
    level = matter.settings.dead_code_confidence
    whole = Project(tracked=matter.project.tracked)
    everything = matter.scan if matter.project == whole else matter.room.scan(whole)
    found = [
        one
        for one in became_dead(matter.room, everything, matter.base)
        if one.file in matter.scan.files and one.confidence >= LEAST[level]
    ]
    broken = (
        Broken(DEAD_CODE_RULES[one.kind].id, one.file, one.line, one.words, len(found), one.name or None)
        for one in found
    )
    verdict = Verdict("pass", f"things that nothing uses, confidence {level}{matter.counted}")
    return verdict.judged(len(found), len(found) <= threshold, broken)


JUDGES: Mapping[CheckName, Callable[[Matter, float], Verdict]] = {
    "complexity": partial(_complexity, CYCLOMATIC),
    "cognitive": partial(_complexity, COGNITIVE),
    "duplication": _duplication,
    "coverage": _coverage,
    "defects": _defects,
    "debt": _debt,
    "dead_code": _dead_code,
}
"""In the order in which checks are told."""
