"""Rules: Markdown lists in `.task/rules/`, with a table that records where each rule came from.

Contract:
- The files are authoritative, and people may edit them. A list item below a heading is a rule of that type,
  together with the indented lines that follow. A change rewrites only the lines of its rule.
- `workspace_rules.md` takes precedence: a standard rule similar to one of its rules is not listed.
- A removed rule stays in the table, marked inactive.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.files.locks import locked
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.watching.file_signature import signature_of
from holdfast.tasks.store.statements import insert, on_conflict_update
from holdfast.tasks.texts.documents import text_at

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

RuleType = Literal["coding", "git", "testing", "security", "performance", "custom"]
Scope = Literal["standard", "workspace"]

RULE_TYPES: tuple[RuleType, ...] = get_args(RuleType)
FILES: dict[Scope, RepoPath] = {
    "standard": RepoPath.parse(".task/rules/standard_rules.md"),
    "workspace": RepoPath.parse(".task/rules/workspace_rules.md"),
}
RULE_FILE_BYTES = 256 * 1024
"""A chosen bound: thousands of rules, far more than anyone would read."""
SIMILAR_SHARE = 0.8
"""Two rules are similar when they share this part of their words. A judgement: it catches one reworded or
added word in five, and keeps "Run the tests" and "Run the linter" apart."""

_HEADINGS: dict[Scope, str] = {
    "standard": "# Standard rules\n",
    "workspace": "# Rules of this workspace\n\nThey take precedence over the standard rules.\n",
}
_HEADING = re.compile(r"##\s+(.+?)\s*$")
_RULE = re.compile(r"([-*+]|\d+[.)])\s+(.+?)\s*$")
_FENCES = ("```", "~~~")
_COLUMNS = ("id", "workspace", "scope", "type", "text", "confidence", "source", "active", "created_at")
_INSERT = insert("rule", _COLUMNS, on_conflict_update("id", ("active", "confidence", "source")))


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    type: RuleType
    text: str
    scope: Scope

    @property
    def id(self) -> str:
        """Return an id derived from the rule's type and text."""
        return f"r_{hashlib.sha256(f'{self.type}|{self.text}'.encode()).hexdigest()[:8]}"


def active(room: Tasks) -> list[Rule]:
    """Return the active rules, those of the workspace first; cached until a file changes."""
    version = signature_of(f"{room.repository.root}/{path.text}" for path in FILES.values())
    cached: list[Rule] | None = room.memory.get("rules", version)
    if cached is None:
        own = _read(room, "workspace")
        standard = [
            rule
            for rule in _read(room, "standard")
            if not any(is_similar(rule.text, item.text) for item in own)
        ]
        cached = room.memory.put("rules", version, [*own, *standard])
    return list(cached)


def markdown(room: Tasks) -> str:
    """Return the active rules as one Markdown document."""
    return _written("standard", active(room)).replace(_HEADINGS["standard"], "# Rules\n", 1)


def add(room: Tasks, rule: Rule, *, source: str, confidence: float = 1.0) -> Rule:
    """Add a rule unless a similar one of its type exists; return the one that is active."""
    with _locked(room):
        rules = _read(room, rule.scope)
        known = next(
            (item for item in rules if item.type == rule.type and is_similar(item.text, rule.text)), None
        )
        if known is not None:
            return known
        _write(room, rule.scope, _with_rule(_lines(room, rule.scope), rule))
        _index(room, [(rule, True)], source, confidence)
    return rule


def replace(room: Tasks, identity: str, text: str, *, source: str) -> Rule:
    """Reword a rule."""
    with _locked(room):
        lines, place = _find(room, identity)
        changed = Rule(place.rule.type, text, place.rule.scope)
        lines[place.first : place.end] = [f"{place.bullet} {text}"]
        _write(room, changed.scope, lines)
        _index(room, [(place.rule, False), (changed, True)], source)
    return changed


def remove(room: Tasks, identity: str, *, source: str) -> Rule:
    """Remove a rule from its file and mark it inactive in the table."""
    with _locked(room):
        lines, place = _find(room, identity)
        del lines[place.first : place.end]
        _write(room, place.rule.scope, lines)
        _index(room, [(place.rule, False)], source)
    return place.rule


def write_starter_rules(room: Tasks, starters: Sequence[tuple[str, str]]) -> list[Rule]:
    """Write the rule files of a new workspace unless they exist, and return the active rules."""
    with _locked(room):
        tree = Tree(room.repository)
        rules = [Rule(rule_type(kind), text, "standard") for kind, text in starters]
        if not tree.exists(FILES["standard"]):
            _write(room, "standard", _written("standard", rules).split("\n"))
            _index(room, [(rule, True) for rule in rules], "init")
        if not tree.exists(FILES["workspace"]):
            _write(room, "workspace", _written("workspace", []).split("\n"))
    return active(room)


