"""Converts the issues of other trackers to drafts, which `creation` stores.

- GitHub: the REST API's response for issues, or `gh issue list --json` with the equivalent fields.
- beads: `issues.jsonl`, one issue per line.

Ids are derived from the source (UUID version 5), so importing again changes nothing. An item that cannot be
converted is reported with the reason; the others are converted.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Set
from datetime import datetime
from typing import Any

from holdfast.kernel.clock import EPOCH, rfc3339
from holdfast.kernel.errors import Invalid
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import EntityDraft, ImportedComment, Kind, Status
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json

_NAMESPACE = uuid.UUID("6f0f1d5c-2f0b-5c39-8a5c-0c1a6d1f7b11")
"""The namespace of the derived ids, chosen at random; another one would import everything again."""

_CLOSED_BEADS_STATUSES = ("closed", "tombstone")

Skip = Callable[[str, str], None]
"""Records the name of a skipped item, and the reason."""


def github_drafts(text: str, skip: Skip) -> Iterator[EntityDraft]:
    """Yield the issues and milestones in GitHub's JSON; pull requests are skipped."""
    issues = _parse_issues(text)
    yield from _github_milestones(issues)
    for issue in issues:
        if "pull_request" in issue:
            skip(_github_name(issue), "It is a pull request.")
        else:
            yield from _valid_or_skip(_github_draft(issue), _github_name(issue), skip)


def beads_drafts(text: str, skip: Skip) -> Iterator[EntityDraft]:
    """Yield the issues of a beads file, first the epics as milestones; deleted ones are skipped.

    An issue that is a child of an epic belongs to that milestone. Other links from children to parents have
    no counterpart here, and are reported.
    """
    beads: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        bead = _parse_object(line)
        name = _first_text(bead, "id")
        if not name:
            skip(f"line {number}", "It is not a JSON object with an id.")
        elif bead.get("status") == "tombstone":
            skip(name, "It was deleted.")
        else:
            beads[name] = bead
    epics = {name for name, bead in beads.items() if _is_epic(bead)}
    for name in sorted(beads, key=lambda name: name not in epics):
        draft = _beads_draft(beads[name])
        if draft.id in draft.dependencies:
            skip(name, "It depends on itself; that dependency was dropped.")
            dependencies = tuple(target for target in draft.dependencies if target != draft.id)
            draft = draft._replace(dependencies=dependencies)
        for parent in _needed_ids(beads[name], "parent-child"):
            if parent in epics and name not in epics and draft.milestone is None:
                draft = draft._replace(milestone=_derive_id("beads", parent))
            else:
                skip(
                    name,
                    f"Its parent {parent!a} is {_unfit_parent(parent, name, epics)}; that link was dropped.",
                )
        yield from _valid_or_skip(draft, name, skip)


def _unfit_parent(parent: str, child: str, epics: Set[str]) -> str:
    """Return why a parent cannot be the milestone of its child."""
    if child in epics:
        return "above an epic"
    return "a second epic" if parent in epics else "not an epic of this file"


def _is_epic(bead: dict[str, Any]) -> bool:
    return bead.get("issue_type") == "epic"


def _needed_ids(bead: dict[str, Any], link: str) -> list[str]:
    """Return the ids that a bead depends on by a type of link."""
    links = (item for item in _object_list(bead, "dependencies") if item.get("type") == link)
    return list(dict.fromkeys(filter(None, (_first_text(item, "depends_on_id") for item in links))))


def _github_draft(issue: dict[str, Any]) -> EntityDraft:
    milestone = _object_member(issue, "milestone")
    comments = issue.get("comments")
    created = _timestamp(_first_text(issue, "created_at", "createdAt"))
    return EntityDraft(
        kind="issue",
        title=_first_text(issue, "title"),
        description=_first_text(issue, "body"),
        status="closed" if _first_text(issue, "state").lower() == "closed" else "open",
        labels=tuple(_first_text(label, "name") for label in _object_list(issue, "labels")),
        assignee=next((_person(person) for person in _object_list(issue, "assignees")), None),
        milestone=_derive_id("github milestone", _first_text(milestone, "title")) if milestone else None,
        links=tuple(filter(None, [_first_text(issue, "html_url", "url")])),
        comments=tuple(_comments(comments if isinstance(comments, list) else [], "body", created)),
        author=_person(_object_member(issue, "user") or _object_member(issue, "author")),
        time=created,
        id=_derive_id("github issue", _github_name(issue)),
    )


def _github_milestones(issues: list[dict[str, Any]]) -> Iterator[EntityDraft]:
    """Yield each milestone of the issues once; GitHub's response has it in every one of its issues."""
    by_title: dict[str, dict[str, Any]] = {}
    for issue in issues:
        if milestone := _object_member(issue, "milestone"):
            by_title[_first_text(milestone, "title")] = milestone
    for title, milestone in by_title.items():
        if 0 < len(title) <= LIMITS.entity_title_characters:
            due = _timestamp(_first_text(milestone, "due_on", "dueOn"))
            yield EntityDraft(
                kind="milestone",
                title=title,
                description=_first_text(milestone, "description")[: LIMITS.entity_text_characters],
                status="closed" if _first_text(milestone, "state").lower() == "closed" else "open",
                due=due[:10] if due else None,
                id=_derive_id("github milestone", title),
            )


