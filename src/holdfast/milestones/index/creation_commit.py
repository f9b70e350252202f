"""Parses commits that create one entity, without parsing their JSON: most commits of an import are such.

Contract: `parse_creation` returns the rows that `rows.EntityRows` would contain. It returns None for a commit
that differs in anything from what `entry.commit_message` writes in plain ASCII; the full parser decides then.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # the string parser of `json.loads`
from typing import NamedTuple

from holdfast.kernel.clock import seconds_of
from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import STATUSES
from holdfast.milestones.index.rows import encode_labels
from holdfast.milestones.index.update import OperationRow
from holdfast.milestones.log.entry import is_set_member
from holdfast.storage.git.commits.commit import EMPTY_TREES

INSERT_CREATION = (
    "INSERT INTO entity (id, kind, title, description, status, status_rank, author, created, updated,"
    " created_place, updated_place, comments, contested, labels)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?9, 0, 0, ?10)"
)

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PLAIN_CHARACTERS = r"[ !\#-\[\]-~]*"
"""Printable ASCII without quotation marks and backslashes."""
_JSON_STRING = rf'"{_PLAIN_CHARACTERS}(?:\\["\\/bfnrt]{_PLAIN_CHARACTERS})*"'
_RECORD = re.compile(
    rf"""
    (?P<commit>[0-9a-f]+)[ ](?P<tip>[0-9a-f]+)[ ](?:{"|".join(EMPTY_TREES)})[ ]
    (?P<committed>[0-9]{{1,11}}),[0-9a-f]*\n  # no encoding, at most one parent
    [^\n{{][^\n]*\n\n  # the subject
    (?P<line>\{{
        "by":"(?P<actor>{_PLAIN_CHARACTERS})",
        "e":"(?P<entity>{_UUID})",
        "k":"(?P<kind>issue|milestone)",
        "l":(?P<lamport>[1-9][0-9]{{0,14}}),
        "op":"(?P<operation>{_UUID})",
        "t":"create",
        "ts":"(?P<time>{_PLAIN_CHARACTERS})",
        "v":1,
        "x":\{{
            (?:"description":(?P<description>{_JSON_STRING}),)?
            (?:"labels":(?P<labels>\[[^\]\\]*\]),)?
            (?:"status":"(?P<status>draft|open|closed)",)?
            "title":(?P<title>{_JSON_STRING})
        \}}
    \}})\n*
    """,
    re.ASCII | re.VERBOSE,
)
_STATUS_WITH_RANK: dict[str | None, tuple[str, int]] = {
    status: (status, rank) for rank, status in enumerate(STATUSES)
}
_STATUS_WITH_RANK[None] = _STATUS_WITH_RANK["open"]

_cached_seconds = lru_cache(maxsize=4096)(seconds_of)  # the operations of an import share few timestamps


class Creation(NamedTuple):
    """A commit that creates one entity."""

    commit: str
    committed: int
    """Seconds since 1970."""
    operation: OperationRow
    """The row of the operation, with the tip from which the commit was reached instead of the log's name."""
    entity: tuple[object, ...]
    """The parameters of `INSERT_CREATION`."""


def parse_creation(record: str) -> Creation | None:
    """Return what a record of `read_records` creates, or None if the full parser has to decide."""
    match = _RECORD.fullmatch(record)
    if match is None:
        return None
    title, description, labels = match.group("title", "description", "labels")
    encoded_labels = "[]" if labels is None else _encode_labels(labels)
    # A string is never longer than its quoted form. If the quoted form is too long, the full parser decides.
    has_long_title = len(title) > LIMITS.entity_title_characters
    has_long_description = len(description or "") > LIMITS.entity_text_characters
    if encoded_labels is None or title == '""' or has_long_title or has_long_description:
        return None
    entity_id, lamport = match["entity"], int(match["lamport"])
    text = "" if description is None else _decode_string(description)
    entity = (
        entity_id, match["kind"], _decode_string(title), text, *_STATUS_WITH_RANK[match["status"]],
        match["actor"], _cached_seconds(match["time"]) or 0, lamport, encoded_labels,
    )  # fmt: skip
    operation = (entity_id, lamport, match["operation"], match["tip"], match["line"])
    return Creation(match["commit"], int(match["committed"]), operation, entity)


def _decode_string(quoted: str) -> str:
    return scanstring(quoted, 1)[0] if "\\" in quoted else quoted[1:-1]


@lru_cache(maxsize=4096)
def _encode_labels(text: str) -> str | None:
    """Return a JSON list of labels as the index stores it, or None if a label is invalid or not ASCII."""
    try:
        members = json.loads(text)
    except ValueError:
        return None
    is_plain = all(is_set_member(member) and member.isascii() for member in members)
    if len(members) > LIMITS.entity_set_members or not is_plain:
        return None
    return encode_labels(tuple(sorted(set(members))))
