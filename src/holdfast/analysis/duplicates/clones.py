"""The clones of a project, of every kind that is asked for, found once for the same files.

Contract: classes come in one order whatever the number of processes: copies first, and of each sort
those that repeat most.
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
    """Return the clones of a project; who has a scan of it spares its files a second look."""
    lexed = room.scan_tokens(project, stats=None if scan is None else scan.stats)
    return clones_of(room, lexed, wanted, project)


def kept_clones(room: Analysis, project: Project, wanted: CloneQuery, scan: Scan) -> CloneReport:
    """Return the clones of a project, found anew only where something in its scan changed."""
    question = f"clones {project} {wanted}"
    return room.cached(question, scan, lambda: find_clones(room, project, wanted, scan))


def clones_of(
    room: Analysis, scan: FileScan[TokenStream], wanted: CloneQuery, project: Project
) -> CloneReport:
    """Return the clones of a project whose tokens are known."""
    question = f"clones {sorted(wanted.kinds)} {wanted.min_lines} {wanted.threshold} {wanted.gpu}"
    return room.cached(
        question, scan, lambda: clones_in(scan.files, wanted, lambda: room.scan(project).files)
    )


@without_garbage_collection()
def clones_in(
    files: Mapping[str, TokenStream], wanted: CloneQuery, records: Callable[[], Mapping[str, Record]] = dict
) -> CloneReport:
    """Return the clones of files, given their tokens in the order of their paths.

    Their records are asked for only where functions are compared; else, of wholes, only files are.
    """
    # These bring numpy, which other analyses do without.
    from holdfast.analysis.duplicates.near_clones import near_clones
    from holdfast.analysis.duplicates.token_clones import exact_clones, renamed_clones
    from holdfast.analysis.duplicates.whole_clones import with_wholes
    from holdfast.analysis.duplicates.windows import Corpus

    corpus = Corpus(token_table(files))
    classes: list[CloneClass] = []
    if "exact" in wanted.kinds:
        classes += exact_clones(corpus, wanted)
    if "renamed" in wanted.kinds:
        classes += renamed_clones(corpus, wanted)
    gpu = GpuUse(wanted.gpu, reason=_NO_FUNCTIONS) if wanted.gpu else GpuUse()
    compares_functions = bool(wanted.kinds - COPIES)
    functions = records() if compares_functions else {}
    classes = with_wholes(classes, corpus, functions, wanted)
    if compares_functions:
        near, gpu = near_clones(corpus, indentations(files), functions, wanted)
        classes += near
    classes = _one_of_each(classes)
    lines = {path: stream.lines for path, stream in files.items()}
    marks = _marked(classes, lines)
    return CloneReport(tuple(classes), lines, _counted(marks, _COPY), _counted(marks, _NEAR), gpu)


def _one_of_each(classes: Iterable[CloneClass]) -> list[CloneClass]:
    """Return the classes in order, of those with the same content the one with most fragments."""
    found: dict[str, CloneClass] = {}
    for one in sorted(classes, key=lambda one: one.order):
        found.setdefault(one.id, one)
    return list(found.values())


def _marked(classes: Iterable[CloneClass], lines: Mapping[str, int]) -> dict[str, bytes]:
    """Return for each file with clones a mark for every line: in a copy, in a gapped clone, or in none."""
    marks: dict[str, bytearray] = {}
    sure = (one for one in classes if one.kind != "semantic")
    for one in sorted(sure, key=lambda one: one.kind in COPIES):  # copies last: their mark is what stays
        mark = _COPY if one.kind in COPIES else _NEAR
        for fragment in one.fragments:
            start, end = fragment.start_line - 1, fragment.end_line
            if fragment.file not in marks:
                marks[fragment.file] = bytearray(lines[fragment.file])
            marks[fragment.file][start:end] = mark * (end - start)
    return {path: bytes(marks[path]) for path in sorted(marks)}


def _counted(marks: Mapping[str, bytes], mark: bytes) -> dict[str, int]:
    return {path: count for path, marked in marks.items() if (count := marked.count(mark))}
