"""What the quality gate says about uncommitted changes: in a running server, which keeps what it has read.

An edit is told of copies and functions above the gate's threshold that it added, a stop of the whole gate.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from holdfast.faces.hooks.facts import Fact
from holdfast.faces.hooks.request import HookRequest
from holdfast.installation.dialects import AFTER_EDIT, STOP
from holdfast.kernel.call import Call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import DeadlineExceeded, HoldfastError
from holdfast.kernel.registry import Registry
from holdfast.kernel.text import one_line

if TYPE_CHECKING:
    from holdfast.workspace import Workspace

_EDIT_CHECKS = ("duplication", "complexity", "cognitive")
_EDIT_SECONDS = 2.5
_STOP_SECONDS = 7.0
"""Within the time that the hook waits (`connection`)."""
_PAUSE_SECONDS = 600.0
"""After an analysis that took too long at an edit, none is tried for so long. A judgement: in a repository of
that size, beginning one at every edit would only keep the machine busy."""
_MAX_VIOLATIONS = 5
"""A judgement: more would be read in the gate's own answer."""
_GATE = "`holdfast analyze gate --since HEAD`"


class HookAnalyses:
    """The quality gate for hooks. One runs at a time; a hook that comes meanwhile is told nothing of it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._dispatcher: Dispatcher | None = None
        self._running = Lock()
        self._paused_until = 0.0

    def facts(self, request: HookRequest) -> list[Fact]:
        """Return what the gate says about an edit's files, or at a stop about all changes."""
        is_edit = request.event == AFTER_EDIT and bool(request.edits)
        if not (is_edit or request.event == STOP) or (is_edit and monotonic() < self._paused_until):
            return []
        if not self._running.acquire(blocking=False):
            return []
        try:
            gate = self._gate(_EDIT_SECONDS if is_edit else _STOP_SECONDS)
        except DeadlineExceeded:
            self._paused_until = monotonic() + _PAUSE_SECONDS
            return []
        except HoldfastError:  # for example: no commit to compare with
            return []
        finally:
            self._running.release()
        return _edit_facts(gate, {edit.file for edit in request.edits}) if is_edit else _stop_facts(gate)

    def _gate(self, seconds: float) -> Any:
        if self._dispatcher is None:
            from holdfast.toolsets import toolset

            self._dispatcher = Dispatcher(Registry((toolset("analyze"),)), self._workspace.room)
        operation = self._dispatcher.registry.operation("quality_gate")
        return self._dispatcher.run(operation, {"since": "HEAD"}, Call(seconds=seconds))


def _edit_facts(gate: Any, files: set[str]) -> list[Fact]:
    return [
        Fact(f"gate {violation.rule} {violation.file} {violation.name or violation.line}", _line(violation))
        for check in gate.checks
        if check.check in _EDIT_CHECKS
        for violation in check.violations
        if violation.file in files
    ][:_MAX_VIOLATIONS]


def _stop_facts(gate: Any) -> list[Fact]:
    if gate.passed or not any(check.status == "fail" for check in gate.checks):
        return []
    lines = [
        f"\n  - {_line(violation)}"
        for check in gate.checks
        if check.status == "fail"
        for violation in check.violations[:_MAX_VIOLATIONS]
    ]
    text = f"The quality gate fails on your changes: {one_line(gate.reason)} See {_GATE}.{''.join(lines)}"
    return [Fact("gate", text)]


def _line(violation: Any) -> str:
    line = "" if violation.line is None else f":{violation.line}"
    name = f" {violation.name}" if violation.name and violation.rule.startswith("complexity") else ""
    return one_line(f"{violation.file}{line}{name}: {violation.message}")
