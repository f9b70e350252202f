"""Finds the clones of a project, of all requested kinds: the entry point of this folder.

Contract: the result does not depend on the number of processes that read the files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from holdfast.analysis.duplicates.clone import COPY_KINDS, CloneQuery, FragmentGroup
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.duplicates.gpu_use import GpuUse
from holdfast.analysis.engine.scan import FileScan, Project
from holdfast.analysis.engine.token_stream import TokenStream, indentations, token_table
from holdfast.kernel.machine import without_garbage_collection
from holdfast.syntax.record import Record

if TYPE_CHECKING:
    from holdfast.analysis.room import Analysis

_DUPLICATE_MARK = b"\1"
"""Marks a line in an exact or renamed clone."""
_GAPPED_MARK = b"\2"
"""Marks another line in a gapped clone."""
_NO_FUNCTIONS = "Exact and renamed clones are found by sorting, which needs no GPU."


def project_clones(
    room: Analysis, tokens: FileScan[TokenStream], project: Project, query: CloneQuery
) -> CloneReport:
    """Return the clones of a project, given a scan of its tokens; found again only if a file changed."""
    cache_key = f"clones {sorted(query.kinds)} {query.min_lines} {query.threshold} {query.gpu}"
    return room.cached(
        cache_key, tokens, lambda: clones_in_files(tokens.files, query, lambda: room.scan(project).files)
    )


@without_garbage_collection()
def clones_in_files(
    files: Mapping[str, TokenStream], query: CloneQuery, records: Callable[[], Mapping[str, Record]] = dict
) -> CloneReport:
    """Return the clones of files, given their tokens in the order of their paths.

    `records` returns the records of the files; it is called only if gapped or semantic clones are requested.
    Otherwise equal functions are found as repeated lines, and only whole files are compared as wholes.
    """
    # These import NumPy, which other analyses do not need.
    from holdfast.analysis.duplicates.near_clones import near_clones
    from holdfast.analysis.duplicates.token_clones import exact_clones, renamed_clones
    from holdfast.analysis.duplicates.whole_clones import add_whole_clones
    from holdfast.analysis.duplicates.windows import CloneCorpus

    corpus = CloneCorpus(token_table(files))
    groups: list[FragmentGroup] = []
    if "exact" in query.kinds:
        groups += exact_clones(corpus, query)
    if "renamed" in query.kinds:
        groups += renamed_clones(corpus, query)
    gpu = GpuUse(query.gpu, reason=_NO_FUNCTIONS) if query.gpu else GpuUse()
    compares_pieces = bool(query.kinds - COPY_KINDS)
    functions = records() if compares_pieces else {}
    groups = add_whole_clones(groups, corpus, functions, query)
    if compares_pieces:
        near_groups, gpu = near_clones(corpus, indentations(files), functions, query)
        groups += near_groups
    groups = _distinct(groups)
    line_counts = {path: stream.lines for path, stream in files.items()}
    marks = _mark_lines(groups, line_counts)
    return CloneReport(
        tuple(groups),
        line_counts,
        duplicate_lines=_count_marks(marks, _DUPLICATE_MARK),
        gapped_lines=_count_marks(marks, _GAPPED_MARK),
        gpu=gpu,
    )


def _distinct(groups: Iterable[FragmentGroup]) -> list[FragmentGroup]:
    """Return the groups in order, and of those with the same content only the first."""
    by_id: dict[str, FragmentGroup] = {}
    for group in sorted(groups, key=lambda group: group.sort_key):
        by_id.setdefault(group.id, group)
    return list(by_id.values())


def _mark_lines(groups: Collection[FragmentGroup], line_counts: Mapping[str, int]) -> dict[str, bytes]:
    """Return one byte for each line of the files with clones: one of the marks, or zero."""
    marks: dict[str, bytearray] = {}
    gapped = [group for group in groups if group.kind == "gapped"]
    copies = [group for group in groups if group.kind in COPY_KINDS]
    for group in [*gapped, *copies]:  # copies last: their mark prevails
        mark = _DUPLICATE_MARK if group.kind in COPY_KINDS else _GAPPED_MARK
        for fragment in group.fragments:
            start, end = fragment.start_line - 1, fragment.end_line
            if fragment.file not in marks:
                marks[fragment.file] = bytearray(line_counts[fragment.file])
            marks[fragment.file][start:end] = mark * (end - start)
    return {path: bytes(marks[path]) for path in sorted(marks)}


def _count_marks(marks: Mapping[str, bytes], mark: bytes) -> dict[str, int]:
    """Return the number of lines with a mark in each file that has any."""
    counts = {path: line_marks.count(mark) for path, line_marks in marks.items()}
    return {path: count for path, count in counts.items() if count}
