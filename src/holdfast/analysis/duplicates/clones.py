"""Finds the clones of a project, of all requested kinds: the entry point of this folder.

Contract: the result does not depend on the number of processes that read the files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from holdfast.analysis.duplicates.clone import COPY_KINDS, CloneKind, CloneQuery, FragmentGroup
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.duplicates.gpu_use import GpuUse
from holdfast.analysis.duplicates.places import one_per_place
from holdfast.analysis.engine.scan import FileScan, Project
from holdfast.analysis.engine.test_files import is_in_tests
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.storage.garbage_collection import without_garbage_collection
from holdfast.syntax.record import Record

if TYPE_CHECKING:
    from holdfast.analysis.duplicates.statements import Statements
    from holdfast.analysis.room import Analysis

_GPU_NOT_NEEDED = "Exact and renamed clones are found by sorting, which needs no GPU."


def project_clones(
    room: Analysis, tokens: FileScan[TokenStream], project: Project, query: CloneQuery
) -> CloneReport:
    """Return the clones of a project, given a scan of its tokens; cached until a file changes."""
    cache_key = (
        f"clones {sorted(query.kinds)} {query.min_lines} {query.min_tokens} {query.threshold} {query.gpu}"
    )

    def compute() -> CloneReport:
        from holdfast.analysis.duplicates.token_columns import KeptColumns

        statements = room.kept("columns of tokens", KeptColumns).statements
        return clones_in_files(tokens.files, query, lambda: room.scan(project).files, statements)

    return room.cached(cache_key, tokens, compute)


@without_garbage_collection()
def clones_in_files(
    files: Mapping[str, TokenStream],
    query: CloneQuery,
    read_records: Callable[[], Mapping[str, Record]],
    statements_of: Callable[[Mapping[str, TokenStream]], Statements] | None = None,
) -> CloneReport:
    """Return the clones of files, given their tokens in the order of their paths.

    `read_records` returns the records of the files, which locate functions. It is called only if gapped or
    semantic clones are requested; otherwise equal functions are found as repeated lines. `statements_of` may
    remember the statements of files.
    """
    # These import NumPy, which other analyses do not need.
    from holdfast.analysis.duplicates.near_clones import near_clones
    from holdfast.analysis.duplicates.token_clones import exact_clones, renamed_clones
    from holdfast.analysis.duplicates.token_columns import KeptColumns
    from holdfast.analysis.duplicates.whole_clones import add_whole_clones

    statements = (statements_of or KeptColumns().statements)(files)
    groups: list[FragmentGroup] = []
    if "exact" in query.kinds:
        groups += exact_clones(statements, query)
    if "renamed" in query.kinds:
        groups += renamed_clones(statements, query)
    gpu = GpuUse(query.gpu, reason=_GPU_NOT_NEEDED) if query.gpu else GpuUse()
    compares_functions = bool(query.kinds - COPY_KINDS)
    groups = _one_per_place(add_whole_clones(groups, statements, {}, query))
    duplicate = _covered_lines(groups, COPY_KINDS)  # the same whether or not functions are compared
    if compares_functions:
        records = read_records()
        groups = _one_per_place(add_whole_clones(groups, statements, records, query))
        near_groups, gpu = near_clones(statements, records, query)
        groups += near_groups
    groups = _distinct(groups)
    # A line in clones of both kinds counts once, as a duplicate, so that the counts may be added.
    gapped = _covered_lines(groups, {*COPY_KINDS, "gapped"}) if compares_functions else {}
    gapped_only = {path: bits & ~duplicate.get(path, 0) for path, bits in gapped.items()}
    tests = _test_files(files)

    def rank(group: FragmentGroup) -> tuple[bool, bool]:
        return group.kind == "semantic", all(fragment.file in tests for fragment in group.fragments)

    return CloneReport(
        tuple(sorted(groups, key=rank)),
        {path: stream.lines for path, stream in files.items()},
        duplicate_lines={path: bits.bit_count() for path, bits in duplicate.items()},
        gapped_lines={path: bits.bit_count() for path, bits in gapped_only.items() if bits},
        test_files=tests,
        gpu=gpu,
    )


def _test_files(paths: Collection[str]) -> frozenset[str]:
    """Return the tests and examples among files; none if there are no others."""
    tests = frozenset(filter(is_in_tests, paths))
    return frozenset() if len(tests) == len(paths) else tests


def _one_per_place(groups: Collection[FragmentGroup]) -> list[FragmentGroup]:
    """Return the groups, with each place in one exact or renamed group."""
    copies = one_per_place(group for group in groups if group.kind in COPY_KINDS)
    return [*copies, *(group for group in groups if group.kind not in COPY_KINDS)]


def _distinct(groups: Iterable[FragmentGroup]) -> list[FragmentGroup]:
    """Return the groups in order, and of those with the same content only the first."""
    by_id: dict[str, FragmentGroup] = {}
    for group in sorted(groups, key=lambda group: group.sort_key):
        by_id.setdefault(group.id, group)
    return list(by_id.values())


def _covered_lines(groups: Iterable[FragmentGroup], kinds: Collection[CloneKind]) -> dict[str, int]:
    """Return the lines of each file that groups of some kinds cover, as an integer whose bit n is line n."""
    covered: dict[str, int] = {}
    for fragment in (fragment for group in groups if group.kind in kinds for fragment in group.fragments):
        bits = (1 << fragment.end_line + 1) - (1 << fragment.start_line)
        covered[fragment.file] = covered.get(fragment.file, 0) | bits
    return dict(sorted(covered.items()))
