"""Validated paths in the work tree, from strings and from paths that a person types in a shell.

Contract:
- `RepoPath.parse` checks the text alone. Its result is relative and in normal form (forward slashes, no empty
  or `.` segment), has no `..`, and does not lead to git's directory or a store of ours, in any spelling that
  Windows, macOS or Linux accept for them.
- Nothing is decoded, expanded or looked up: `%2e` is three characters.
- A `RepoPath` is neither a `str` nor an `os.PathLike`: only `Tree` opens one.
- `typed_path` interprets a path that a person typed in a shell. A path that is absolute, or begins with `./`
  or `../`, is resolved as a shell does. Any other path is relative to the current directory if something of
  that name exists there, and otherwise to the root. A path that leads out of the work tree is returned
  unchanged, and `parse` reports what is wrong with it. No file is opened, and only links in the folder's path
  are followed.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any

from holdfast.kernel.errors import InvalidPath, closest
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.text import shorten

_CONTROL_CHARACTERS = frozenset(map(chr, (*range(0x20), 0x7F, *range(0x80, 0xA0), 0x2028, 0x2029)))
_SLASH_LOOKALIKES = frozenset("\u2044\u2215\u2571\u29f5\u29f8\u29f9\u2216\ufe68\uff0f\uff3c")
_DOT_LOOKALIKES = dict.fromkeys(map(ord, "\u2024\u3002\ufe52\uff0e\uff61"), ".") | {
    0x2025: "..",
    0x2026: "...",
}
# Code points that HFS+ ignores when it compares names (see git's `is_hfs_dotgit`), and other invisible ones.
_IGNORABLE = dict.fromkeys(
    (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x2070), 0xFEFF, 0x200B, 0x2060, 0x00AD)
)
_RESERVED = frozenset({".git", ".holdfast"})
# The 8.3 short names that Windows gives `.git` and `.holdfast`, before the tilde and a number.
_RESERVED_SHORT = frozenset({"git", "holdfa"})

# Nearly all paths, which the checks below accept as well; they take longer.
_PLAIN_NAME = r"[A-Za-z0-9_](?:[\w@+=.-]*[\w@+=-])?"
_PLAIN_PATH = re.compile(rf"(?:{_PLAIN_NAME}/)*{_PLAIN_NAME}", re.ASCII)

_MAX_CACHED_PATHS = 1024
"""A judgement: a request names the same few paths over and over."""
_MAX_QUOTED_CHARACTERS = 100
"""A judgement: enough to recognise a path, in a message of about two lines."""
_MIN_FOLDER_SIMILARITY = 0.6
"""The default of `difflib.get_close_matches`."""
_MIN_FILE_SIMILARITY = 0.8
"""A judgement: equal extensions make names similar that otherwise share little."""
_RELATIVE_PATH_HINT = (
    "Give a path relative to the repository root, with forward slashes, such as 'src/main.py'."
)


class RepoPath:
    """A path inside the work tree, in normal form. Compared, ordered and hashed by its text."""

    __slots__ = ("segments",)

    segments: tuple[str, ...]

    def __init__(self, segments: tuple[str, ...]) -> None:
        """Take segments that `parse` has approved; every other caller uses `parse`."""
        self.segments = segments

    @classmethod
    def parse(cls, text: str) -> RepoPath:
        """Return the path that `text` names, or raise `InvalidPath` with what is wrong with it."""
        if not isinstance(text, str):
            raise InvalidPath("A path must be a string.", hint=_RELATIVE_PATH_HINT)
        return cls(_segments(text))

    @property
    def text(self) -> str:
        """The path with slashes, as it goes on the wire."""
        return "/".join(self.segments)

    @property
    def name(self) -> str:
        """The last segment."""
        return self.segments[-1]

    def with_suffix_added(self, suffix: str) -> RepoPath:
        """Return the path of a companion file, such as `a.py.comments` for `a.py`."""
        return RepoPath.parse(self.text + suffix)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"RepoPath({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RepoPath) and self.segments == other.segments

    def __lt__(self, other: RepoPath) -> bool:
        return self.text < other.text

    def __hash__(self) -> int:
        return hash(self.segments)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Let models have fields of this type, which are strings on the wire.

        `InvalidPath` passes through validation unchanged, so that the caller receives this kind of error.
        """
        from pydantic_core import core_schema  # here, because quick commands do without pydantic

        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, cls) else cls.parse(value),
            serialization=core_schema.to_string_ser_schema(),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string", "minLength": 1, "maxLength": LIMITS.path_characters}


def _invalid_path(text: str, reason: str, hint: str) -> InvalidPath:
    # Escaped: the text may contain control characters or lone surrogates.
    shown = ascii(shorten(text, _MAX_QUOTED_CHARACTERS, mark="...", beyond=True))
    return InvalidPath(f"The path {shown} {reason}.", hint=hint)


