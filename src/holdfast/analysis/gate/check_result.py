"""The result of one check of a gate: what was measured, the threshold, and the violations."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.duration import Duration
from holdfast.analysis.gate.settings import CheckName
from holdfast.kernel.models import Output, optional
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText

Status = Literal["pass", "warn", "fail", "not_measured"]
"""A check that warns does not fail the gate."""
ViolationLevel = Literal["error", "warning"]


class GateViolation(Output):
    """A place above a maximum threshold, or below a minimum threshold."""

    rule: str
    level: ViolationLevel = Field(
        description="A warning is a prediction, or is in a test; it fails no check."
    )
    file: UntrustedText
    line: int | None = Field(description="Null for the file as a whole.")
    message: UntrustedText
    actual: float
    threshold: float
    name: UntrustedText | None = optional("The name of the function or other definition, if it has one.")


class GateCheck(Output):
    """The result of one check."""

    check: CheckName
    measure: str = Field(description="What `actual` measures.")
    threshold: float
    actual: float | None = Field(description="Null if it was not measured or there is nothing to count.")
    status: Status
    reason: UntrustedText | None = Field(description="Why the check failed or was not measured, or a caveat.")
    violations: list[GateViolation] = Field(
        description="Errors before warnings, the worst first; empty if the check passes."
    )
    violations_total: int
    warnings_total: int = Field(description="How many of them are warnings.")
    analysis_duration: Duration

    @property
    def headline(self) -> str:
        """The measured value, the threshold and the reason on one line."""
        actual = "nothing" if self.actual is None else f"{self.actual:g}"
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.measure}: {actual}, threshold {self.threshold:g}{reason}"

    def violation_lines(self, limit: int) -> list[str]:
        """Return a line for each of the first `limit` violations, and one with the number of the others."""
        lines = []
        for violation in self.violations[:limit]:
            line = "" if violation.line is None else f":{violation.line}"
            level = "warning: " if violation.level == "warning" else ""
            lines.append(one_line(f"{violation.file}{line}: {level}{violation.message}"))
        others = self.violations_total - len(lines)
        if others:
            lines.append(f"{others} more")
        return lines


class Breach(NamedTuple):
    """A finding that violates a threshold, with the measured value."""

    finding: CodeFinding
    actual: float
    level: ViolationLevel = "error"


class Outcome(NamedTuple):
    """What a check found in a part of the code."""

    actual: float | None = None
    """The measured value; None if there is nothing to measure."""
    is_met: bool = True
    """Whether the threshold is met."""
    breaches: tuple[Breach, ...] = ()
    """All places above or below the threshold, the worst first."""

    @property
    def violations(self) -> tuple[Breach, ...]:
        return () if self.is_met else self.breaches


_NOTHING = Outcome()


class Verdict(NamedTuple):
    """The outcome of a check; the fields mean the same as in `GateCheck`."""

    status: Status
    measure: str
    actual: float | None = None
    reason: str | None = None
    breaches: tuple[Breach, ...] = ()
    """All of them, the worst first."""

    def decide(self, outcome: Outcome, warning: Outcome = _NOTHING) -> Verdict:
        """Return a failure with the breaches if the threshold is not met; a second outcome can only warn."""
        status: Status = "pass" if warning.is_met else "warn"
        warnings = (breach._replace(level="warning") for breach in warning.violations)
        return self._replace(
            status=status if outcome.is_met else "fail",
            actual=outcome.actual,
            breaches=(*outcome.violations, *warnings),
        )
