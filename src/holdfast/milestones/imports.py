"""Converts the issues of other trackers to drafts.

- GitHub: the REST API's response for issues, or `gh issue list --json` with the equivalent fields.
- beads: `issues.jsonl`, one issue a line.

Ids are derived from the source (UUID version 5), so that importing again changes nothing. What cannot be
imported is reported with the reason; the rest is imported.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from holdfast.kernel.clock import EPOCH, rfc3339
from holdfast.kernel.errors import Invalid, InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import EntityDraft, ImportedComment, Kind, Status, WriteReceipt
from holdfast.milestones.log.entry import Entry, is_uuid
from holdfast.milestones.log.operation_builder import OperationBuilder
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json

_NAMESPACE = uuid.UUID("6f0f1d5c-2f0b-5c39-8a5c-0c1a6d1f7b11")
_CLOSED_BEADS = ("closed", "tombstone")
_BLOCKING = ("blocks", "parent-child")

Skip = Callable[[str, str], None]
"""Records an item that is skipped, and why."""


def github_drafts(text: str, skip: Skip) -> Iterator[EntityDraft]:
    """Yield the issues and milestones in GitHub's JSON; pull requests are skipped."""
    issues = _document(text)
    yield from _milestones(issues)
    for issue in issues:
        if "pull_request" in issue:
            skip(_github_name(issue), "It is a pull request.")
        else:
            yield from _checked(_github_draft(issue), _github_name(issue), skip)


