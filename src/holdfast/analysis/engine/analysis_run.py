"""Runs the analyses that a deep context asks for, at the same time, over one scan.

Contract: the answers are put together in a fixed order, so that neither threads nor processes show in them.
An analysis that fails is named with the reason, and the others stand.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from holdfast.analysis.coverage.coverage_report import Coverage, coverage_of
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.measurements import FileMeasures, ImportGraph, Issue, Measurements
from holdfast.analysis.engine.scan import CacheStrategy, Project, Scan
from holdfast.analysis.engine.stages import Stages
from holdfast.analysis.graph.dependency_graph import DagType
from holdfast.analysis.graph.resolution import Resolution
from holdfast.analysis.room import Analysis
from holdfast.kernel.dispatch import unforeseen
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.kernel.machine import without_garbage_collection
from holdfast.storage.files.work_tree import Tree

Answer = TypeVar("Answer")

NOT_OFFLINE = "offline nothing but the cache is read"


@dataclass(frozen=True)
class Asked:
    """What a deep context is to be made of."""

    project: Project
    analyses: tuple[str, ...]
    period_days: int
    dag_type: DagType
    strategy: CacheStrategy
    parallel: int | None
    limit: int
    one_by_one: bool = False
    """Run no analyses at the same time: threads share an interpreter, and waiting for it costs."""
    base: BaseCommit | None = None
    """What findings are compared with: those that were there already are left out."""

    @property
    def workers(self) -> int:
        """Return how many analyses to run at the same time."""
        return 1 if self.one_by_one else self.parallel or os.cpu_count() or 1


@dataclass(frozen=True)
class Part:
    """What one analysis says."""

    sections: Mapping[str, Any]
    """Its answer, as JSON, under the names that it has in the document."""
    issues: tuple[Issue, ...] = ()
    numbers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Fields of `FileMeasures`, by file."""
    otherwise: Mapping[str, Any] = field(default_factory=dict)
    """The same for files that it looked at and has nothing to say of."""
    graph: ImportGraph | None = None


@dataclass(frozen=True)
class Gathered:
    """What all of them say."""

    scan: Scan
    measured: Measurements
    coverage: Coverage
    sections: Mapping[str, Any]
    failures: Mapping[str, str]
    spent: Mapping[str, float]
    """The seconds that each stage took while others may have run beside it."""


class Material:
    """What analyses work on: a scan, and what several of them would otherwise find out for themselves."""

    def __init__(self, room: Analysis, scan: Scan, asked: Asked) -> None:
        self.room, self.scan, self.asked = room, scan, asked
        self._looking = threading.Lock()
        self._everything = scan if asked.project == Project() else None

    @property
    def resolution(self) -> Resolution:
        """Return what the imports and names of the project mean."""
        return self.room.resolution(self.scan)

    @property
    def everything(self) -> Scan:
        """Return the scan of the whole repository, as uses outside of the project are uses."""
        with self._looking:
            if self._everything is None:
                self._everything = _scan(self.room, replace(self.asked, project=Project()))
            return self._everything


Analyser = Callable[[Material], Part]


@without_garbage_collection()
def gather(room: Analysis, asked: Asked, analysers: Mapping[str, Analyser]) -> Gathered:
    """Run what is asked for."""
    running = [name for name in analysers if name in asked.analyses]
    stages = Stages(len(running) + 2)
    scan = stages.run("files", partial(_scan, room, asked))
    material = Material(room, scan, asked)
    works = [(name, partial(attempted, partial(analysers[name], material))) for name in running]
    done = dict(zip(running, stages.all(works, asked.workers), strict=True))
    parts = {name: part for name, part in done.items() if isinstance(part, Part)}
    failures = {name: reason for name, reason in done.items() if isinstance(reason, str)}
    coverage = stages.run("coverage", partial(_coverage, room, scan, asked))
    measured = _measurements(scan, coverage, parts, asked, failures)
    sections = {name: section for part in parts.values() for name, section in part.sections.items()}
    return Gathered(scan, measured, coverage, sections, failures, stages.spent)


def _scan(room: Analysis, asked: Asked) -> Scan:
    return room.scan(asked.project, strategy=asked.strategy, workers=asked.parallel)


def _coverage(room: Analysis, scan: Scan, asked: Asked) -> Coverage:
    if asked.strategy == "offline":
        return Coverage(without=NOT_OFFLINE)
    return coverage_of(Tree(room.repository), room.repository.root, asked.project.path, scan.files.keys())


def attempted(analysis: Callable[[], Answer]) -> Answer | str:
    """Return what an analysis says, or why it says nothing."""
    try:
        return analysis()
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError as failure:
        return failure.message
    except Exception as failure:
        return holdfast_error(failure).message


def _measurements(
    scan: Scan, coverage: Coverage, parts: Mapping[str, Part], asked: Asked, failures: Mapping[str, str]
) -> Measurements:
    files = {}
    for path, record in scan.files.items():
        told = coverage.files.get(path)
        numbers: dict[str, Any] = {} if told is None else {"covered": told.covered, "coverable": told.total}
        for part in parts.values():
            numbers.update(part.numbers.get(path, part.otherwise))
        files[path] = FileMeasures(path, scan.sizes[path], record.code_lines, **numbers)
    return Measurements(
        files,
        tuple(sorted((issue for part in parts.values() for issue in part.issues), key=_place)),
        frozenset(parts),
        next((part.graph for part in parts.values() if part.graph is not None), None),
        dict(failures),
        asked.period_days,
    )


def _place(issue: Issue) -> tuple[str, int, str, str]:
    finding = issue.finding
    return finding.path, finding.line or 0, finding.rule, finding.thing or finding.message
