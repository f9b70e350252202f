"""The findings of a scan: definitions that nothing reaches, and what each file shows to be without use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from holdfast.analysis.dead_code.entry_points import EntryPoints, entry_points
from holdfast.analysis.dead_code.evidence import Doubt, Evidence
from holdfast.analysis.dead_code.interfaces import Interfaces
from holdfast.analysis.dead_code.liveness import UNREACHED, Liveness
from holdfast.analysis.dead_code.mentions import mentions
from holdfast.analysis.dead_code.namespace import BY_IMPORT, CLASSES, SPACES, Namespace
from holdfast.analysis.dead_code.roots import called_from_outside, derived_from_known
from holdfast.analysis.dead_code.unused import unused_in_files
from holdfast.analysis.dead_code.unused_code import Kind, UnusedCode
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.resolution import Resolution
from holdfast.analysis.room import Analysis
from holdfast.kernel.call import current_call
from holdfast.kernel.machine import without_garbage_collection
from holdfast.syntax.record import MODULE
from holdfast.syntax.symbols import VARIABLES

SURE = 0.95
LOOKED_FOR = "Nothing that is reached uses the name: no call, attribute, import, list of exports or string"
FUNCTIONS = frozenset({"Function", "Method"})
PRIVATE_FIELDS = frozenset({"java", "csharp", "kotlin", "rust"})
"""Languages of which fields and constants of classes are judged, where only their class can see them."""


class Known(NamedTuple):
    """What is known without looking at how files use each other, and kept from one analysis to the next."""

    roots: Mapping[str, Sequence[int]]
    """Of each file, what is called from outside."""
    mentioned: Mapping[str, str]
    """Where files that are no code name something."""


@without_garbage_collection()
def dead_code(resolution: Resolution, known: Known | None = None) -> tuple[UnusedCode, ...]:
    """Return everything that nothing uses, by file and line, whatever the confidence."""
    roots, mentioned = known or Known(
        {path: called_from_outside(path, record) for path, record in resolution.records.items()},
        mentions(resolution.layout),
    )
    space = Namespace(resolution)
    entries = entry_points(resolution.layout)
    live = Liveness(space)
    live.begin(_roots(space, entries, roots))
    current_call().progress(1, 3, "what is used")
    left = [one for one, reached in enumerate(live.round) if not reached and kind_of(space, one)]
    names = {space.definitions[one].name for one in left}
    interfaces = Interfaces(space, entries)
    evidence = Evidence(live, interfaces, mentioned)
    evidence.gather(names)
    current_call().progress(2, 3, "what may be used")
    found = [*_definitions(evidence, left), *unused_in_files(interfaces)]
    return tuple(sorted(found, key=lambda one: (one.file, one.line, one.name, one.kind)))


def became_dead(room: Analysis, everything: Scan, base: BaseCommit | None) -> Iterator[UnusedCode]:
    """Yield what is dead in the whole repository and, where there is a base, was not yet so there."""
    findings = room.cached("dead code", everything, lambda: _found(room, everything))
    if base is None:
        yield from findings
        return
    then = base.scan(everything)
    before = findings if then.files == everything.files else _found(room, then)
    known = {(one.file, one.kind, one.name, one.level) for one in before}  # lines move
    for one in findings:
        former = base.renames.get(one.file, one.file)
        if (former, one.kind, one.name, one.level) not in known:
            yield one


def _found(room: Analysis, scan: Scan) -> tuple[UnusedCode, ...]:
    resolution = room.resolution(scan)
    roots = room.cached_by_file("called from outside", scan, called_from_outside)
    mentioned = room.cached("mentions", scan.others, lambda: mentions(resolution.layout))
    return dead_code(resolution, Known(roots, mentioned))


def _roots(space: Namespace, entries: EntryPoints, known: Mapping[str, Sequence[int]]) -> Iterator[int]:
    for number, path in enumerate(space.paths):
        start = space.starts[number]
        yield from (start + index for index in known[path])
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for dotted, name in entries.functions:
            if module == dotted or module.endswith(f".{dotted}"):
                yield from space.offered(number, name)
    yield from derived_from_known(space)


def _definitions(evidence: Evidence, left: list[int]) -> Iterator[UnusedCode]:
    """Go through the rounds of weaker evidence, and yield what is left over or reached only in them."""
    space, live = evidence.space, evidence.live
    own: dict[int, Doubt] = {}
    for ask in (evidence.low, evidence.medium):
        for one in left:
            if live.round[one] == UNREACHED and one not in own and (doubt := ask(one)) is not None:
                own[one] = doubt
        live.go_on(own)
    open_ = set(left)
    seen: set[tuple[int, str]] = set()
    for one in left:
        row, around = space.definitions[one], space.containers[one]
        # What stands in something dead goes with it, unless it would be dead without it.
        if around in open_ and (live.round[around] == UNREACHED or live.round[one] != UNREACHED):
            continue
        again = (space.homes[one], row.path)
        overloaded = row.kind in FUNCTIONS and space.families[space.homes[one]] not in BY_IMPORT
        if again not in seen or overloaded:  # elsewhere the same name again is the same thing
            seen.add(again)
            yield _finding(evidence, one, own)


def _finding(evidence: Evidence, one: int, own: dict[int, Doubt]) -> UnusedCode:
    space = evidence.space
    row, path = space.definitions[one], space.paths[space.homes[one]]
    confidence, words = _judged(evidence, one, own)
    reason = f"{LOOKED_FOR} in {len(space.paths)} files{f'; but {words}' if words else ''}."
    kind = kind_of(space, one)
    assert kind is not None  # only these are left over
    return UnusedCode(kind, row.path, path, row.line, row.end_line, confidence, reason)


def _judged(evidence: Evidence, one: int, own: dict[int, Doubt]) -> Doubt:
    """Return how sure it is that a definition is dead, and what keeps it from being surer."""
    space, live = evidence.space, evidence.live
    if one in own:
        return own[one]
    origin = one
    while origin not in own and origin in live.through:
        origin = live.through[origin]
    if origin in own:
        path = space.definitions[origin].path
        return Doubt(own[origin].confidence, f"`{path}` leads to it, and of that: {own[origin].words}")
    user = evidence.in_dead_code(one)
    if user is not None:
        return Doubt(0.8, f"`{space.definitions[user].path}` uses it, which is as dead")
    return Doubt(SURE, "")


def _in_class(space: Namespace, one: int) -> bool:
    around = space.containers[one]
    return around != MODULE and space.definitions[around].kind in CLASSES


def kind_of(space: Namespace, one: int) -> Kind | None:
    """Return what a definition is called in findings, or None where none are made of it."""
    row, around = space.definitions[one], space.containers[one]
    language, family = space.records[space.homes[one]].language, space.families[space.homes[one]]
    if row.kind in FUNCTIONS:
        if family == "script" and space.is_member[one] and not _in_class(space, one):
            return None  # a function of an object, which is used with it
        return "method" if space.is_member[one] else "function"
    if row.kind in CLASSES:
        return None if row.kind == "Object" and language == "rust" else "class"
    if row.kind not in VARIABLES or (around != MODULE and space.definitions[around].kind == "EnumMember"):
        return None
    if around == MODULE or space.definitions[around].kind in SPACES:
        return "variable" if row.kind in ("Variable", "Constant") else None
    # Serialisers and whoever holds an object read fields; only what its class alone sees is judged.
    return "variable" if language in PRIVATE_FIELDS and not row.exported else None