def beads_drafts(text: str, skip: Skip) -> Iterator[EntityDraft]:
    """Yield the issues of a beads file; deleted ones are skipped."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        found = _object(line)
        if not found or not _text(found, "id"):
            skip(f"line {number}", "It is not a JSON object with an id.")
        elif found.get("status") == "tombstone":
            skip(_text(found, "id"), "It was deleted.")
        else:
            draft, name = _beads_draft(found), _text(found, "id")
            if draft.id in draft.dependencies:
                skip(name, "It depends on itself; that dependency was dropped.")
                others = tuple(one for one in draft.dependencies if one != draft.id)
                draft = draft._replace(dependencies=others)
            yield from _checked(draft, name, skip)


def _github_draft(issue: dict[str, Any]) -> EntityDraft:
    milestone = _part(issue, "milestone")
    comments = issue.get("comments")
    created = _timestamp(_text(issue, "created_at", "createdAt"))
    return EntityDraft(
        kind="issue",
        title=_text(issue, "title"),
        description=_text(issue, "body"),
        status="closed" if _text(issue, "state").lower() == "closed" else "open",
        labels=tuple(_text(label, "name") for label in _parts(issue, "labels")),
        assignee=next((_login(person) for person in _parts(issue, "assignees")), None),
        milestone=_id("github milestone", _text(milestone, "title")) if milestone else None,
        links=tuple(filter(None, [_text(issue, "html_url", "url")])),
        comments=tuple(_comments(comments if isinstance(comments, list) else [], "body", created)),
        author=_login(_part(issue, "user") or _part(issue, "author")),
        time=created,
        id=_id("github issue", _github_name(issue)),
    )


def _milestones(issues: list[dict[str, Any]]) -> Iterator[EntityDraft]:
    """Yield each milestone of the issues once."""
    found = {_text(part, "title"): part for issue in issues if (part := _part(issue, "milestone"))}
    for title, part in found.items():
        if 0 < len(title) <= LIMITS.entity_title_characters:
            due = _timestamp(_text(part, "due_on", "dueOn"))
            yield EntityDraft(
                kind="milestone",
                title=title,
                description=_text(part, "description")[: LIMITS.entity_text_characters],
                status="closed" if _text(part, "state").lower() == "closed" else "open",
                due=due[:10] if due else None,
                id=_id("github milestone", title),
            )


def _github_name(issue: dict[str, Any]) -> str:
    named = _text(issue, "html_url", "url", "id")
    return named or f"#{issue.get('number', '?')}"


def _beads_draft(found: dict[str, Any]) -> EntityDraft:
    parts = [_text(found, name) for name in ("description", "design", "acceptance_criteria", "notes")]
    created = _timestamp(_text(found, "created_at", "created"))
    facts = [
        _text(found, "issue_type"),
        f"P{found['priority']}" if isinstance(found.get("priority"), int) else "",
    ]
    kind: Kind = "milestone" if found.get("issue_type") == "epic" else "issue"
    status: Status = "closed" if found.get("status") in _CLOSED_BEADS else "open"
    return EntityDraft(
        kind=kind,
        title=_text(found, "title"),
        description="\n\n".join(part for part in parts if part),
        status=status,
        labels=tuple(dict.fromkeys([*_strings(found, "labels"), *filter(None, facts)])),
        assignee=_text(found, "assignee") or None,
        dependencies=tuple(
            _id("beads", name)
            for part in _parts(found, "dependencies")
            if part.get("type") in _BLOCKING and (name := _text(part, "depends_on_id"))
        ),
        links=(f"beads:{_text(found, 'id')}",),
        comments=tuple(_comments(_parts(found, "comments"), "text", created)),
        author=_text(found, "created_by") or None,
        time=created,
        id=_id("beads", _text(found, "id")),
    )


def _comments(found: Iterable[Any], body: str, default: str | None) -> Iterator[ImportedComment]:
    for comment in found:
        if isinstance(comment, dict) and _text(comment, body).strip():
            person = _part(comment, "user") or _part(comment, "author")
            author = (_login(person) if person else _text(comment, "author")) or "unknown"
            time = _timestamp(_text(comment, "created_at", "createdAt")) or default
            yield ImportedComment(author, time or EPOCH, _text(comment, body))


def _checked(draft: EntityDraft, name: str, skip: Skip) -> Iterator[EntityDraft]:
    texts = [draft.description, *(getattr(comment, "body", "") for comment in draft.comments)]
    if not draft.title.strip() or len(draft.title) > LIMITS.entity_title_characters:
        skip(name, f"Its title is empty or longer than {LIMITS.entity_title_characters} characters.")
    elif any(len(text) > LIMITS.entity_text_characters for text in texts):
        skip(name, f"A text in it is longer than {LIMITS.entity_text_characters} characters.")
    elif any(not 0 < len(word) <= LIMITS.entity_word_characters for word in draft.labels):
        skip(name, f"A label is empty or longer than {LIMITS.entity_word_characters} characters.")
    else:
        yield draft


def _document(text: str) -> list[dict[str, Any]]:
    try:
        found = parse_json(text)
    except UnreadableDocument:
        found = None
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise Invalid(
            "The file is not a JSON array of issues.", hint="Save what `gh api` or `gh issue list` prints."
        )
    return found


def _object(line: str) -> dict[str, Any]:
    try:
        found = parse_json(line)
    except UnreadableDocument:
        return {}
    return found if isinstance(found, dict) else {}


def _text(found: dict[str, Any], *names: str) -> str:
    """Return the first of these members that is a non-empty string."""
    values = (found.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")


def _part(found: dict[str, Any], name: str) -> dict[str, Any]:
    value = found.get(name)
    return value if isinstance(value, dict) else {}


def _parts(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = found.get(name)
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _strings(found: dict[str, Any], name: str) -> list[str]:
    value = found.get(name)
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _login(person: dict[str, Any]) -> str | None:
    login = _text(person, "login")
    if not login or "<" in login:
        return login or None  # our own export has full names
    return f"{login} <{login}@users.noreply.github.com>"


def _timestamp(text: str) -> str | None:
    """Return a time as in the log: RFC 3339 in UTC with whole seconds."""
    try:
        return rfc3339(datetime.fromisoformat(text))  # without a zone it is UTC
    except (ValueError, OverflowError):  # in UTC it may be before year 1
        return None


def _id(source: str, name: str) -> str:
    known = name.encode("utf-8", "backslashreplace").decode()  # it may contain a lone surrogate
    return str(uuid.uuid5(_NAMESPACE, f"{source} {known}"))


def create_new(
    connection: sqlite3.Connection, builder: OperationBuilder, drafts: Iterable[EntityDraft]
) -> Iterator[WriteReceipt]:
    """Create the drafts that do not exist yet, and yield a receipt for each."""
    requested: dict[str, WriteReceipt] = {}
    created: set[str] = set()
    for draft in drafts:
        if draft.id is not None and not is_uuid(draft.id):
            raise InvalidArguments(f"{draft.id[:100]!a} is not an id.", hint="Ids are UUIDs in lower case.")
        before = requested.get(draft.request or "") or _created_before(connection, draft)
        if before is None and draft.id in created:
            before = WriteReceipt(draft.id or "", (), changed=False, repeated=True)
        if before is not None:
            yield before
            continue
        start = len(builder.entries)
        entity = builder.create(draft)
        names = tuple(entry.id for entry in builder.entries[start:])
        created.add(entity)
        if draft.request is not None:
            builder.sign(start, draft.request)
            requested[draft.request] = WriteReceipt(entity, names, changed=False, repeated=True)
        yield WriteReceipt(entity, names, changed=True)


def new_entries(connection: sqlite3.Connection, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the operations that no log contains."""
    query = "SELECT 1 FROM operation WHERE entity = ? AND id = ?"
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        key = (entry.entity, entry.id)
        if key not in seen and connection.execute(query, key).fetchone() is None:
            seen.add(key)
            yield entry


def _created_before(connection: sqlite3.Connection, draft: EntityDraft) -> WriteReceipt | None:
    exists = "SELECT 1 FROM entity WHERE id = ?"
    if draft.id is not None and connection.execute(exists, (draft.id,)).fetchone():
        return WriteReceipt(draft.id, (), changed=False, repeated=True)
    if draft.request is not None:
        query = "SELECT entity, operations FROM request WHERE id = ?"
        if row := connection.execute(query, (draft.request,)).fetchone():
            return WriteReceipt(row[0], tuple(json.loads(row[1])), changed=False, repeated=True)
    return None
