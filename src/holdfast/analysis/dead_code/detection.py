"""The sweep phase: reports the definitions that the mark phase did not reach, and unused code within files.

For example, `def save(): encode()` that nothing calls is reported with confidence 0.95, and so is `encode`
with 0.8, since `save` uses it. If a template contains the word `save`, both are reported with 0.45.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from holdfast.analysis.dead_code.entry_points import EntryPoints, entry_points
from holdfast.analysis.dead_code.evidence import Doubt, Evidence
from holdfast.analysis.dead_code.public_api import PublicApi
from holdfast.analysis.dead_code.reachability import UNREACHED, Reachability
from holdfast.analysis.dead_code.roots import registered_subclasses, root_definitions
from holdfast.analysis.dead_code.symbol_table import BY_IMPORT, CLASSES, SCOPES, SymbolTable
from holdfast.analysis.dead_code.text_references import text_references
from holdfast.analysis.dead_code.unused_code import Kind, UnusedCode
from holdfast.analysis.dead_code.unused_in_file import unused_in_files
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.resolution import Resolution
from holdfast.analysis.room import Analysis
from holdfast.kernel.call import current_call
from holdfast.kernel.machine import without_garbage_collection
from holdfast.syntax.record import MODULE
from holdfast.syntax.symbols import VARIABLES

NO_DOUBT = 0.95
UNREACHED_USER = 0.8
"""Confidence without any doubt, and if unreached code uses the name. Both are judgements; bench/dead_code.py
checks the resulting levels against code known to be dead or alive (docs/accuracy.md)."""
SEARCHED_FOR = "No reachable code uses the name: no call, attribute, import, export list or string"
FUNCTIONS = frozenset({"Function", "Method"})
PRIVATE_FIELDS = frozenset({"java", "csharp", "kotlin", "rust"})
"""Languages in which a field or constant that only its class can see is reported."""


class CachedInputs(NamedTuple):
    """Facts about single files, cached from one analysis to the next."""

    roots: Mapping[str, Sequence[int]]
    """The indexes of the root definitions of each file."""
    text_references: Mapping[str, str]
    """Each word of the files that are not code, with a file that contains it."""


@without_garbage_collection()
def find_dead_code(resolution: Resolution, known: CachedInputs | None = None) -> tuple[UnusedCode, ...]:
    """Return all unused code, by file and line, at any confidence."""
    roots, words = known or CachedInputs(
        {path: root_definitions(path, record) for path, record in resolution.records.items()},
        text_references(resolution.layout),
    )
    symbols, entries = SymbolTable(resolution), entry_points(resolution.layout)
    reachability = Reachability(symbols)
    reachability.run_first_round(_roots(symbols, entries, roots))
    current_call().progress(1, 3, "mark reachable code")
    rounds = enumerate(reachability.round)
    unreached = [symbol for symbol, reached in rounds if not reached and reported_kind(symbols, symbol)]
    names = {symbols.definitions[symbol].name for symbol in unreached}
    public_api = PublicApi(symbols, entries)
    evidence = Evidence(reachability, public_api, words)
    evidence.collect_occurrences(names)
    current_call().progress(2, 3, "collect weaker evidence")
    found = [*_unused_definitions(evidence, unreached), *unused_in_files(public_api)]
    return tuple(sorted(found, key=lambda item: (item.file, item.line, item.name, item.kind)))


def became_dead(room: Analysis, everything: Scan, base: BaseCommit | None) -> Iterator[UnusedCode]:
    """Yield the dead code of the whole repository; with a base, only what was not dead there."""
    findings = room.cached("dead code", everything, lambda: _all_dead_code(room, everything))
    if base is None:
        yield from findings
        return
    base_scan = base.scan(everything)
    before = findings if base_scan.files == everything.files else _all_dead_code(room, base_scan)
    known = {(item.file, item.kind, item.name, item.level) for item in before}  # without lines, which shift
    for item in findings:
        former = base.renames.get(item.file, item.file)
        if (former, item.kind, item.name, item.level) not in known:
            yield item


def _all_dead_code(room: Analysis, scan: Scan) -> tuple[UnusedCode, ...]:
    resolution = room.resolution(scan)
    roots = room.cached_by_file("root definitions", scan, root_definitions)
    words = room.cached("text references", scan.others, lambda: text_references(resolution.layout))
    return find_dead_code(resolution, CachedInputs(roots, words))


def _roots(symbols: SymbolTable, entries: EntryPoints, known: Mapping[str, Sequence[int]]) -> Iterator[int]:
    for file, path in enumerate(symbols.paths):
        start = symbols.starts[file]
        yield from (start + index for index in known[path])
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for dotted, name in entries.functions:
            if module == dotted or module.endswith(f".{dotted}"):
                yield from symbols.resolve_export(file, name)
    yield from registered_subclasses(symbols)


def _unused_definitions(evidence: Evidence, unreached: list[int]) -> Iterator[UnusedCode]:
    """Run the rounds of weaker evidence, and yield what they alone reach or nothing reaches."""
    symbols, reachability = evidence.symbols, evidence.reachability
    doubts: dict[int, Doubt] = {}
    for find_doubt in (evidence.low_doubt, evidence.medium_doubt):
        for symbol in unreached:
            if symbol not in doubts and reachability.round[symbol] == UNREACHED:
                doubt = find_doubt(symbol)
                if doubt is not None:
                    doubts[symbol] = doubt
        reachability.run_round(doubts)
    candidates = set(unreached)
    seen: set[tuple[int, str]] = set()
    for symbol in unreached:
        row, container = symbols.definitions[symbol], symbols.containers[symbol]
        only_container_may_be_alive = reachability.round[container] and not reachability.round[symbol]
        if container in candidates and not only_container_may_be_alive:
            continue  # the finding on the container covers it
        identity = (symbols.file_of[symbol], row.path)
        overloaded = row.kind in FUNCTIONS and symbols.families[symbols.file_of[symbol]] not in BY_IMPORT
        if identity not in seen or overloaded:  # redefined, not overloaded
            seen.add(identity)
            yield _finding(evidence, symbol, doubts)


def _finding(evidence: Evidence, symbol: int, doubts: dict[int, Doubt]) -> UnusedCode:
    symbols = evidence.symbols
    row, path = symbols.definitions[symbol], symbols.paths[symbols.file_of[symbol]]
    confidence, doubt = _confidence(evidence, symbol, doubts)
    reason = f"{SEARCHED_FOR} in {len(symbols.paths)} files{f'; but {doubt}' if doubt else ''}."
    kind = reported_kind(symbols, symbol)
    assert kind is not None  # only definitions with a kind are candidates
    return UnusedCode(kind, row.path, path, row.line, row.end_line, confidence, reason)


def _confidence(evidence: Evidence, symbol: int, doubts: dict[int, Doubt]) -> Doubt:
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
        return Doubt(UNREACHED_USER, f"`{symbols.definitions[user].path}`, itself dead, uses it")
    return Doubt(NO_DOUBT, "")


def reported_kind(symbols: SymbolTable, symbol: int) -> Kind | None:
    """Return the kind of finding for a definition, or None if it is never reported."""
    row, container = symbols.definitions[symbol], symbols.containers[symbol]
    file = symbols.file_of[symbol]
    language, family = symbols.records[file].language, symbols.families[file]
    container_kind = "" if container == MODULE else symbols.definitions[container].kind
    if row.kind in FUNCTIONS:
        if family == "script" and symbols.is_member[symbol] and container_kind not in CLASSES:
            return None  # a function in an object literal, used through the object
        return "method" if symbols.is_member[symbol] else "function"
    if row.kind in CLASSES:
        return None if row.kind == "Object" and language == "rust" else "class"
    if row.kind not in VARIABLES or container_kind == "EnumMember":
        return None
    if container == MODULE or container_kind in SCOPES:
        return "variable" if row.kind in ("Variable", "Constant") else None
    # Serialisers and any holder of an object may read its fields, so only private ones are reported.
    return "variable" if language in PRIVATE_FIELDS and not row.exported else None
