"""What a hook has to say, read directly from the stores and files.

Contract: stored text is on one line, without invisible characters, shortened, and after a `>`; the preface of
an answer (`answer`) says that such text is data.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from holdfast.comments.quick import REPOSITORY_NOTES, QuickNote, notes_of, recently_noted_files, source_text
from holdfast.faces.hooks.request import Edit
from holdfast.inbox.quick import OpenRemark, count_waiting, remarks_on, unanswered_since
from holdfast.kernel.text import counted, one_line, shorten
from holdfast.tasks.quick import LiveClaim, claimed_files, live_claims, rules

_MAX_QUOTED_CHARACTERS = 240
"""Of one stored text. A judgement: three lines of a terminal, enough to know whether to read on."""
_MAX_CLAIMS = 6
_MAX_NOTES = 6
_MAX_REMARKS = 6
_MAX_RULES = 12
"""Judgements: with texts of full length, all of a session's beginning is some 1,500 tokens."""
_MAX_NOTED_FILES = 4
"""Files whose notes may be among those of a session's beginning. A judgement, as each is read."""
_NEAR_LINES = 3
"""Notes this close to an edit are shown first: as many lines as a diff shows around a change."""


class Place(NamedTuple):
    """A repository as a hook sees it."""

    root: str
    store: str
    """The folder of the stores, which may not exist."""


class Fact(NamedTuple):
    """Something to say."""

    key: str
    """What it says, without figures that change by the minute: each is said once in a session."""
    text: str


def session_facts(place: Place) -> list[Fact]:
    """Return what a session should begin with: claims, remarks, notes, rules, and how to ask for more."""
    facts = [
        Fact(f"claim {claim.task} {claim.agent}", _claim_line(claim))
        for claim in live_claims(place.store, _MAX_CLAIMS)
    ]
    waiting = count_waiting(place.store)
    if waiting:
        wait = "waits" if waiting == 1 else "wait"
        text = f"{counted(waiting, 'review remark')} {wait} for you: fetch with check_lazygit_messages."
        facts.append(Fact(f"waiting {waiting}", text))
    facts += [
        Fact(f"unanswered {remark.id}", _unanswered_line(remark)) for remark in _recent_unanswered(place)
    ]
    files = [REPOSITORY_NOTES, *claimed_files(place.store, _MAX_NOTED_FILES)]
    files += recently_noted_files(place.root, place.store, _MAX_NOTED_FILES)
    notes = [note for file in dict.fromkeys(files) for note in notes_of(place.root, file)]
    facts += [Fact(f"note {note.id} {note.text}", _note_line(note)) for note in notes[:_MAX_NOTES]]
    facts += [
        Fact(f"rule {rule}", f"Rule of this repository: > {_quoted(rule)}")
        for rule in rules(place.root, _MAX_RULES)
    ]
    if facts:
        more = "More: taskpilot_start (tasks), get_file_comments (notes), check_lazygit_messages (remarks)."
        facts.append(Fact("more", more))
    return facts


def before_edit_facts(place: Place, edit: Edit, *, text: str = "") -> list[Fact]:
    """Return the notes and remarks about an edit's lines or their file, and who has claimed a task on it.

    `text` is what identifies the lines in the file as it is now; by default what the edit replaces.
    """
    first, last = _lines_of(place, edit.file, text or edit.before)
    notes = [note for note in notes_of(place.root, edit.file) if note.line is not None]
    notes.sort(key=lambda note: not first - _NEAR_LINES <= (note.line or 0) <= last + _NEAR_LINES)
    facts = [Fact(f"note {note.id} {note.text}", _note_line(note)) for note in notes[:_MAX_NOTES]]
    if len(notes) > _MAX_NOTES:
        rest = counted(len(notes) - _MAX_NOTES, "more note")
        facts.append(Fact(f"notes {edit.file}", f"{rest} on {edit.file}: get_file_comments."))
    remarks = remarks_on(place.store, edit.file, _MAX_REMARKS)
    facts += [Fact(f"remark {remark.id}", f"Open remark {_remark(remark)}") for remark in remarks]
    for claim in live_claims(place.store, _MAX_CLAIMS, file=edit.file):
        facts.append(
            Fact(
                f"claim {claim.task} {claim.agent} {edit.file}", f"{_claim_line(claim)} It names {edit.file}."
            )
        )
    return facts


def lost_note_facts(place: Place, edit: Edit) -> list[Fact]:
    """Return the notes whose code an edit has just deleted."""
    return [
        Fact(
            f"lost {note.id}",
            f"Your edit deleted the code of note {note.id} on {edit.file}: > {_quoted(note.text)}"
            " Move it with move_comment, or close it with resolve_comment.",
        )
        for note in notes_of(place.root, edit.file)
        if note.line is None and note.code in edit.before
    ]


def stop_facts(place: Place, since: float) -> list[Fact]:
    """Return what a session that began at `since` leaves behind, with the commands that settle it."""
    facts = [
        Fact(f"unanswered {remark.id}", _unanswered_line(remark))
        for remark in unanswered_since(place.store, since, _MAX_REMARKS)
    ]
    for claim in live_claims(place.store, _MAX_CLAIMS):
        if claim.since >= since:
            text = (
                f"{_claim_line(claim)} If that is you, finish it or give it back:"
                f" `holdfast tasks claim release {claim.task} --agent {_quoted(claim.agent)}`."
            )
            facts.append(Fact(f"claim {claim.task} {claim.agent}", text))
    return facts


def _recent_unanswered(place: Place) -> list[OpenRemark]:
    """Return the remarks that were delivered within a day and are unanswered, as after a compaction."""
    return unanswered_since(place.store, time.time() - 24 * 3600, _MAX_REMARKS)


def _unanswered_line(remark: OpenRemark) -> str:
    return f"Unanswered remark {_remark(remark)} Answer with `holdfast inbox reply {remark.id} --text TEXT`."


def _remark(remark: OpenRemark) -> str:
    lines = f":{remark.lines}" if remark.lines else ""
    return f"{remark.id} on {one_line(remark.file)}{lines}: > {_quoted(remark.comment)}"


def _note_line(note: QuickNote) -> str:
    folder, _, name = note.file.rpartition("/")
    if name == REPOSITORY_NOTES:
        place = f"folder {one_line(folder)}" if folder else "the whole repository"
    else:
        place = one_line(note.file) if note.line is None else f"{one_line(note.file)}:{note.line}"
    return f"Note on {place} ({one_line(note.tag)}): > {_quoted(note.text)}"


def _claim_line(claim: LiveClaim) -> str:
    minutes = max(1, round((claim.expires - time.time()) / 60))
    return (
        f"{claim.task} is claimed by {_quoted(claim.agent)} for {counted(minutes, 'more minute')}:"
        f" > {_quoted(claim.title)}"
    )


def _quoted(text: str) -> str:
    return shorten(one_line(text), _MAX_QUOTED_CHARACTERS)


def _lines_of(place: Place, file: str, text: str) -> tuple[int, int]:
    """Return the first and last line of a text in a file, or the whole file if it is not there."""
    content = source_text(place.root, file)
    start = content.find(text) if text else -1
    if start < 0:
        return 1, content.count("\n") + 1
    return content.count("\n", 0, start) + 1, content.count("\n", 0, start + len(text)) + 1