def _github_name(issue: dict[str, Any]) -> str:
    address = _first_text(issue, "html_url", "url", "id")
    return address or f"#{issue.get('number', '?')}"


def _beads_draft(bead: dict[str, Any]) -> EntityDraft:
    texts = [_first_text(bead, name) for name in ("description", "design", "acceptance_criteria", "notes")]
    created = _timestamp(_first_text(bead, "created_at", "created"))
    type_label = _first_text(bead, "issue_type")
    priority_label = f"P{bead['priority']}" if isinstance(bead.get("priority"), int) else ""
    kind: Kind = "milestone" if _is_epic(bead) else "issue"
    status: Status = "closed" if bead.get("status") in _CLOSED_BEADS_STATUSES else "open"
    return EntityDraft(
        kind=kind,
        title=_first_text(bead, "title"),
        description="\n\n".join(text for text in texts if text),
        status=status,
        labels=tuple(
            dict.fromkeys(filter(None, [*_string_list(bead, "labels"), type_label, priority_label]))
        ),
        assignee=_first_text(bead, "assignee") or None,
        dependencies=tuple(_derive_id("beads", name) for name in _needed_ids(bead, "blocks")),
        links=(f"beads:{_first_text(bead, 'id')}",),
        comments=tuple(_comments(_object_list(bead, "comments"), "text", created)),
        author=_first_text(bead, "created_by") or None,
        time=created,
        id=_derive_id("beads", _first_text(bead, "id")),
    )


def _comments(comments: Iterable[Any], body: str, default: str | None) -> Iterator[ImportedComment]:
    """Yield the comments that have a text in the member `body`; `default` is the time of undated comments."""
    for comment in comments:
        if isinstance(comment, dict) and _first_text(comment, body).strip():
            person = _object_member(comment, "user") or _object_member(comment, "author")
            author = (_person(person) if person else _first_text(comment, "author")) or "unknown"
            time = _timestamp(_first_text(comment, "created_at", "createdAt")) or default
            yield ImportedComment(author, time or EPOCH, _first_text(comment, body))


def _valid_or_skip(draft: EntityDraft, name: str, skip: Skip) -> Iterator[EntityDraft]:
    """Yield the draft if it is within the limits; otherwise report it as skipped."""
    texts = [draft.description, *(getattr(comment, "body", "") for comment in draft.comments)]
    if not draft.title.strip() or len(draft.title) > LIMITS.entity_title_characters:
        skip(name, f"Its title is empty or longer than {LIMITS.entity_title_characters} characters.")
    elif any(len(text) > LIMITS.entity_text_characters for text in texts):
        skip(name, f"A text in it is longer than {LIMITS.entity_text_characters} characters.")
    elif any(not 0 < len(word) <= LIMITS.entity_word_characters for word in draft.labels):
        skip(name, f"A label is empty or longer than {LIMITS.entity_word_characters} characters.")
    else:
        yield draft


def _parse_issues(text: str) -> list[dict[str, Any]]:
    try:
        issues = parse_json(text)
    except UnreadableDocument:
        issues = None
    if not isinstance(issues, list) or not all(isinstance(issue, dict) for issue in issues):
        raise Invalid(
            "The file is not a JSON array of issues.", hint="Save what `gh api` or `gh issue list` prints."
        )
    return issues


def _parse_object(line: str) -> dict[str, Any]:
    try:
        value = parse_json(line)
    except UnreadableDocument:
        return {}
    return value if isinstance(value, dict) else {}


def _first_text(members: dict[str, Any], *names: str) -> str:
    """Return the first of these members that is a non-empty string, or an empty one."""
    values = (members.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")


def _object_member(members: dict[str, Any], name: str) -> dict[str, Any]:
    value = members.get(name)
    return value if isinstance(value, dict) else {}


def _object_list(members: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = members.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _string_list(members: dict[str, Any], name: str) -> list[str]:
    value = members.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _person(user: dict[str, Any]) -> str | None:
    """Return a GitHub user as `Name <mail>`, with the address that GitHub gives to private users."""
    login = _first_text(user, "login")
    if not login or "<" in login:
        return login or None  # Holdfast's own export has full names
    return f"{login} <{login}@users.noreply.github.com>"


def _timestamp(text: str) -> str | None:
    """Return a time as in the log, RFC 3339 in UTC with whole seconds, or None if the text is none."""
    try:
        return rfc3339(datetime.fromisoformat(text))  # without a zone it is UTC
    except (ValueError, OverflowError):  # in UTC it may be before year 1
        return None


def _derive_id(source: str, name: str) -> str:
    encodable = name.encode("utf-8", "backslashreplace").decode()  # it may contain a lone surrogate
    return str(uuid.uuid5(_NAMESPACE, f"{source} {encodable}"))
