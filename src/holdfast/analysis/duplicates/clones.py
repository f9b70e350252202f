"""The clones of a project, of all requested kinds.

Contract: the order of the classes does not depend on the number of processes. Unchanged files are not
searched again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from holdfast.analysis.duplicates.clone import COPIES, CloneClass, CloneQuery, GpuUse
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.engine.scan import FileScan, Project, Scan
from holdfast.analysis.engine.token_stream import TokenStream, indentations, token_table
from holdfast.kernel.machine import without_garbage_collection
from holdfast.syntax.record import Record

if TYPE_CHECKING:
    from holdfast.analysis.room import Analysis

_COPY, _NEAR = b"\1", b"\2"
_NO_FUNCTIONS = "Exact and renamed clones are found by sorting, which needs no GPU."


def find_clones(
    room: Analysis, project: Project, wanted: CloneQuery, scan: Scan | None = None
) -> CloneReport:
    """Return the clones of a project; a scan of it saves reading the file stats again."""
    lexed = room.scan_tokens(project, stats=None if scan is None else scan.stats)
    return clones_of(room, lexed, wanted, project)


def cached_clones(room: Analysis, project: Project, wanted: CloneQuery, scan: Scan) -> CloneReport:
    """Return the clones of a project, searched again only if its scan changed."""
    question = f"clones {project} {wanted}"
    return room.cached(question, scan, lambda: find_clones(room, project, wanted, scan))


def clones_of(
    room: Analysis, scan: FileScan[TokenStream], wanted: CloneQuery, project: Project
) -> CloneReport:
    """Return the clones of a project from a scan of its tokens."""
    question = f"clones {sorted(wanted.kinds)} {wanted.min_lines} {wanted.threshold} {wanted.gpu}"
    return room.cached(
        question, scan, lambda: clones_in(scan.files, wanted, lambda: room.scan(project).files)
    )


@without_garbage_collection()
def clones_in(
    files: Mapping[str, TokenStream], wanted: CloneQuery, records: Callable[[], Mapping[str, Record]] = dict
) -> CloneReport:
    """Return the clones of files, given their tokens in the order of their paths.

    `records` is called only if functions are compared; without records, only files are compared as wholes.
    """
    # These import numpy, which other analyses do not need.
    from holdfast.analysis.duplicates.near_clones import near_clones
    from holdfast.analysis.duplicates.token_clones import exact_clones, renamed_clones
    from holdfast.analysis.duplicates.whole_clones import with_whole_clones
    from holdfast.analysis.duplicates.windows import CloneCorpus

    corpus = CloneCorpus(token_table(files))
    classes: list[CloneClass] = []
    if "exact" in wanted.kinds:
        classes += exact_clones(corpus, wanted)
    if "renamed" in wanted.kinds:
        classes += renamed_clones(corpus, wanted)
    gpu = GpuUse(wanted.gpu, reason=_NO_FUNCTIONS) if wanted.gpu else GpuUse()
    compares_functions = bool(wanted.kinds - COPIES)
    functions = records() if compares_functions else {}
    classes = with_whole_clones(classes, corpus, functions, wanted)
    if compares_functions:
        near, gpu = near_clones(corpus, indentations(files), functions, wanted)
        classes += near
    classes = _distinct(classes)
    lines = {path: stream.lines for path, stream in files.items()}
    marks = _marked(classes, lines)
    return CloneReport(tuple(classes), lines, _counted(marks, _COPY), _counted(marks, _NEAR), gpu)


def _distinct(classes: Iterable[CloneClass]) -> list[CloneClass]:
    """Return the classes in order; of those with the same content, the first."""
    found: dict[str, CloneClass] = {}
    for one in sorted(classes, key=lambda one: one.order):
        found.setdefault(one.id, one)
    return list(found.values())


def _marked(classes: Iterable[CloneClass], lines: Mapping[str, int]) -> dict[str, bytes]:
    """Return one byte for each line of the files with clones: in a copy, in a gapped clone, or in neither."""
    marks: dict[str, bytearray] = {}
    counted = (one for one in classes if one.kind != "semantic")
    for one in sorted(counted, key=lambda one: one.kind in COPIES):  # copies last: their mark prevails
        mark = _COPY if one.kind in COPIES else _NEAR
        for fragment in one.fragments:
            start, end = fragment.start_line - 1, fragment.end_line
            if fragment.file not in marks:
                marks[fragment.file] = bytearray(lines[fragment.file])
            marks[fragment.file][start:end] = mark * (end - start)
    return {path: bytes(marks[path]) for path in sorted(marks)}


def _counted(marks: Mapping[str, bytes], mark: bytes) -> dict[str, int]:
    return {path: count for path, marked in marks.items() if (count := marked.count(mark))}
