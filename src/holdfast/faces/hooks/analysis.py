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
from holdfast.kernel.text import counted, one_line

if TYPE_CHECKING:
    from holdfast.workspace import Workspace

_EDIT_CHECKS = ("duplication", "complexity", "cognitive")
_EDIT_SECONDS = 2.5
_STOP_SECONDS = 7.0
"""Within the time that the hook waits (`connection`)."""
_PAUSE_SECONDS = 20.0
"""After an analysis that took too long at an edit, none is tried for so long. A judgement: in a repository of
that size, beginning one at every edit would only keep the machine busy."""
_MAX_VIOLATIONS = 5
"""A judgement: more would be read in the gate's own answer."""
_MAX_GROUPS = 200
"""A judgement: the groups of copies among which that of an edit is looked up, the longest first."""
_MAX_COPIES = 3
"""Copies whose uses are counted. A judgement: one of them is to be used instead."""
_MAX_NODES = 200
"""A judgement: more than the definitions and callers of nearly every file."""
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
            call = Call(seconds=_EDIT_SECONDS if is_edit else _STOP_SECONDS)
            gate = self._run("quality_gate", {"since": "HEAD"}, call)
            if not is_edit:
                return _stop_facts(gate)
            return self._edit_facts(gate, {edit.file for edit in request.edits}, call)
        except DeadlineExceeded:
            self._paused_until = monotonic() + _PAUSE_SECONDS
            return []
        except HoldfastError:  # for example: no commit to compare with
            return []
        finally:
            self._running.release()

    def _edit_facts(self, gate: Any, files: set[str], call: Call) -> list[Fact]:
        violations = [
            violation
            for check in gate.checks
            if check.check in _EDIT_CHECKS
            for violation in check.violations
            if violation.file in files
        ]
        return [
            Fact(
                f"gate {violation.rule} {violation.file} {violation.name or violation.line}",
                f"{_line(violation)}{self._uses(violation, call)}",
            )
            for violation in violations[:_MAX_VIOLATIONS]
        ]

    def _uses(self, violation: Any, call: Call) -> str:
        """Return how often other copies of a duplicate are used, as one of them can be used instead."""
        if not violation.rule.startswith("duplicate/"):
            return ""
        found = self._run("analyze_duplicates", {"limit": _MAX_GROUPS}, call)
        group = next((group for group in found.groups if group.id == violation.name), None)
        copies = [copy for copy in group.fragments if copy.file != violation.file] if group else []
        uses = [(copy, self._count_calls(copy, call)) for copy in copies[:_MAX_COPIES]]
        used = [
            f"{one_line(copy.file)}:{copy.start_line} is used in {counted(count, 'place')}"
            for copy, count in uses
            if count
        ]
        return f" {'; '.join(used)}." if used else ""

    def _count_calls(self, copy: Any, call: Call) -> int:
        """Return how many places call a definition that begins in a copy."""
        arguments = {"dag_type": "call-graph", "focus": copy.file, "limit": _MAX_NODES}
        graph = self._run("analyze_dependency_graph", arguments, call)
        definitions = {
            node.id
            for node in graph.nodes
            if node.file_path == copy.file and copy.start_line <= (node.line_number or 0) <= copy.end_line
        }
        calls = (edge for edge in graph.edges if edge.target in definitions)
        return sum(edge.weight for edge in calls if edge.origin not in definitions)

    def _run(self, name: str, arguments: dict[str, Any], call: Call) -> Any:
        if self._dispatcher is None:
            from holdfast.toolsets import toolset

            self._dispatcher = Dispatcher(Registry((toolset("analyze"),)), self._workspace.room)
        return self._dispatcher.run(self._dispatcher.registry.operation(name), arguments, call)


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
