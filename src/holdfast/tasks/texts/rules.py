"""The rules of a workspace: Markdown lists in `.task/rules/`, and a table of where each rule came from.

Contract:
- The files are authoritative, and people may edit them. A list item below a heading is a rule of that type,
  together with the indented lines that follow it. A change rewrites only the lines of its rule.
- `workspace_rules.md` takes precedence: a standard rule that is similar to one of its rules is inactive.
- A removed rule stays in the table, marked as inactive.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.files.locks import locked
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.watching.file_signature import signature_of
from holdfast.tasks.store.statements import insert, on_conflict_update
from holdfast.tasks.texts.documents import read_text

if TYPE_CHECKING:
    from holdfast.tasks.store.tasks import Tasks

RuleType = Literal["coding", "git", "testing", "security", "performance", "custom"]
Scope = Literal["standard", "workspace"]

RULE_TYPES: tuple[RuleType, ...] = get_args(RuleType)
FILES: dict[Scope, RepoPath] = {
    "standard": RepoPath.parse(".task/rules/standard_rules.md"),
    "workspace": RepoPath.parse(".task/rules/workspace_rules.md"),
}
MAX_RULE_FILE_BYTES = 256 * 1024
"""A judgement: thousands of rules, far more than anyone would read."""
MIN_SHARED_WORDS = 0.8
"""Two rules are similar from this share of common words. A judgement: one word in five may differ, and
"Run the tests" and "Run the linter" stay different."""

_FILE_HEADERS: dict[Scope, str] = {
    "standard": "# Standard rules\n",
    "workspace": "# Rules of this workspace\n\nThey take precedence over the standard rules.\n",
}
_HEADING = re.compile(r"##\s+(.+?)\s*$")
_LIST_ITEM = re.compile(r"([-*+]|\d+[.)])\s+(.+?)\s*$")
_FENCES = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a workspace."""

    type: RuleType
    text: str
    scope: Scope

    @property
    def id(self) -> str:
        """An id derived from type and text; 32 bits are enough to tell a workspace's rules apart."""
        return f"r_{hashlib.sha256(f'{self.type}|{self.text}'.encode()).hexdigest()[:8]}"


def active_rules(room: Tasks) -> list[Rule]:
    """Return the active rules, those of the workspace first; they are cached until a file changes."""
    version = signature_of(f"{room.repository.root}/{path.text}" for path in FILES.values())
    cached: list[Rule] | None = room.cache.get("rules", version)
    if cached is None:
        own = _read_rules(room, "workspace")
        standard = [
            rule
            for rule in _read_rules(room, "standard")
            if not any(is_similar(rule.text, item.text) for item in own)
        ]
        cached = room.cache.put("rules", version, [*own, *standard])
    return list(cached)


def markdown(room: Tasks) -> str:
    """Return the active rules as one Markdown document."""
    return _to_markdown("# Rules\n", active_rules(room))


def add(room: Tasks, rule: Rule, *, source: str, confidence: float = 1.0) -> Rule:
    """Add a rule, or return the similar rule of its type that exists already."""
    with _locked(room):
        rules = _read_rules(room, rule.scope)
        for present in rules:
            if present.type == rule.type and is_similar(present.text, rule.text):
                return present
        _write(room, rule.scope, _append_rule(_read_lines(room, rule.scope), rule))
        _record_rules(room, source, added=[rule], confidence=confidence)
    return rule


def replace(room: Tasks, identity: str, text: str, *, source: str) -> Rule:
    """Give a rule a new text, and return the changed rule."""
    with _locked(room):
        lines, location = _find_rule(room, identity)
        changed = Rule(location.rule.type, text, location.rule.scope)
        lines[location.start : location.end] = [f"{location.bullet} {text}"]
        _write(room, changed.scope, lines)
        _record_rules(room, source, added=[changed], removed=[location.rule])
    return changed


def remove(room: Tasks, identity: str, *, source: str) -> Rule:
    """Remove a rule from its file, mark it as inactive in the table, and return it."""
    with _locked(room):
        lines, location = _find_rule(room, identity)
        del lines[location.start : location.end]
        _write(room, location.rule.scope, lines)
        _record_rules(room, source, removed=[location.rule])
    return location.rule


def write_starter_rules(room: Tasks, starters: Sequence[tuple[str, str]]) -> list[Rule]:
    """Write the rule files of a new workspace unless they exist, and return the active rules."""
    with _locked(room):
        tree = Tree(room.repository)
        rules = [Rule(rule_type(kind), text, "standard") for kind, text in starters]
        if not tree.exists(FILES["standard"]):
            _write(room, "standard", [_to_markdown(_FILE_HEADERS["standard"], rules)])
            _record_rules(room, "init", added=rules)
        if not tree.exists(FILES["workspace"]):
            _write(room, "workspace", [_FILE_HEADERS["workspace"]])
    return active_rules(room)


def rule_type(text: str) -> RuleType:
    """Return the rule type that a heading names, or `custom` for any other heading."""
    name = text.strip().lower()
    return next((kind for kind in RULE_TYPES if kind == name), "custom")


