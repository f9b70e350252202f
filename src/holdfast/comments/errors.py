"""What can go wrong with comments, in the specification's words. Codes are in `kernel/codes.py`.

Each failure carries the data that the specification shows (`filePath`, `suggestion`, …), the name that the
specification gives its code, and the domain that keeps it apart from other families' codes.
"""

from __future__ import annotations

from holdfast.kernel.errors import Corrupted, Denied, HoldfastError, Invalid, InvalidPath, NotFound

DOMAIN = "comments"
REDACTED_ROOT = "."
"""What stands for the workspace root wherever the machine's paths are nobody's business."""


class _Specified(HoldfastError):
    """A failure whose words on the wire are the specification's, while a person reads what it is about."""

    def __init__(self, message: str, about: str, *, hint: str, name: str, path: str, **data: object) -> None:
        super().__init__(
            f"{message}: {about}",
            hint=hint,
            filePath=path,
            **data,
            suggestion=hint,
            workspaceRoot=REDACTED_ROOT,
            domain=DOMAIN,
            error=name,
        )
        self.specified_message = message


class SourceNotFound(_Specified, NotFound):
    """There is neither a source file nor a sidecar of that name."""

    kind = "source_not_found"
    number = 4047

    def __init__(self, path: str) -> None:
        super().__init__(
            "File not found",
            f"{path!a}",
            hint="Check that the file exists in the workspace",
            name="FileNotFound",
            path=path,
        )


class CommentNotFound(_Specified, NotFound):
    """No comment of the file has that id."""

    kind = "comment_not_found"
    number = 4048

    def __init__(self, path: str, comment_id: str = "") -> None:
        super().__init__(
            "Comment not found",
            f"{comment_id!a} in {path!a}",
            hint="Use get_file_comments to list valid comment IDs",
            name="CommentNotFound",
            path=path,
            commentId=comment_id,
        )


class InvalidFilePath(_Specified, InvalidPath):
    """The path names no source file of the workspace."""

    kind = "invalid_file_path"
    number = 4063

    def __init__(self, path: str, reason: str = "it names no file", hint: str = "Name a source file") -> None:
        super().__init__(
            "Invalid file path", reason, hint=hint, name="InvalidFilePath", path=path[:200], reason=reason
        )


class FileAccessDenied(_Specified, Denied):
    """The file is there, and is not for us."""

    kind = "file_access_denied"
    number = 4031

    def __init__(self, path: str, reason: str = "it is not for us", hint: str = "Name another file") -> None:
        super().__init__(
            "File access denied", reason, hint=hint, name="FileAccessDenied", path=path[:200], reason=reason
        )


class InvalidLineNumber(_Specified, Invalid):
    """The file has no such line."""

    kind = "invalid_line_number"
    number = 4064

    def __init__(self, path: str, line: int = 0, count: int = 1) -> None:
        super().__init__(
            "Invalid line number",
            f"{path!a} has no line {line}",
            hint=f"Line must be between 1 and {count}",
            name="InvalidLineNumber",
            path=path,
            line=line,
            fileLineCount=count,
        )


class SourceNotParsed(_Specified, Invalid):
    """The source is of a language we parse, and is not correct in it."""

    kind = "source_not_parsed"
    number = 4065

    def __init__(self, path: str, problem: str = "syntax error") -> None:
        super().__init__(
            "Failed to parse source code",
            f"{path!a}: {problem}",
            hint="Fix syntax errors before adding comments",
            name="ASTParseError",
            path=path,
            parseError=problem,
        )


class CommentFileCorrupted(_Specified, Corrupted):
    """A sidecar cannot be read. It is left as it is."""

    kind = "comment_file_corrupted"
    number = 5027

    def __init__(self, path: str, reason: str = "it cannot be read") -> None:
        super().__init__(
            "Comment file corrupted",
            f"{path!a}: {reason}",
            hint="Mend the file or restore it from git; `holdfast doctor` shows what can be recovered",
            name="CommentFileCorrupted",
            path=path,
            reason=reason,
        )