def rule_type(text: str) -> RuleType:
    """Return the rule type that a heading names, or `custom` for any other heading."""
    word = text.strip().lower()
    return next((kind for kind in RULE_TYPES if kind == word), "custom")


def is_similar(one: str, other: str) -> bool:
    """Return whether two rules share so many words that they count as the same rule."""
    first, second = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return bool(first and second) and len(first & second) / max(len(first), len(second)) >= SIMILAR_SHARE


@contextmanager
def _locked(room: Tasks) -> Iterator[None]:
    """Hold the lock that keeps other Holdfast processes from writing the rule files."""
    if room.repository.bare:
        raise InvalidArguments("A bare repository has no rule files.", hint="Use a clone with a work tree.")
    room.repository.ensure_store()
    with locked(os.path.join(room.repository.store_directory, "task-rules")):
        yield


def _read(room: Tasks, scope: Scope) -> list[Rule]:
    return [place.rule for place in _places(_lines(room, scope), scope)]


def _lines(room: Tasks, scope: Scope) -> list[str]:
    """Return the lines of a rule file; if it does not exist, those of an empty one."""
    if room.repository.bare:
        return []
    text = text_at(room, FILES[scope], RULE_FILE_BYTES)
    return (_HEADINGS[scope] if text is None else text).split("\n")


@dataclass(frozen=True, slots=True)
class _Place:
    """A rule and the lines it occupies in its file."""

    rule: Rule
    heading: str
    bullet: str
    first: int
    end: int


def _places(lines: Sequence[str], scope: Scope) -> list[_Place]:
    heading, is_code = "", False
    found: list[_Place] = []
    for number, line in enumerate(lines):
        if line.lstrip().startswith(_FENCES):
            is_code = not is_code
        elif is_code:
            continue
        elif (titled := _HEADING.match(line)) is not None:
            heading = titled[1].lower()
        elif (item := _RULE.match(line)) is not None:
            rule = Rule(rule_type(heading), item[2], scope)
            found.append(_Place(rule, heading, item[1], number, number + 1))
        elif found and found[-1].end == number and line[:1].isspace() and line.strip():
            last = found.pop()
            rule = Rule(last.rule.type, f"{last.rule.text} {line.strip()}", scope)
            found.append(_Place(rule, heading, last.bullet, last.first, number + 1))
    return found


def _with_rule(lines: list[str], rule: Rule) -> list[str]:
    """Return the lines of a file with a rule appended below its heading, or below a new one."""
    ends = [place.end for place in _places(lines, rule.scope) if place.heading == rule.type]
    if ends:
        return [*lines[: ends[-1]], f"- {rule.text}", *lines[ends[-1] :]]
    return ["\n".join(lines).rstrip("\n"), "", f"## {rule.type.capitalize()}", "", f"- {rule.text}", ""]


def _write(room: Tasks, scope: Scope, lines: Sequence[str]) -> None:
    tree = Tree(room.repository)
    tree.make_parents(FILES[scope])
    tree.write(FILES[scope], "\n".join(lines).encode())


def _written(scope: Scope, rules: Sequence[Rule]) -> str:
    parts = [_HEADINGS[scope]]
    for kind in RULE_TYPES:
        of_kind = [rule for rule in rules if rule.type == kind]
        if of_kind:
            parts.append(f"\n## {kind.capitalize()}\n\n" + "".join(f"- {rule.text}\n" for rule in of_kind))
    return "".join(parts)


def _find(room: Tasks, identity: str) -> tuple[list[str], _Place]:
    for scope in FILES:
        lines = _lines(room, scope)
        for place in _places(lines, scope):
            if place.rule.id == identity:
                return lines, place
    raise NotFound(
        f'There is no rule "{identity[:40]}".',
        hint="The action `list` shows the rules and their ids.",
        rule_id=identity,
    )


def _index(room: Tasks, rules: Iterable[tuple[Rule, bool]], source: str, confidence: float = 1.0) -> None:
    """Record in the table where rules came from, and whether each is active."""
    with room.writing() as transaction:
        workspace = transaction.workspace.id
        for rule, active in rules:
            values = {
                "id": f"{workspace}/{rule.scope}/{rule.id}",
                "workspace": workspace,
                "scope": rule.scope,
                "type": rule.type,
                "text": rule.text,
                "confidence": confidence,
                "source": source,
                "active": int(active),
                "created_at": transaction.now,
            }
            transaction.execute(_INSERT, values)
