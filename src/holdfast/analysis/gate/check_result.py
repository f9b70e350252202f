"""One check of a gate: what was measured, the threshold, and the result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from pydantic import Field

from holdfast.analysis.context.recommendations import Duration
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.gate.settings import CheckName
from holdfast.kernel.models import Output, optional
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText

Status = Literal["pass", "fail", "not_measured"]


class GateViolation(Output):
    """Something above a threshold, or below it where the threshold is a minimum."""

    rule: str
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
    violations: list[GateViolation] = Field(description="The worst first; empty if the check passes.")
    violations_total: int
    analysis_duration: Duration

    @property
    def headline(self) -> str:
        """The result on one line."""
        actual = "nothing" if self.actual is None else f"{self.actual:g}"
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.measure}: {actual}, threshold {self.threshold:g}{reason}"

    def lines(self, most: int) -> list[str]:
        """Return a line for each of the first violations, and one that counts the others."""
        shown = [
            one_line(f"{each.file}{'' if each.line is None else f':{each.line}'}: {each.message}")
            for each in self.violations[:most]
        ]
        rest = self.violations_total - len(shown)
        return [*shown, *([f"{rest} more"] if rest else [])]


class Breach(NamedTuple):
    """A finding that violates a threshold, and the violating value."""

    finding: CodeFinding
    actual: float


class Verdict(NamedTuple):
    """The outcome of a check."""

    status: Status
    measure: str
    actual: float | None = None
    reason: str | None = None
    breaches: tuple[Breach, ...] = ()

    def decided(self, actual: float, holds: bool, breaches: Iterable[Breach]) -> Verdict:
        """Pass if the threshold holds, otherwise fail with the breaches."""
        if holds:
            return self._replace(status="pass", actual=actual)
        return self._replace(status="fail", actual=actual, breaches=tuple(breaches))