def is_similar(first: str, second: str) -> bool:
    """Return whether two rules share so many words that one of them is superfluous."""
    words, second_words = (set(re.findall(r"\w+", text.lower())) for text in (first, second))
    if not words or not second_words:
        return False
    return len(words & second_words) / max(len(words), len(second_words)) >= MIN_SHARED_WORDS


@contextmanager
def _locked(room: Tasks) -> Iterator[None]:
    """Hold the lock on the rule files, which keeps out other Holdfast processes but no editor."""
    if room.repository.bare:
        raise InvalidArguments("A bare repository has no rule files.", hint="Use a clone with a work tree.")
    room.repository.ensure_store()
    with locked(os.path.join(room.repository.store_directory, "task-rules")):
        yield


def _read_rules(room: Tasks, scope: Scope) -> list[Rule]:
    return [location.rule for location in _locate_rules(_read_lines(room, scope), scope)]


def _read_lines(room: Tasks, scope: Scope) -> list[str]:
    """Return the lines of a rule file or, if it does not exist, of a new one without rules."""
    if room.repository.bare:
        return []
    text = read_text(room, FILES[scope], MAX_RULE_FILE_BYTES)
    return (_FILE_HEADERS[scope] if text is None else text).split("\n")


@dataclass(frozen=True, slots=True)
class _RuleLocation:
    """A rule, and where it is in its file."""

    rule: Rule
    heading: str
    bullet: str
    """The list marker, such as `-` or `1.`."""
    start: int
    """The index of its first line."""
    end: int
    """The index after its last line."""


def _locate_rules(lines: Sequence[str], scope: Scope) -> list[_RuleLocation]:
    """Return the rules in the lines of a file, in order; list items in code blocks are not rules."""
    heading, is_code = "", False
    locations: list[_RuleLocation] = []
    for number, line in enumerate(lines):
        if line.lstrip().startswith(_FENCES):
            is_code = not is_code
        elif is_code:
            continue
        elif (titled := _HEADING.match(line)) is not None:
            heading = titled[1].lower()
        elif (item := _LIST_ITEM.match(line)) is not None:
            rule = Rule(rule_type(heading), item[2], scope)
            locations.append(_RuleLocation(rule, heading, item[1], number, number + 1))
        elif locations and locations[-1].end == number and line[:1].isspace() and line.strip():
            last = locations.pop()
            rule = Rule(last.rule.type, f"{last.rule.text} {line.strip()}", scope)
            locations.append(_RuleLocation(rule, heading, last.bullet, last.start, number + 1))
    return locations


def _append_rule(lines: list[str], rule: Rule) -> list[str]:
    """Return the lines of a file with a rule appended below its heading, which is added if necessary."""
    ends = [location.end for location in _locate_rules(lines, rule.scope) if location.heading == rule.type]
    if ends:
        return [*lines[: ends[-1]], f"- {rule.text}", *lines[ends[-1] :]]
    return ["\n".join(lines).rstrip("\n"), "", f"## {rule.type.capitalize()}", "", f"- {rule.text}", ""]


def _write(room: Tasks, scope: Scope, lines: Sequence[str]) -> None:
    tree = Tree(room.repository)
    tree.make_parents(FILES[scope])
    tree.write(FILES[scope], "\n".join(lines).encode())


def _to_markdown(header: str, rules: Sequence[Rule]) -> str:
    parts = [header]
    for kind in RULE_TYPES:
        of_kind = [rule for rule in rules if rule.type == kind]
        if of_kind:
            parts.append(f"\n## {kind.capitalize()}\n\n" + "".join(f"- {rule.text}\n" for rule in of_kind))
    return "".join(parts)


def _find_rule(room: Tasks, identity: str) -> tuple[list[str], _RuleLocation]:
    """Return the lines of the file with a rule, and where in them the rule is."""
    for scope in FILES:
        lines = _read_lines(room, scope)
        for location in _locate_rules(lines, scope):
            if location.rule.id == identity:
                return lines, location
    raise NotFound(
        f'There is no rule "{identity[:40]}".',
        hint="The action `list` shows the rules and their ids.",
        rule_id=identity,
    )


def _record_rules(
    room: Tasks,
    source: str,
    *,
    added: Sequence[Rule] = (),
    removed: Sequence[Rule] = (),
    confidence: float = 1.0,
) -> None:
    """Store in the table where rules came from, and whether each is active."""
    with room.writing() as transaction:
        workspace = transaction.workspace.id
        for rule in (*removed, *added):
            values = {
                "id": f"{workspace}/{rule.scope}/{rule.id}",
                "workspace": workspace,
                "scope": rule.scope,
                "type": rule.type,
                "text": rule.text,
                "confidence": confidence,
                "source": source,
                "active": int(rule in added),
                "created_at": transaction.now,
            }
            conflict = on_conflict_update("id", ("active", "confidence", "source"))
            transaction.execute(insert("rule", values, conflict), values)