@lru_cache(maxsize=_MAX_CACHED_PATHS)
def _segments(text: str) -> tuple[str, ...]:
    if len(text) <= LIMITS.path_segment_bytes and _PLAIN_PATH.fullmatch(text):
        return tuple(text.split("/"))
    _check_text(text)
    segments = tuple(segment for segment in text.split("/") if segment not in ("", "."))
    if not segments:
        raise _invalid_path(text, "names no file", _RELATIVE_PATH_HINT)
    for segment in segments:
        _check_segment(segment, text)
    return segments


def _check_text(text: str) -> None:
    """Refuse a text that is too long, or has characters or a start that no path may have."""
    if len(text) > LIMITS.path_characters:
        raise _invalid_path(
            text, f"is longer than {LIMITS.path_characters} characters", "Use a shorter path."
        )
    if not _CONTROL_CHARACTERS.isdisjoint(text):
        raise _invalid_path(text, "contains a control character", "Rename the file.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _invalid_path(text, "is not valid Unicode", "Rename the file so that its name is valid UTF-8.")
    if "\\" in text or not _SLASH_LOOKALIKES.isdisjoint(text):
        raise _invalid_path(
            text, "contains a backslash or a character that looks like a slash", _RELATIVE_PATH_HINT
        )
    _check_beginning(text)


def _check_beginning(text: str) -> None:
    """Refuse absolute paths, home directories, drives and URLs."""
    if text.startswith("/"):
        raise _invalid_path(text, "is absolute", _RELATIVE_PATH_HINT)
    if text.startswith("~"):
        raise _invalid_path(text, "begins with a tilde", _RELATIVE_PATH_HINT)
    scheme, colon, rest = text.partition(":")
    if colon and (len(scheme) == 1 or rest.startswith("//") or scheme.lower() == "file"):
        raise _invalid_path(text, "begins with a drive letter or a URL scheme", _RELATIVE_PATH_HINT)


def _check_segment(segment: str, text: str) -> None:
    if not segment.translate(_IGNORABLE).translate(_DOT_LOOKALIKES).strip(". "):
        raise _invalid_path(text, "has a part of nothing but dots", f"Leave out '..'. {_RELATIVE_PATH_HINT}")
    if segment.endswith((".", " ")):
        raise _invalid_path(text, "has a name that ends with a dot or a space", "Rename the file.")
    if len(segment.encode()) > LIMITS.path_segment_bytes:
        raise _invalid_path(
            text, f"has a name longer than {LIMITS.path_segment_bytes} bytes", "Use a shorter name."
        )
    if _is_reserved(segment):
        raise _invalid_path(
            text, "leads into git's own directory or a store", "Name a file of the work tree."
        )


def _is_reserved(segment: str) -> bool:
    """Return whether some file system resolves this name to `.git` or `.holdfast`.

    macOS ignores certain code points. Windows ignores trailing dots and spaces and whatever follows a colon,
    and has a short form of each name. Both ignore case.
    """
    name = segment.translate(_IGNORABLE).partition(":")[0].rstrip(". ").casefold()
    short, tilde, number = name.partition("~")
    return name in _RESERVED or (bool(tilde) and number.isdecimal() and short in _RESERVED_SHORT)


def typed_path(root: str, typed: str, *, companions: tuple[str, ...] = ()) -> str:
    """Return the path from the root for a path typed in a shell.

    A file exists for this purpose also if only a companion of it does: a file with one of these suffixes.
    """
    if not typed or "\0" in typed:
        return typed
    try:
        target = os.path.normpath(os.path.join(os.path.realpath(os.getcwd()), typed))
    except OSError:
        return typed  # the current directory is gone
    path = _path_inside(root, target) or _path_inside(root, _with_real_folder(target))
    if path is None:
        return typed
    is_explicit = os.path.isabs(typed) or typed.split("/", 1)[0] in (".", "..")
    if is_explicit or any(os.path.lexists(target + suffix) for suffix in ("", *companions)):
        return path
    return typed


def closest_path(root: str, path: str) -> str | None:
    """Return the existing path that is most similar to a missing one, name by name, or None."""
    target = root
    for name in path.split("/"):
        try:
            exists = os.path.lexists(os.path.join(target, name))
            similarity = _MIN_FILE_SIMILARITY if "." in name else _MIN_FOLDER_SIMILARITY
            existing = name if exists else closest(name, os.listdir(target), similarity)
        except (OSError, ValueError):
            return None
        if existing is None:
            return None
        target = os.path.join(target, existing)
    return os.path.relpath(target, root)


def is_folder(root: str, path: str) -> bool:
    """Return whether a path from the root is a folder."""
    return "\0" not in path and os.path.isdir(os.path.join(root, path))


def _path_inside(root: str, target: str) -> str | None:
    if target == root:
        return "."
    return target[len(root) :].lstrip("/") if target.startswith(root.rstrip("/") + "/") else None


def _with_real_folder(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(os.path.realpath(folder), name)
