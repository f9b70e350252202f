"""The source file that a sidecar belongs to: its path, its lines, its symbols.

Contract:
- A path outside the workspace raises `InvalidFilePath`; one inside that must not be read or written (git's
  directory, secrets, installed packages, links, permissions) raises `FileAccessDenied`.
- Lines are those of the VS Code extension, so both programs agree on numbers and hashes. JavaScript's `trim`
  removes a byte order mark and keeps the separators U+001C to U+001F and U+0085; Python's `strip` does the
  opposite. Lines end at `\\n` or `\\r\\n` only; a text that ends with a line break has one more, empty line.
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.comments.errors import FileAccessDenied, InvalidFilePath, SourceNotParsed
from holdfast.comments.sidecar.javascript_json import LONE_SURROGATE
from holdfast.comments.sidecar.note import AnchorSymbol, Note
from holdfast.comments.tracking.lines import LINE_BREAK
from holdfast.comments.tracking.placement import FileVersion
from holdfast.kernel.errors import Denied, InvalidPath
from holdfast.storage.files.repo_path import RepoPath

if TYPE_CHECKING:
    from holdfast.syntax.symbols import Symbol

BLANK_LINE = "[blank line]"
"""The text that is stored and hashed for a line without visible text."""

_JAVASCRIPT_SPACE = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
_JAVASCRIPT_SPACE += "\u2028\u2029\u202f\u205f\u3000\ufeff"
_HASH_DIGITS = 16
"""Hexadecimal digits of a line hash, as the extension writes it."""

SUFFIX = ".comments"
"""The suffix that the name of a sidecar adds to that of its source."""

REPOSITORY_NOTES = ".holdfast"
"""Takes the place of a source's path for notes on folders and on the whole repository. No source can have it,
so `.holdfast.comments` is the sidecar of none."""

FORMAT_VERSION = "2.1.0"
"""The version of the sidecar format that is written."""

_BACKUP_NAME = re.compile(r"\.backup-[^/]*\.comments$")
_RELATIVE_PATH_HINT = "Give the path of a source file from the workspace root, such as 'src/app.ts'"
_OTHER_FILE_HINT = "Choose a source file of the project"
_GUARDED_FOLDERS = frozenset({".git", ".holdfast", "node_modules", ".vscode"})
"""Folders whose files cannot have comments: they belong to git, to Holdfast or to other tools."""


def decode_source(data: bytes) -> str:
    """Return a source file's text, decoded by its BOM or as UTF-8; invalid bytes become U+FFFD."""
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_wide else "utf-8", "replace")


class IndexedLines(list[str]):
    """The lines of a text, with an index by text that is built once."""

    @cached_property
    def indices_by_text(self) -> Mapping[str, list[int]]:
        """The indices of the lines with each trimmed text."""
        indices: dict[str, list[int]] = {}
        for index, line in enumerate(self):
            indices.setdefault(trim(line), []).append(index)
        return indices


def split_lines(text: str) -> IndexedLines:
    """Split a text into lines; there is always at least one."""
    return IndexedLines(LINE_BREAK.split(text))


def trim(line: str) -> str:
    """Remove from both ends of a line what JavaScript's `trim` removes."""
    return line.strip(_JAVASCRIPT_SPACE)


def stored_line_text(line: str) -> str:
    """Return a line as a marker stores it: trimmed, or `BLANK_LINE`."""
    return trim(line) or BLANK_LINE


def line_hash(line: str) -> str:
    """Return the hash that a marker stores of its line."""
    return _hash(stored_line_text(line))


def range_hash(lines: list[str]) -> str:
    """Return the hash that a marker stores of several lines."""
    return _hash("\n".join(trim(line) for line in lines))


def _hash(text: str) -> str:
    # A lone surrogate has no UTF-8 form; JavaScript hashes the replacement character instead.
    return hashlib.sha256(LONE_SURROGATE.sub("\ufffd", text).encode()).hexdigest()[:_HASH_DIGITS]


def is_sidecar(name: str) -> bool:
    """Return whether a name is that of a sidecar, and not of a backup or of a sidecar's own sidecar."""
    return (
        name.endswith(SUFFIX)
        and len(name.rpartition("/")[2]) > len(SUFFIX)
        and not name.endswith(SUFFIX + SUFFIX)
        and _BACKUP_NAME.search(name) is None
        and name != REPOSITORY_NOTES + SUFFIX
    )


