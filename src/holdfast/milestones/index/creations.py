"""The rows of what was only created, which is what most of a large log is.

Contract: `creation_in` reads a commit whose message holds one creation, as `entry.message_of` writes it and
in plain ASCII, and gives the row that `rows.Rows` would give for an entity with this one operation. For
whatever differs from that in any way it gives nothing, and the usual way has to be taken.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # the part of `json.loads` for texts

from holdfast.kernel.clock import seconds_of
from holdfast.milestones.entity import STATUSES
from holdfast.milestones.index.labels import written

INSERT_CREATION = (
    "INSERT INTO entity VALUES"
    " (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, NULL, NULL, NULL, ?8, ?8, 0, 0, ?9, NULL, NULL)"
)

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PLAIN = r"[ !#-\[\]-~]*"
_TEXT = rf'"{_PLAIN}(?:\\["\\/bfnrt]{_PLAIN})*"'
_RECORD = re.compile(
    r"([0-9a-f]+) ([0-9]+)[0-9a-f ]*\n"
    r"[^\n{][^\n]*\n\n"
    rf'(\{{"by":"({_PLAIN})","e":"({_UUID})","k":"(issue|milestone)","l":([1-9][0-9]{{0,14}}),'
    rf'"op":"({_UUID})","t":"create","ts":"({_PLAIN})","v":1,'
    rf'"x":\{{(?:"description":({_TEXT}),)?(?:"labels":(\[[^\]\\]*\]),)?'
    rf'(?:"status":"(draft|open|closed)",)?"title":({_TEXT})\}}\}})\n*',
    re.ASCII,
)
_RANKS: dict[str | None, tuple[str, int]] = {status: (status, rank) for rank, status in enumerate(STATUSES)}
_RANKS[None] = _RANKS["open"]

_seconds = lru_cache(maxsize=4096)(seconds_of)


Creation = tuple[str, str, tuple[str, int, str, str], tuple[object, ...]]
"""A commit that creates one entity: its id and date, the row of its operation and that of the entity."""


def creation_in(record: str) -> Creation | None:
    """Return what a commit creates, given as `git_commits.read_records` does; None unless it is plain."""
    match = _RECORD.fullmatch(record)
    if match is None:
        return None
    (
        commit,
        committed,
        line,
        actor,
        name,
        kind,
        lamport,
        operation,
        time,
        description,
        labels,
        status,
        title,
    ) = match.groups()
    members = "[]" if labels is None else _labels(labels)
    if members is None or title == '""':
        return None
    row = (
        name, kind, _text(title), "" if description is None else _text(description), *_RANKS[status], actor,
        _seconds(time) or 0, members,
    )  # fmt: skip
    return commit, committed, (name, int(lamport), operation, line), row


def _text(quoted: str) -> str:
    return scanstring(quoted, 1)[0] if "\\" in quoted else quoted[1:-1]


@lru_cache(maxsize=4096)
def _labels(text: str) -> str | None:
    """Return the labels of a line as the index holds them, or None where one is not what it should be."""
    try:
        members = json.loads(text)
    except ValueError:
        return None
    if not all(type(member) is str and member and member.isascii() for member in members):
        return None
    return written(sorted(set(members)))
