"""The errors of the comments specification. Codes are in `kernel/codes.py`.

Each error carries the data that the specification shows (`filePath`, `suggestion`, …), the specification's
name for its code, and the domain that distinguishes it from other families' codes.
"""

from __future__ import annotations

from typing import Any

from holdfast.kernel.errors import Corrupted, Denied, Invalid, InvalidPath, NotFound
from holdfast.kernel.text import one_line

DOMAIN = "comments"
REDACTED_ROOT = "."
"""Shown instead of the workspace root, so that paths of the machine are not disclosed."""

_RECOVER = "Repair the file or restore it from git; `holdfast doctor` shows what can be recovered"


def _data(name: str, path: str, hint: str, **more: object) -> dict[str, Any]:
    """Return an error's data: what the specification shows, then what identifies the family."""
    shown = {"filePath": path[:200], **more, "suggestion": hint}
    return {"hint": hint, **shown, "workspaceRoot": REDACTED_ROOT, "domain": DOMAIN, "error": name}


def quoted(text: str) -> str:
    """Return a name for use in a message: printable, on one line, and cut at 200 characters."""
    return f"'{one_line(text[:200])}'"


class SourceNotFound(NotFound, kind="source_not_found", number=4047):
    """There is neither a source file nor a sidecar with that path."""

    specified_message = "File not found"

    def __init__(self, path: str, closest: str | None = None) -> None:
        super().__init__(
            f"File not found: {quoted(path)}",
            **_data("FileNotFound", path, "Check that the file exists in the workspace"),
        )
        if closest is not None:
            self.hint = f"{self.hint}; did you mean {quoted(closest)}?"


class CommentNotFound(NotFound, kind="comment_not_found", number=4049):
    """No comment of the file has that id."""

    specified_message = "Comment not found"

    def __init__(self, path: str, comment_id: str = "") -> None:
        hint = "Use get_file_comments to list valid comment IDs"
        super().__init__(
            f"Comment not found: {quoted(comment_id)} in {quoted(path)}",
            **_data("CommentNotFound", path, hint, commentId=comment_id),
        )


class InvalidFilePath(InvalidPath, kind="invalid_file_path", number=4066):
    """The path does not name a source file of the workspace."""

    specified_message = "Invalid file path"

    def __init__(self, path: str, reason: str = "it names no file", hint: str = "Name a source file") -> None:
        super().__init__(
            f"Invalid file path: {reason}", **_data("InvalidFilePath", path, hint, reason=reason)
        )


class FileAccessDenied(Denied, kind="file_access_denied", number=4035):
    """The file exists, but access to it is not allowed."""

    specified_message = "File access denied"

    def __init__(
        self, path: str, reason: str = "access to it is not allowed", hint: str = "Name another file"
    ) -> None:
        super().__init__(
            f"File access denied: {reason}", **_data("FileAccessDenied", path, hint, reason=reason)
        )


class InvalidLineNumber(Invalid, kind="invalid_line_number", number=4067):
    """The file has no such line."""

    specified_message = "Invalid line number"

    def __init__(self, path: str, line: int = 0, count: int = 1) -> None:
        hint = f"Line must be between 1 and {count}"
        super().__init__(
            f"Invalid line number: {quoted(path)} has no line {line}",
            **_data("InvalidLineNumber", path, hint, line=line, fileLineCount=count),
        )


class SourceNotParsed(Invalid, kind="source_not_parsed", number=4068):
    """The source is in a language that we parse, and has syntax errors."""

    specified_message = "Failed to parse source code"

    def __init__(self, path: str, problem: str = "syntax error") -> None:
        super().__init__(
            f"Failed to parse source code: {quoted(path)}: {problem}",
            **_data("ASTParseError", path, "Fix syntax errors before adding comments", parseError=problem),
        )
        self.hint = f"{self.hint}, or set HOLDFAST_COMMENTS_LENIENT=1"


class CommentFileCorrupted(Corrupted, kind="comment_file_corrupted", number=5027):
    """A sidecar cannot be read. It is left unchanged."""

    specified_message = "Comment file corrupted"

    def __init__(self, path: str, reason: str = "it cannot be read") -> None:
        super().__init__(
            f"Comment file corrupted: {quoted(path)}: {reason}",
            **_data("CommentFileCorrupted", path, _RECOVER, reason=reason),
        )