def sidecar_of(source_path: str) -> str:
    """Return the path of the sidecar that belongs to a source file."""
    return source_path + SUFFIX


def source_of(sidecar_path: str) -> str:
    """Return the path of the source file that a sidecar belongs to."""
    return sidecar_path.removesuffix(SUFFIX)


def source_path(text: str) -> RepoPath:
    """Parse the path of a source file that need not exist; raise `InvalidFilePath` or `FileAccessDenied`."""
    if _is_guarded(text):
        raise FileAccessDenied(text, "files in this folder cannot have comments", _OTHER_FILE_HINT)
    try:
        path = RepoPath.parse(text)
    except InvalidPath as refusal:
        raise InvalidFilePath(
            text, refusal.message.rstrip("."), refusal.hint or _RELATIVE_PATH_HINT
        ) from None
    if path.name.endswith(SUFFIX):
        raise InvalidFilePath(text, "it names a comment file, not a source file", _RELATIVE_PATH_HINT)
    return path


@contextmanager
def translate_access_errors(path: RepoPath) -> Iterator[None]:
    """Translate errors of file access into `InvalidFilePath` and `FileAccessDenied`."""
    try:
        yield
    except (InvalidFilePath, FileAccessDenied):
        raise
    except (InvalidPath, Denied) as refusal:
        reason, cause = refusal.message.rstrip("."), refusal.__cause__
        is_link = "symbolic link" in reason or getattr(cause, "errno", 0) == errno.ELOOP
        if is_link or isinstance(refusal, Denied):
            raise FileAccessDenied(path.text, reason, refusal.hint or _OTHER_FILE_HINT) from None
        raise InvalidFilePath(path.text, reason, refusal.hint or _RELATIVE_PATH_HINT) from None


def _is_guarded(text: str) -> bool:
    """Return whether a path inside the workspace leads into a guarded folder or to a file of secrets."""
    if text.startswith(("/", "~")) or "\\" in text or "\0" in text:
        return False
    segments = [segment.casefold() for segment in text.split("/") if segment not in ("", ".")]
    if ".." in segments:
        return False
    return any(
        segment in _GUARDED_FOLDERS or segment == ".env" or segment.startswith(".env.")
        for segment in segments
    )


@dataclass(frozen=True)
class CurrentSource:
    """The source file as it is now."""

    path: str
    text: str
    blob: str

    @property
    def version(self) -> FileVersion:
        return FileVersion(self.path, self.text)

    @cached_property
    def lines(self) -> IndexedLines:
        """Its lines; there is always at least one."""
        return split_lines(self.text)


class SourceSymbols:
    """The symbols of one text; none in an unsupported language."""

    def __init__(self, path: str, text: str) -> None:
        # Imported here because most commands need no parser.
        from holdfast.syntax.facts import facts

        self._path = path
        self._facts = facts(path, text)

    def require_valid_syntax(self) -> None:
        problem = self._facts.syntax_error(self._path)
        if problem is not None:
            raise SourceNotParsed(self._path, f"{problem.message} at line {problem.line}")

    def declares(self, name: str) -> bool:
        return any(symbol.name == name for symbol in self._facts.symbols)

    def at(self, line: int) -> Symbol | None:
        from holdfast.syntax.facts import innermost

        return innermost(self._facts.symbols, line)


def anchor_symbol(symbol: Symbol | None) -> AnchorSymbol | None:
    """Return the part of a symbol that a comment shows."""
    if symbol is None:
        return None
    return AnchorSymbol(symbol.kind, symbol.name, symbol.container, symbol.path)


def ast_anchor(symbol: Symbol | None, line: int) -> dict[str, Any] | None:
    """Return a symbol in the form in which the extension stores it."""
    if symbol is None:
        return None
    return {
        "symbolPath": list(symbol.path),
        "symbolKind": symbol.kind,
        "containerName": symbol.container,
        "offset": max(0, line - symbol.start_line),
    }


def attach_symbols(notes: Iterable[Note], symbols: SourceSymbols) -> None:
    """Set the symbol at the current line of each comment that is not orphaned."""
    for note in notes:
        if not note.orphaned:
            note.moved_symbol = anchor_symbol(symbols.at(note.line)) or note.moved_symbol
