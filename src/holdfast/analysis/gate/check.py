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
    line: int | None = Field(description="Null where the file as a whole is meant.")
    message: UntrustedText
    actual: float
    threshold: float
    name: UntrustedText | None = optional("Of the function or other thing, where it has one.")


class GateCheck(Output):
    """The result of one check."""

    check: CheckName
    measure: str = Field(description="What `actual` is.")
    threshold: float
    actual: float | None = Field(description="Null where it was not measured, or there is nothing to count.")
    status: Status
    reason: UntrustedText | None = Field(description="Why it is not measured or failed, or what to know.")
    violations: list[GateViolation] = Field(description="The worst first; none where the check passes.")
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
            one_line(f"{one.file}{'' if one.line is None else f':{one.line}'}: {one.message}")
            for one in self.violations[:most]
        ]
        rest = self.violations_total - len(shown)
        return [*shown, *([f"{rest} more"] if rest else [])]


class Breach(NamedTuple):
    """A finding that breaks a threshold, and the value that does."""

    finding: CodeFinding
    actual: float


class Verdict(NamedTuple):
    """What a check found."""

    status: Status
    measure: str
    actual: float | None = None
    reason: str | None = None
    breaches: tuple[Breach, ...] = ()

    def judged(self, actual: float, holds: bool, breaches: Iterable[Breach]) -> Verdict:
        """Pass if the threshold holds, otherwise fail with what breaks it."""
        if holds:
            return self._replace(status="pass", actual=actual)
        return self._replace(status="fail", actual=actual, breaches=tuple(breaches))
