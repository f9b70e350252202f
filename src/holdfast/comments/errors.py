"""The errors of the comments specification. Codes are in `kernel/codes.py`.

The data of each error has the fields of the specification (`filePath`, `suggestion`, …), the specification's
name for the code, and a domain, because other specifications use the same codes.
"""

from __future__ import annotations

from typing import Any

from holdfast.kernel.errors import Corrupted, Denied, Invalid, InvalidPath, NotFound
from holdfast.kernel.text import one_line

DOMAIN = "comments"
"""The domain that distinguishes these errors from those of other specifications."""

REDACTED_ROOT = "."
"""Replaces the workspace root in error data, so that paths of the machine are not disclosed."""

_MAX_NAME_CHARACTERS = 200
"""Characters of a path or an id in an error. A judgement: enough to recognise it."""

_RECOVERY_HINT = "Repair the file or restore it from git; `holdfast doctor` shows what can be recovered"


def _error_data(name: str, path: str, hint: str, **more: object) -> dict[str, Any]:
    """Return an error's data: the fields of the specification, then its domain and the error's name."""
    specified = {"filePath": path[:_MAX_NAME_CHARACTERS], **more, "suggestion": hint}
    return {"hint": hint, **specified, "workspaceRoot": REDACTED_ROOT, "domain": DOMAIN, "error": name}


def quote_name(text: str) -> str:
    """Quote a name for a message: printable, on one line, and cut if it is very long."""
    return f"'{one_line(text[:_MAX_NAME_CHARACTERS])}'"


def _with_path(path: str, reason: str) -> str:
    quoted = quote_name(path)
    return reason if quoted in reason else f"{quoted}: {reason}"


class SourceNotFound(NotFound, kind="source_not_found", number=4047):
    """There is neither a source file nor a sidecar with that path."""

    specified_message = "File not found"

    def __init__(self, path: str, closest: str | None = None) -> None:
        super().__init__(
            f"File not found: {quote_name(path)}",
            **_error_data("FileNotFound", path, "Check that the file exists in the workspace"),
        )
        if closest is not None:
            self.hint = f"{self.hint}; did you mean {quote_name(closest)}?"


class CommentNotFound(NotFound, kind="comment_not_found", number=4049):
    """No comment of the file has that id."""

    specified_message = "Comment not found"

    def __init__(self, path: str, comment_id: str = "") -> None:
        hint = "Use get_file_comments to list valid comment IDs"
        super().__init__(
            f"Comment not found: {quote_name(comment_id)} in {quote_name(path)}",
            **_error_data("CommentNotFound", path, hint, commentId=comment_id),
        )


class InvalidFilePath(InvalidPath, kind="invalid_file_path", number=4066):
    """The path does not name a source file of the workspace."""

    specified_message = "Invalid file path"

    def __init__(self, path: str, reason: str = "it names no file", hint: str = "Name a source file") -> None:
        super().__init__(
            f"Invalid file path: {_with_path(path, reason)}",
            **_error_data("InvalidFilePath", path, hint, reason=reason),
        )


class FileAccessDenied(Denied, kind="file_access_denied", number=4035):
    """The file exists, but access to it is not allowed."""

    specified_message = "File access denied"

    def __init__(
        self, path: str, reason: str = "access to it is not allowed", hint: str = "Name another file"
    ) -> None:
        super().__init__(
            f"File access denied: {_with_path(path, reason)}",
            **_error_data("FileAccessDenied", path, hint, reason=reason),
        )


class InvalidLineNumber(Invalid, kind="invalid_line_number", number=4067):
    """The file has no such line."""

    specified_message = "Invalid line number"

    def __init__(self, path: str, line: int = 0, count: int = 1) -> None:
        hint = f"Line must be between 1 and {count}"
        super().__init__(
            f"Invalid line number: {quote_name(path)} has no line {line}",
            **_error_data("InvalidLineNumber", path, hint, line=line, fileLineCount=count),
        )


class SourceNotParsed(Invalid, kind="source_not_parsed", number=4068):
    """The source is in a language that we parse, and has syntax errors."""

    specified_message = "Failed to parse source code"

    def __init__(self, path: str, problem: str = "syntax error") -> None:
        super().__init__(
            f"Failed to parse source code: {quote_name(path)}: {problem}",
            **_error_data(
                "ASTParseError", path, "Fix syntax errors before adding comments", parseError=problem
            ),
        )
        self.hint = f"{self.hint}, or set HOLDFAST_COMMENTS_LENIENT=1"


class CommentFileCorrupted(Corrupted, kind="comment_file_corrupted", number=5027):
    """A sidecar cannot be read. It is left unchanged."""

    specified_message = "Comment file corrupted"

    def __init__(self, path: str, reason: str = "it cannot be read") -> None:
        super().__init__(
            f"Comment file corrupted: {quote_name(path)}: {reason}",
            **_error_data("CommentFileCorrupted", path, _RECOVERY_HINT, reason=reason),
        )
