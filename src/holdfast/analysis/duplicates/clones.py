"""Finds the clones of a project, of all requested kinds: the entry point of this folder.

Contract: the result does not depend on the number of processes. A project is searched again only if one of
its files changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from holdfast.analysis.duplicates.clone import COPY_KINDS, CloneClass, CloneQuery, GpuUse
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.engine.scan import FileScan, Project, Scan
from holdfast.analysis.engine.token_stream import TokenStream, indentations, token_table
from holdfast.kernel.machine import without_garbage_collection
from holdfast.syntax.record import Record

if TYPE_CHECKING:
    from holdfast.analysis.room import Analysis

_COPY_MARK = b"\1"
"""Marks a line in an exact or renamed clone."""
_GAPPED_MARK = b"\2"
"""Marks another line in a gapped clone."""
_NO_FUNCTIONS = "Exact and renamed clones are found by sorting, which needs no GPU."


def find_clones(room: Analysis, project: Project, query: CloneQuery, scan: Scan | None = None) -> CloneReport:
    """Return the clones of a project; with a scan of it, the file stats are not read again."""
    lexed = room.scan_tokens(project, stats=None if scan is None else scan.stats)
    return clones_of(room, lexed, query, project)


def cached_clones(room: Analysis, project: Project, query: CloneQuery, scan: Scan) -> CloneReport:
    """Return the clones of a project, searched again only if its scan changed."""
    cache_key = f"clones {project} {query}"
    return room.cached(cache_key, scan, lambda: find_clones(room, project, query, scan))


def clones_of(
    room: Analysis, scan: FileScan[TokenStream], query: CloneQuery, project: Project
) -> CloneReport:
    """Return the clones of a project from a scan of its tokens."""
    cache_key = f"clones {sorted(query.kinds)} {query.min_lines} {query.threshold} {query.gpu}"
    return room.cached(
        cache_key, scan, lambda: clones_in(scan.files, query, lambda: room.scan(project).files)
    )


@without_garbage_collection()
def clones_in(
    files: Mapping[str, TokenStream], query: CloneQuery, records: Callable[[], Mapping[str, Record]] = dict
) -> CloneReport:
    """Return the clones of files, given their tokens in the order of their paths.

    `records` is called only if functions are compared. Without records, whole files are compared, but not
    whole functions.
    """
    # These import NumPy, which other analyses do not need.
    from holdfast.analysis.duplicates.near_clones import near_clones
    from holdfast.analysis.duplicates.token_clones import exact_clones, renamed_clones
    from holdfast.analysis.duplicates.whole_clones import add_whole_clones
    from holdfast.analysis.duplicates.windows import CloneCorpus

    corpus = CloneCorpus(token_table(files))
    classes: list[CloneClass] = []
    if "exact" in query.kinds:
        classes += exact_clones(corpus, query)
    if "renamed" in query.kinds:
        classes += renamed_clones(corpus, query)
    gpu = GpuUse(query.gpu, reason=_NO_FUNCTIONS) if query.gpu else GpuUse()
    compares_functions = bool(query.kinds - COPY_KINDS)
    functions = records() if compares_functions else {}
    classes = add_whole_clones(classes, corpus, functions, query)
    if compares_functions:
        near, gpu = near_clones(corpus, indentations(files), functions, query)
        classes += near
    classes = _distinct(classes)
    lines = {path: stream.lines for path, stream in files.items()}
    marks = _mark_lines(classes, lines)
    copied, gapped = _count_marks(marks, _COPY_MARK), _count_marks(marks, _GAPPED_MARK)
    return CloneReport(tuple(classes), lines, copied, gapped, gpu)


def _distinct(classes: Iterable[CloneClass]) -> list[CloneClass]:
    """Return the classes in order, and of those with the same content only the first."""
    by_id: dict[str, CloneClass] = {}
    for clone in sorted(classes, key=lambda clone: clone.sort_key):
        by_id.setdefault(clone.id, clone)
    return list(by_id.values())


def _mark_lines(classes: Collection[CloneClass], lines: Mapping[str, int]) -> dict[str, bytes]:
    """Return one byte for each line of the files with clones: one of the marks, or zero."""
    marks: dict[str, bytearray] = {}
    gapped = [clone for clone in classes if clone.kind == "gapped"]
    copies = [clone for clone in classes if clone.kind in COPY_KINDS]
    for clone in [*gapped, *copies]:  # copies last: their mark prevails
        mark = _COPY_MARK if clone.kind in COPY_KINDS else _GAPPED_MARK
        for fragment in clone.fragments:
            start, end = fragment.start_line - 1, fragment.end_line
            if fragment.file not in marks:
                marks[fragment.file] = bytearray(lines[fragment.file])
            marks[fragment.file][start:end] = mark * (end - start)
    return {path: bytes(marks[path]) for path in sorted(marks)}


def _count_marks(marks: Mapping[str, bytes], mark: bytes) -> dict[str, int]:
    """Return the number of lines with a mark in each file that has any."""
    counts = {path: line_marks.count(mark) for path, line_marks in marks.items()}
    return {path: count for path, count in counts.items() if count}
