"""Calls of the operations on comments, the store they run on, and why their plain text is safe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.contract.case import Case
from tests.contract.memory_cases import MEMORY

NOTES = "src/notes.py"
CODE = "def first():\n    return 1\n\n\ndef second(value):\n    return value + 1\n"
FIRST, SECOND, FOREIGN = "c_1730000000000", "c_1730000000002", "d2af57c6-a994-4bb9-b2ac-98b85ad32d45"
UNKNOWN = "c_1730000000099"

COMMENT_CASES: list[Case] = [
    Case("get_file_comments", ("comments", "show", NOTES), {"filePath": NOTES}),
    Case(
        "get_file_comments",
        ("comments", "show", NOTES, "--no-include-orphaned"),
        {"filePath": NOTES, "includeOrphaned": False},
    ),
    Case("get_file_comments", ("comments", "show", "none.py"), {"filePath": "none.py"}, "source_not_found"),
    Case("get_file_comments", ("comments", "show", "../x"), {"filePath": "../x"}, "invalid_file_path"),
    Case("get_file_comments", ("comments", "show", ".env"), {"filePath": ".env"}, "file_access_denied"),
    Case(
        "get_file_comments",
        ("comments", "show", "src/damaged.py"),
        {"filePath": "src/damaged.py"},
        "comment_file_corrupted",
    ),
    Case(
        "add_comment",
        ("comments", "add", NOTES, "2", 'Größe: "quotes"', "--tag", "NOTE", "--author", "Ada"),
        {"filePath": NOTES, "line": 2, "text": 'Größe: "quotes"', "tag": "NOTE", "author": "Ada"},
    ),
    Case(
        "add_comment",
        ("comments", "add", NOTES, "99", "x", "--tag", "NOTE"),
        {"filePath": NOTES, "line": 99, "text": "x", "tag": "NOTE"},
        "invalid_line_number",
    ),
    Case(
        "add_comment",
        ("comments", "add", NOTES, "1", "x", "--tag", "HACK"),
        {"filePath": NOTES, "line": 1, "text": "x", "tag": "HACK"},
        "invalid_arguments",
    ),
    Case(
        "add_comment",
        ("comments", "add", "src/broken.py", "1", "x", "--tag", "NOTE"),
        {"filePath": "src/broken.py", "line": 1, "text": "x", "tag": "NOTE"},
    ),
    Case(
        "edit_comment",
        ("comments", "edit", NOTES, FIRST, "Changed"),
        {"filePath": NOTES, "commentId": FIRST, "text": "Changed"},
    ),
    Case(
        "edit_comment",
        ("comments", "edit", NOTES, UNKNOWN, "Changed"),
        {"filePath": NOTES, "commentId": UNKNOWN, "text": "Changed"},
        "comment_not_found",
    ),
    Case(
        "reply_to_comment",
        ("comments", "reply", NOTES, FIRST, "Done", "--author", "Ada"),
        {"filePath": NOTES, "commentId": FIRST, "text": "Done", "author": "Ada"},
    ),
    Case(
        "resolve_comment",
        ("comments", "resolve", NOTES, FIRST, "--status", "wontfix"),
        {"filePath": NOTES, "commentId": FIRST, "status": "wontfix"},
    ),
    Case(
        "move_comment",
        ("comments", "move", NOTES, FIRST, "src/main.py", "1"),
        {"sourceFile": NOTES, "targetFile": "src/main.py", "commentId": FIRST, "targetLine": 1},
    ),
    Case("delete_comment", ("comments", "delete", NOTES, SECOND), {"filePath": NOTES, "commentId": SECOND}),
    Case(
        "delete_comment",
        ("comments", "delete", NOTES, SECOND),
        {"filePath": NOTES, "commentId": SECOND},
        "comment_not_found",
    ),
    Case("reanchor_comments", ("comments", "re-anchor", NOTES), {"filePath": NOTES}),
    Case("reanchor_comments", ("comments", "re-anchor"), attention=True),
]

_OUR_ID = "an id in the form of ours, checked against it or derived by us"
_OUR_TIME = "a moment, written by us"
_OUR_WORD = "one of a few words of ours"

COMMENT_PLAIN_TEXT: dict[str, str] = {
    "AddedComment.comment_id": _OUR_ID,
    "CommentFacts.id": _OUR_ID,
    "CommentFacts.reason": _OUR_WORD,
    "DeletedComment.comment_id": _OUR_ID,
    "EditedComment.comment_id": _OUR_ID,
    "EditedComment.updated": _OUR_TIME,
    "MovedComment.comment_id": _OUR_ID,
    "Reanchored.comment_id": _OUR_ID,
    "Reanchored.reason": _OUR_WORD,
    "RepliedComment.comment_id": _OUR_ID,
    "ResolvedComment.comment_id": _OUR_ID,
    "ResolvedComment.updated": _OUR_TIME,
}
"""Result fields that hold plain text, and why each of them cannot carry what somebody wrote."""


def fill_comments(path: Path) -> None:
    """Give a repository the same comments every time."""
    (path / NOTES).write_text(CODE, encoding="utf-8")
    (path / "src/damaged.py").write_text("one = 1\n", encoding="utf-8")
    (path / "src/damaged.py.comments").write_text("{", encoding="utf-8")
    (path / "src/broken.py").write_text("def broken(:\n", encoding="utf-8")
    written = [
        _comment(FIRST, 2, "TODO: Hidden \x1b[31mred\u202e text", "TODO"),
        _comment(SECOND, 5, "FIXME: look", "FIXME", aiMeta={"model": "m", "confidence": 0.5}),
        _comment(FOREIGN, 6, "From the editor", None),
        _comment(
            MEMORY, 1, "The launcher calls it", "NOTE", holdfastMemory={"scope": "symbol", "symbol": "first"}
        ),
    ]
    document = {"file": NOTES, "version": "1.0", "comments": written}
    (path / f"{NOTES}.comments").write_text(json.dumps(document), encoding="utf-8")


def _comment(name: str, line: int, text: str, tag: str | None, **more: Any) -> dict[str, Any]:
    moment = "2025-07-01T10:30:00.000Z"
    known = {"id": name, "line": line, "text": text, "author": "Ada", "created": moment, "updated": moment}
    return known | {"tag": tag} | more
