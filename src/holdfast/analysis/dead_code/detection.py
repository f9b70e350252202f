"""The sweep phase: reports the definitions that the mark phase left unreached, and unused code within files.

For example, if nothing calls `def save(): encode()`, then `save` is reported with confidence 0.95, and
`encode` with 0.8, since `save` uses it. If a template contains the word `save`, both are reported with 0.45.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from holdfast.analysis.columns.kept_results import KeptResults
from holdfast.analysis.dead_code.doubt import Doubt
from holdfast.analysis.dead_code.entry_points import EntryPoints, entry_points
from holdfast.analysis.dead_code.evidence import Evidence
from holdfast.analysis.dead_code.file_facts import FileFacts, facts_by_file, file_facts
from holdfast.analysis.dead_code.public_api import PublicApi
from holdfast.analysis.dead_code.reachability import UNREACHED, Reachability
from holdfast.analysis.dead_code.roots import registered_subclasses, root_definitions
from holdfast.analysis.dead_code.symbol_table import BY_IMPORT, FUNCTIONS, SymbolTable, reported_kind
from holdfast.analysis.dead_code.text_references import MAX_SEARCHED_BYTES, TextReferences, TextSearch
from holdfast.analysis.dead_code.unused_code import UnusedCode
from holdfast.analysis.dead_code.unused_in_file import unused_in_files
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.imports.layout import Layout
from holdfast.analysis.graph.resolution import Resolution
from holdfast.analysis.room import Analysis
from holdfast.kernel.call import current_call
from holdfast.storage.garbage_collection import without_garbage_collection

_MAX_CONFIDENCE = 0.95
"""The confidence of a finding without any doubt: a judgement. `bench/dead_code.py` checks the level that
results from it against code known to be dead or alive (docs/accuracy.md)."""
_CONFIDENCE_WITH_UNREACHED_USER = 0.8
"""The confidence if other unreached code uses the name, which may be alive: a judgement, checked likewise."""
_NOT_FOUND = "No reachable code uses the name: no call, attribute, import, export list or string"


class CachedInputs(NamedTuple):
    """Inputs that depend on single files, and so are cached from one analysis to the next."""

    roots: Mapping[str, Sequence[int]]
    """For each file, the indexes of its definitions that are roots."""
    facts: Mapping[str, FileFacts]
    """The facts of each file."""
    text_search: TextSearch
    """The search of the files that are not analysed as code."""


@without_garbage_collection()
def find_dead_code(resolution: Resolution, inputs: CachedInputs | None = None) -> tuple[UnusedCode, ...]:
    """Return all unused code of any confidence, by file and line."""
    if inputs is None:
        roots = {path: root_definitions(path, record) for path, record in resolution.records.items()}
        inputs = CachedInputs(roots, facts_by_file(resolution.records), _text_search(resolution.layout))
    symbols, entries = SymbolTable(resolution, inputs.facts), entry_points(resolution.layout)
    reachability = Reachability(symbols)
    reachability.run_first_round(_roots(symbols, entries, inputs.roots))
    current_call().progress(1, 3, "mark reachable code")
    unreached = [
        symbol
        for symbol, reached_in in enumerate(reachability.rounds)
        if reached_in == UNREACHED and reported_kind(symbols, symbol)
    ]
    public_api = PublicApi(symbols, entries)
    # All names, as searching for more of them takes no longer, and the next run may need others.
    references = inputs.text_search.find({definition.name for definition in symbols.definitions})
    evidence = Evidence(reachability, public_api, references, unreached)
    current_call().progress(2, 3, "collect weaker evidence")
    items = [*_unused_definitions(evidence, unreached), *unused_in_files(public_api)]
    return tuple(sorted(items, key=lambda item: (item.file, item.line, item.name, item.kind)))


def newly_dead_code(room: Analysis, repository: Scan, base: BaseCommit | None) -> Iterator[UnusedCode]:
    """Yield the dead code of the whole repository; with a base, only code that was not dead there."""
    items = room.cached("dead code", repository, lambda: _all_dead_code(room, repository))
    if base is None:
        yield from items
        return
    base_scan = base.scan(repository)
    base_items = items if base_scan.files == repository.files else _all_dead_code(room, base_scan)
    # Lines are not compared, because they shift.
    dead_at_base = {(item.file, item.kind, item.name, item.level) for item in base_items}
    for item in items:
        base_path = base.renames.get(item.file, item.file)
        if (base_path, item.kind, item.name, item.level) not in dead_at_base:
            yield item


def _all_dead_code(room: Analysis, scan: Scan) -> tuple[UnusedCode, ...]:
    resolution = room.resolution(scan)
    roots = room.cached_by_file("root definitions", scan, root_definitions, on_disk=True)
    facts = room.cached_by_file("facts for dead code", scan, file_facts)

    def read(path: str) -> bytes | None:
        return room.read_bytes(path, MAX_SEARCHED_BYTES)

    kept = KeptResults(room.repository, "text search")

    def make_search() -> TextSearch:
        version, known = kept.load().get("", (None, None))
        is_of_these_files = version is not None and version == scan.others_version
        return TextSearch(resolution.layout.unparsed, read, known if is_of_these_files else None)

    search = room.cached("text search", scan.others, make_search)
    items = find_dead_code(resolution, CachedInputs(roots, facts, search))
    if search.has_more and scan.others_version is not None and (known := search.known):
        kept.save({"": (scan.others_version, known)})
        search.has_more = False
    return items


def _text_search(layout: Layout) -> TextSearch:
    def read(path: str) -> bytes | None:
        text = layout.text(path)
        return None if text is None else text.encode("utf-8", "replace")

    return TextSearch(layout.unparsed, read)


def _roots(
    symbols: SymbolTable, entries: EntryPoints, roots_by_file: Mapping[str, Sequence[int]]
) -> Iterator[int]:
    """Yield the roots: by convention, by configuration, and as subclasses that a base class collects."""
    for file, path in enumerate(symbols.paths):
        start = symbols.starts[file]
        yield from (start + index for index in roots_by_file[path])
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for dotted, name in entries.functions:
            if module == dotted or module.endswith(f".{dotted}"):
                yield from symbols.resolve_export(file, name)
    yield from registered_subclasses(symbols)


def _unused_definitions(evidence: Evidence, unreached: list[int]) -> Iterator[UnusedCode]:
    """Run the rounds of weaker evidence; yield what only they reach, and what stays unreached."""
    symbols, reachability = evidence.symbols, evidence.reachability
    doubts: dict[int, Doubt] = {}
    call = current_call()
    for find_doubt in (evidence.low_doubt, evidence.medium_doubt):
        for symbol in unreached:
            call.check()
            is_open = symbol not in doubts and reachability.rounds[symbol] == UNREACHED
            if is_open and (doubt := find_doubt(symbol)):
                doubts[symbol] = doubt
        reachability.run_round(doubts)
    candidates = set(unreached)
    reported: set[tuple[int, str]] = set()
    for symbol in unreached:
        call.check()
        definition, container = symbols.definitions[symbol], symbols.containers[symbol]
        only_container_may_be_alive = reachability.rounds[container] and not reachability.rounds[symbol]
        if container in candidates and not only_container_may_be_alive:
            continue  # the finding on the container covers it
        file = symbols.file_of[symbol]
        # Definitions with the same path are overloads in some languages, else one definition replaced
        # another.
        may_be_overloaded = definition.kind in FUNCTIONS and symbols.families[file] not in BY_IMPORT
        if may_be_overloaded or (file, definition.path) not in reported:
            reported.add((file, definition.path))
            yield _unused_definition(evidence, symbol, doubts)


def _unused_definition(evidence: Evidence, symbol: int, doubts: dict[int, Doubt]) -> UnusedCode:
    symbols = evidence.symbols
    definition, path = symbols.definitions[symbol], symbols.paths[symbols.file_of[symbol]]
    doubt = _doubt(evidence, symbol, doubts)
    reason = f"{_NOT_FOUND} in {len(symbols.paths)} files"
    if doubt.reason:
        reason += f"; but {doubt.reason}"
    else:
        reason += _searched_text(evidence.text_references)
    kind = reported_kind(symbols, symbol)
    assert kind is not None  # only definitions with a kind are candidates
    return UnusedCode(
        kind, definition.path, path, definition.line, definition.end_line, doubt.confidence, f"{reason}."
    )


def _searched_text(references: TextReferences) -> str:
    """Return what a finding without doubt says about the files that are not analysed as code."""
    text = f", and no other file ({references.searched} searched) contains it" if references.searched else ""
    if references.unsearched:
        text += f"; {references.unsearched} could not be read, or are too large to be searched"
    return text


def _doubt(evidence: Evidence, symbol: int, doubts: dict[int, Doubt]) -> Doubt:
    """Return the confidence that a definition is dead, and what lowers it."""
    symbols, reachability = evidence.symbols, evidence.reachability
    if symbol in doubts:
        return doubts[symbol]
    origin = symbol
    while origin not in doubts and origin in reachability.reached_from:
        origin = reachability.reached_from[origin]
    if origin in doubts:
        path = symbols.definitions[origin].path
        return Doubt(doubts[origin].confidence, f"`{path}` leads to it: {doubts[origin].reason}")
    user = evidence.unreached_user(symbol)
    if user is not None:
        return Doubt(
            _CONFIDENCE_WITH_UNREACHED_USER, f"`{symbols.definitions[user].path}`, itself dead, uses it"
        )
    return Doubt(_MAX_CONFIDENCE, "")
