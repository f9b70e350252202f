"""Reads findings of analyses in a task's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.storage.watching.file_signature import signature_of
from holdfast.tasks.neighbours import RemarkQuery, TaskRemark

if TYPE_CHECKING:
    from holdfast.analysis.engine.code_finding import CodeFinding
    from holdfast.analysis.room import Analysis


class FindingsNeighbour:
    """Reads findings of analyses as remarks."""

    def __init__(self, room: Analysis) -> None:
        self._room = room
        self._cache: VersionedCache[tuple[CodeFinding, ...]] = VersionedCache()

    def about(self, question: RemarkQuery) -> list[TaskRemark]:
        """Return the findings in the task's files, the most costly to fix first."""
        found = [finding for path in dict.fromkeys(question.files) for finding in self._findings_in(path)]
        return [_remark(finding) for finding in sorted(found, key=lambda finding: -finding.minutes)]

    def _findings_in(self, path: str) -> tuple[CodeFinding, ...]:
        # Imported here because it loads the parsers, which tasks without files do not need.
        from holdfast.analysis.context.file_findings import findings_in_file

        current_call().check()
        version = signature_of([f"{self._room.repository.root}/{path}"])
        cached = self._cache.get(path, version)
        if cached is not None:
            return cached
        return self._cache.put(path, version, tuple(self._room.run(findings_in_file, path)))


def _remark(finding: CodeFinding) -> TaskRemark:
    return TaskRemark(
        kind="finding",
        ref=f"{finding.path}#{finding.rule.id}:{finding.line}",
        text=finding.message,
        file=finding.path,
        line=finding.line,
        end_line=finding.end_line,
        state=finding.severity,
    )
