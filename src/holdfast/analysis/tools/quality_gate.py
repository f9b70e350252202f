"""`quality_gate`: whether the code meets the project's thresholds, and what violates them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

from pydantic import Field, StrictBool

from holdfast.analysis.engine.analysis_run import AnalysisFailure, attempt
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.duration import Duration
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.engine.scope import RunOptions
from holdfast.analysis.engine.stages import Stages
from holdfast.analysis.gate.check_result import Breach, GateCheck, GateViolation, Verdict
from holdfast.analysis.gate.checks import CHECKS, GateScope
from holdfast.analysis.gate.settings import CheckName, Requests, Thresholds, active_thresholds, gate_settings
from holdfast.analysis.render.junit import JUnitCase, junit
from holdfast.analysis.render.sarif import ResultWithFindings
from holdfast.analysis.render.text_layout import lines, skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.errors import Conflict, InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Integer, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

GateFormat = Literal["summary", "detailed", "json", "sarif", "junit"]
_DEFAULT_VIOLATIONS = 20
"""Violations of each check in a result by default: a judgement, about a screen of text."""
_MAX_VIOLATIONS_SHOWN = 3
"""Violations of each check in the text of a summary: a judgement, so that it stays short."""
_MAX_PATHS_IN_ERROR = 20
"""Paths in an error: a judgement, as a screen of them shows which change was not staged."""
_COLUMNS = ("check", "status", "actual", "threshold", "measure")
_METHOD = (
    "Each check uses the analysis of that name. The gate passes if at least one check was measured and none"
    " fails. A check without data, such as a coverage report, is not measured: it neither passes nor fails,"
    " unless `require_coverage` is set. Predictions, and violations in tests, examples and documents, only"
    " warn, unless `fail_on_predictions` or `fail_on_tests` is set. A check whose data cannot be read or"
    " whose analysis stops with an error fails. Copies are exact or renamed. Coverage comes from existing"
    " reports; tests are never run."
)


class QualityGate(arguments.ProjectInput, Requests, Thresholds):
    """The files, the thresholds and the base commit."""

    since: arguments.Revision | None = Field(
        default=None, description="Check only code that is new or worse than in this commit, branch or tag."
    )
    diff: arguments.ForkRevision = None
    count_all: StrictBool = Field(
        default=False, description="Check all code although a base is given, which must exist."
    )
    staged: StrictBool = Field(
        default=False,
        description="Check the staged files, compared with the last commit unless a base is given. It is an"
        " error if a file has changes that are not staged.",
    )
    format: GateFormat = Field(default="summary", description="The format of the text.")
    fail_on_violation: StrictBool = Field(
        default=False,
        description="Unless the gate passes, mark the result as an error and exit with status 1.",
    )
    limit: Integer = count_field(
        _DEFAULT_VIOLATIONS,
        LIMITS.gate_violations,
        "The maximum number of violations per check, the worst first.",
    )


class GateResult(ResultWithFindings):
    """Whether a gate passes, and why."""

    format: GateFormat
    project_path: UntrustedText
    passed: bool
    reason: UntrustedText = Field(description="Which checks fail or pass, in one sentence.")
    is_error: bool = Field(description="Whether the gate failed and `fail_on_violation` is set.")
    compared_with: str | None = Field(description="The base commit; null if all code is checked.")
    settings: UntrustedText | None = Field(description="The settings file; null if there is none.")
    switched_off: list[CheckName] = Field(
        description="Checks that are off because `disable` in the settings lists them."
    )
    checks: list[GateCheck]
    generated_at: str
    analysis_duration: Duration
    method: str

    @property
    def exit_code(self) -> int:
        """1 if the gate failed and `fail_on_violation` is set."""
        return int(self.is_error)


def _text(result: GateResult, width: int) -> str:
    head = lines(
        f"Quality gate: {'passed' if result.passed else 'FAILED'}. {result.reason}",
        f"Only code that is new or worse than in {result.compared_with}." if result.compared_with else "",
        f"Files: {result.files_analyzed} of {result.files_discovered}.",
        skipped_files_line(result),
        f"Settings: {result.settings}." if result.settings else "",
        f"Disabled: {', '.join(result.switched_off)}." if result.switched_off else "",
    )
    rows = [_COLUMNS, *map(_check_cells, result.checks)]
    parts = [head, table(rows, width, flexible=(_COLUMNS.index("measure"),))]
    limit = LIMITS.gate_violations if result.format == "detailed" else _MAX_VIOLATIONS_SHOWN
    for check in result.checks:
        if check.violations:
            numbered = [f"  {number}. {line}" for number, line in enumerate(check.violation_lines(limit), 1)]
            warnings = f", {check.warnings_total} of them warnings" if check.warnings_total else ""
            title = f"Violations of {check.check}: {check.violations_total}{warnings}"
            parts.append("\n".join([title, *numbered]))
    return "\n\n".join(filter(None, [*parts, result.method]))


def _check_cells(check: GateCheck) -> tuple[str, ...]:
    return (
        check.check,
        check.status.replace("_", " "),
        "" if check.actual is None else f"{check.actual:g}",
        f"{check.threshold:g}",
        f"{check.measure} ({check.reason})" if check.reason else check.measure,
    )


def _junit(result: GateResult) -> str:
    return junit("holdfast.quality_gate", [_junit_case(each) for each in result.checks], result.generated_at)


def _junit_case(check: GateCheck) -> JUnitCase:
    seconds = check.analysis_duration.seconds
    if check.status == "not_measured":
        return JUnitCase(check.check, seconds, skipped=check.reason or "not measured")
    details = "\n".join(check.violation_lines(len(check.violations)))
    if check.status == "fail":
        return JUnitCase(check.check, seconds, failure=check.headline, details=details)
    output = f"{check.check}: {check.headline}\n{details}" if check.status == "warn" else ""
    return JUnitCase(check.check, seconds, output=output)


@analyze.operation(
    "quality_gate",
    title="Check the quality gate",
    effect=Effect.READ,
    command="gate",
    example="holdfast analyze gate src --since HEAD",
    **arguments.project_options(_text, sarif=GateResult.sarif_text, junit=_junit),
)
def quality_gate(room: Analysis, args: QualityGate) -> GateResult:
    """Check code against thresholds: complexity, duplication, coverage, defects, debt, dead code.

    With `since` or `diff` only new or worsened code is checked. Thresholds not given as arguments come from
    `[tool.holdfast.gate]` in pyproject.toml or `[gate]` in .holdfast.toml. A check that was not measured
    never passes. With `fail_on_violation` a failing gate is an error, and the command exits with status 1.
    """
    timestamp, started = room.clock(), time.monotonic()
    base = _resolve_base(room, args)
    path = checked_project(room.repository, args.project_path)
    settings, settings_file = gate_settings(room.repository, path)
    settings = settings.requesting(args)
    thresholds = active_thresholds(args, settings)
    stages = Stages(len(thresholds) + 1)
    project = Project(path, exclude=settings.exclude, only_tracked=args.staged)
    scan = stages.run("files", partial(room.scan, project))
    # Analyses read the work tree, so it must have the staged content.
    if args.staged and base is not None and (unstaged := base.unstaged_files(scan.files)):
        raise Conflict(
            f"{len(unstaged)} files differ between the work tree and the index, first {unstaged[0]}.",
            hint="Stage or stash these changes.",
            paths=unstaged[:_MAX_PATHS_IN_ERROR],
        )
    options = RunOptions(project, None if args.count_all else base)
    gate = GateScope(room, scan, options, settings)
    checks, findings = _run_checks(stages, gate, thresholds, args)
    passed, reason = _outcome(checks)
    result = GateResult(
        **scan.counts.result_fields(path, args.format),
        passed=passed,
        reason=reason,
        is_error=args.fail_on_violation and not passed,
        compared_with=None if gate.base is None else gate.base.commit,
        settings=settings_file,
        switched_off=[name for name in CHECKS if name in settings.disable and name not in thresholds],
        checks=checks,
        generated_at=rfc3339(timestamp),
        analysis_duration=Duration.since(started),
        method=_METHOD,
    )
    return result.with_findings(
        findings,
        total=sum(check.violations_total for check in checks),
        properties={"passed": passed, "checks": {each.check: each.status for each in checks}},
        notes=[reason, *(f"{each.check}: {each.status}: {each.headline}" for each in checks), _METHOD],
    )


def _resolve_base(room: Analysis, args: QualityGate) -> BaseCommit | None:
    """Return the commit to compare with; for staged files it is HEAD by default."""
    compares_with_head = args.staged and args.since is None and args.diff is None
    base = arguments.requested_base(room, "HEAD" if compares_with_head else args.since, args.diff)
    if args.count_all and base is None:
        raise InvalidArguments(
            "`count_all` needs a base; without a base all code is checked anyway.", hint="Omit it."
        )
    return base


def _run_checks(
    stages: Stages, gate: GateScope, thresholds: Mapping[CheckName, float], args: QualityGate
) -> tuple[list[GateCheck], list[CodeFinding]]:
    """Return the results of the checks, and as findings all violations unless a limit was given."""
    checks: list[GateCheck] = []
    findings: list[CodeFinding] = []
    max_findings = arguments.document_limit(args)
    max_listed = max_findings if args.format == "junit" else args.limit  # JUnit shows what is listed
    for name, threshold in thresholds.items():
        started = time.monotonic()
        verdict = stages.run(name, partial(_verdict, gate, name, threshold))
        result = GateCheck(
            check=name,
            measure=verdict.measure,
            threshold=threshold,
            actual=verdict.actual,
            status=verdict.status,
            reason=verdict.reason,
            violations=[_gate_violation(each, threshold) for each in verdict.breaches[:max_listed]],
            violations_total=len(verdict.breaches),
            warnings_total=sum(breach.level == "warning" for breach in verdict.breaches),
            analysis_duration=Duration.since(started),
        )
        checks.append(result)
        for breach in verdict.breaches[:max_findings]:
            properties = {"check": name, "actual": breach.actual, "threshold": threshold}
            findings.append(replace(breach.finding, level=breach.level, properties=properties))
    return checks, findings


def _verdict(gate: GateScope, name: CheckName, threshold: float) -> Verdict:
    if not gate.scan.files:
        return Verdict("not_measured", name, reason="no source file was analysed")
    outcome = attempt(partial(CHECKS[name], gate, threshold))
    if isinstance(outcome, AnalysisFailure):
        return Verdict("fail", name, reason=f"its analysis failed: {outcome.reason}")
    return outcome


def _gate_violation(breach: Breach, threshold: float) -> GateViolation:
    finding = breach.finding
    return GateViolation(
        rule=finding.rule.id,
        level=breach.level,
        file=finding.path,
        line=finding.line,
        message=finding.message,
        actual=breach.actual,
        threshold=threshold,
        name=finding.subject or None,
    )


def _outcome(checks: list[GateCheck]) -> tuple[bool, str]:
    """Return whether the gate passes, and a sentence about its checks."""
    failing = [each.check for each in checks if each.status == "fail"]
    warning = [each.check for each in checks if each.status == "warn"]
    missing = [each.check for each in checks if each.status == "not_measured"]
    rest = f"; warnings: {', '.join(warning)}" if warning else ""
    rest += f"; not measured: {', '.join(missing)}" if missing else ""
    if failing:
        return False, f"{len(failing)} of {len(checks)} checks fail: {', '.join(failing)}{rest}."
    if len(missing) == len(checks):
        return False, "Nothing was measured, so the gate does not pass."
    return True, f"{len(checks) - len(missing)} checks pass{rest}."
