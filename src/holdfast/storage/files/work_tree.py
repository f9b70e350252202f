"""The work tree: the only way from a string to a path in it, and files that no path and no link leads out of.

Contract:
- `RepoPath.parse` looks at the text alone. What it returns is relative, in normal form (forward slashes, no
  empty or `.` segment), climbs nowhere, and names neither git's directory nor a store of ours under any
  spelling that Windows, macOS or Linux take for it.
- Nothing is decoded, expanded or looked up. `%2e` is three characters here.
- A `RepoPath` is not a `str` and no `os.PathLike`: the one thing that opens it is `Tree`.
- `typed_path` takes what somebody types in a shell. A path that is absolute, or begins with `./` or `../`,
  counts from where it says; any other from the current directory when there is something of that name, and
  from the root when there is not. What leads out of the work tree comes back as it was typed, and `parse`
  says what is wrong with it. Nothing is opened, and no link is followed but on the way to that directory.
- `Tree` walks a path one component at a time, each opened relative to the directory before it and never
  followed as a link. What was checked is what is used: there is no moment between check and use in which
  somebody can swap a directory for a link.
- A symbolic link anywhere on the way is refused, even one that stays inside. Whether it stays inside cannot
  be decided and acted upon in one step on every system we support, and a rule without exceptions is one that
  a reader can hold in mind. Git itself does not go beyond a link either.
- Only regular files are read; a FIFO, device or socket is refused at once, without waiting for it.
- A write replaces the name, so a file that is hard-linked elsewhere is left alone there. A file that nobody
  may write is refused all the same.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from holdfast.kernel.errors import Denied, InvalidPath, NotFound, Unavailable, closest
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import confirming, disk_failure, disk_failures_named
from holdfast.kernel.text import shorten
from holdfast.storage.files.atomic import (
    TEMPORARY_SUFFIX,
    open_regular,
    read_descriptor,
    replace_at,
    sweep_at,
)
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.own_writes import announce

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

_CONTROL = frozenset(map(chr, (*range(0x20), 0x7F, *range(0x80, 0xA0), 0x2028, 0x2029)))
_LIKE_SLASH = frozenset("\u2044\u2215\u2571\u29f5\u29f8\u29f9\u2216\ufe68\uff0f\uff3c")
_LIKE_DOT = dict.fromkeys(map(ord, "\u2024\u3002\ufe52\uff0e\uff61"), ".") | {0x2025: "..", 0x2026: "..."}
# Code points that HFS+ drops when it compares names, and others that nobody sees.
_IGNORABLE = dict.fromkeys(
    (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x2070), 0xFEFF, 0x200B, 0x2060, 0x00AD)
)
_RESERVED = frozenset({".git", ".holdfast"})
# What Windows calls `.git` and `.holdfast` in its short form, before the tilde and a number.
_RESERVED_SHORT = frozenset({"git", "holdfa"})

_REMEMBERED = 1024
_RELATIVE = "Give a path relative to the repository root, with forward slashes, such as 'src/main.py'."

_ROOT_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_STEP_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class RepoPath:
    """A path inside the work tree, in normal form. Equal, ordered and hashed by its text."""

    __slots__ = ("segments",)

    segments: tuple[str, ...]

    def __init__(self, segments: tuple[str, ...]) -> None:
        """Take segments that `parse` has approved; everybody else calls `parse`."""
        self.segments = segments

    @classmethod
    def parse(cls, text: str) -> RepoPath:
        """Return the path that `text` names, or raise `InvalidPath` saying what is wrong with it."""
        if not isinstance(text, str):
            raise InvalidPath("A path must be a string.", hint=_RELATIVE)
        return cls(_segments(text))

    @property
    def text(self) -> str:
        """The path as it is written on the wire."""
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
        """Let models declare fields of this type: a string outside, a `RepoPath` inside.

        `InvalidPath` passes through validation unchanged, so that a caller sees the kind of failure it is.
        """
        from pydantic_core import core_schema  # here, because quick commands do without pydantic

        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, cls) else cls.parse(value),
            serialization=core_schema.to_string_ser_schema(),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        """Describe the field to clients."""
        return {"type": "string", "minLength": 1, "maxLength": LIMITS.path_characters}


def _refused(text: str, reason: str, hint: str) -> InvalidPath:
    # Escaped: what is refused may hold control characters or half a character.
    shown = ascii(shorten(text, 100, mark="...", beyond=True))
    return InvalidPath(f"The path {shown} {reason}.", hint=hint)


@lru_cache(maxsize=_REMEMBERED)
def _segments(text: str) -> tuple[str, ...]:
    """Return the segments of a text that is a path; those looked at lately are remembered."""
    _check_text(text)
    segments = tuple(segment for segment in text.split("/") if segment not in ("", "."))
    if not segments:
        raise _refused(text, "names no file", _RELATIVE)
    for segment in segments:
        _check_segment(segment, text)
    return segments


def _check_text(text: str) -> None:
    """Refuse what is wrong with the text as a whole."""
    if len(text) > LIMITS.path_characters:
        raise _refused(text, f"is longer than {LIMITS.path_characters} characters", "Use a shorter path.")
    if not _CONTROL.isdisjoint(text):
        raise _refused(text, "contains a control character", "Rename the file.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _refused(text, "is not valid Unicode", "Rename the file so that its name is valid UTF-8.")
    if "\\" in text or not _LIKE_SLASH.isdisjoint(text):
        raise _refused(text, "contains a backslash or a character that looks like a slash", _RELATIVE)
    _check_beginning(text)


def _check_beginning(text: str) -> None:
    """Refuse absolute paths, home directories, drives and URLs."""
    if text.startswith("/"):
        raise _refused(text, "is absolute", _RELATIVE)
    if text.startswith("~"):
        raise _refused(text, "begins with a tilde", _RELATIVE)
    scheme, colon, rest = text.partition(":")
    if colon and (len(scheme) == 1 or rest.startswith("//") or scheme.lower() == "file"):
        raise _refused(text, "begins with a drive letter or a URL scheme", _RELATIVE)


def _check_segment(segment: str, text: str) -> None:
    """Refuse what is wrong with one name between slashes."""
    if not segment.translate(_IGNORABLE).translate(_LIKE_DOT).strip(". "):
        raise _refused(text, "has a part of nothing but dots", f"Leave out '..'. {_RELATIVE}")
    if segment.endswith((".", " ")):
        raise _refused(text, "has a name that ends with a dot or a space", "Rename the file.")
    if len(segment.encode()) > LIMITS.path_segment_bytes:
        raise _refused(
            text, f"has a name longer than {LIMITS.path_segment_bytes} bytes", "Use a shorter name."
        )
    if _is_reserved(segment):
        raise _refused(text, "leads into git's own directory or a store", "Name a file of the work tree.")


def _is_reserved(segment: str) -> bool:
    """Tell whether some file system takes this name for `.git` or `.holdfast`.

    macOS drops ignorable code points, Windows drops trailing dots and spaces and whatever follows a colon and
    has a short form of each name; both ignore case.
    """
    name = segment.translate(_IGNORABLE).partition(":")[0].rstrip(". ").casefold()
    short, tilde, number = name.partition("~")
    return name in _RESERVED or (bool(tilde) and number.isdecimal() and short in _RESERVED_SHORT)


def typed_path(root: str, typed: str, *, companions: tuple[str, ...] = ()) -> str:
    """Return what a typed path means, counted from the root; `companions` are endings of files beside it."""
    if not typed or "\0" in typed:
        return typed
    try:
        place = os.path.normpath(os.path.join(os.path.realpath(os.getcwd()), typed))
    except OSError:
        return typed  # the current directory is gone
    inside = _inside(root, place) or _inside(root, _with_real_folder(place))
    if inside is None:
        return typed
    is_told = os.path.isabs(typed) or typed.split("/", 1)[0] in (".", "..")
    if is_told or any(os.path.lexists(place + ending) for ending in ("", *companions)):
        return inside
    return typed


def closest_path(root: str, path: str) -> str | None:
    """Return the path most like one that is not there, name by name, or None: to end alike is not enough."""
    place = root
    for name in path.split("/"):
        try:
            is_there = os.path.lexists(os.path.join(place, name))
            found = name if is_there else closest(name, os.listdir(place), 0.8 if "." in name else 0.6)
        except (OSError, ValueError):
            return None
        if found is None:
            return None
        place = os.path.join(place, found)
    return os.path.relpath(place, root)


def is_folder(root: str, path: str) -> bool:
    """Return whether a path counted from the root is a folder."""
    return "\0" not in path and os.path.isdir(os.path.join(root, path))


def _inside(root: str, place: str) -> str | None:
    if place == root:
        return "."
    return place[len(root) :].lstrip("/") if place.startswith(root.rstrip("/") + "/") else None


def _with_real_folder(place: str) -> str:
    folder, name = os.path.split(place)
    return os.path.join(os.path.realpath(folder), name)


class Tree:
    """The work tree of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._tidied: set[tuple[str, ...]] = set()

    def open_read(self, path: RepoPath) -> BinaryIO:
        """Open a regular file for reading; the caller closes it."""
        with self._parent_of(path) as parent:
            return os.fdopen(open_regular(path.name, directory=parent, label=path.text), "rb")

    def read_bytes(self, path: RepoPath, limit: int) -> bytes:
        """Return the whole content of a regular file of at most `limit` bytes."""
        with self.open_read(path) as file, disk_failures_named(path.text):
            return read_descriptor(file.fileno(), limit, label=path.text)

    def exists(self, path: RepoPath) -> bool:
        """Tell whether there is a regular file that `open_read` would look at."""
        return self.signature(path) is not None

    def files_in(self, directory: RepoPath) -> list[RepoPath]:
        """Return the regular files directly in a directory, in order; none where there is none."""
        inside = RepoPath((*directory.segments, "_"))
        try:
            with self._parent_of(inside) as folder:
                names = [name for name in sorted(os.listdir(folder)) if _is_regular(folder, name)]
        except NotFound:
            return []
        return [path for name in names if (path := _nameable(directory, name)) is not None]

    def write(self, path: RepoPath, data: bytes) -> None:
        """Replace the content of a file, durably and in one step; its directory must exist."""
        with self._parent_of(path) as parent:
            _refuse_to_replace(parent, path)
            if path.segments[:-1] not in self._tidied:  # once for each folder
                self._tidied.add(path.segments[:-1])
                self._repository.ignore(f"*{TEMPORARY_SUFFIX}")
                sweep_at(parent)
            replace_at(parent, path.name, data, label=path.text)
        announce(os.path.join(self._repository.root, path.text))

    def sweep(self, path: RepoPath) -> list[str]:
        """Remove the temporary files that killed writers left beside a file, and return their names."""
        with self._parent_of(path) as folder:
            return sweep_at(folder)

    def signature(self, path: RepoPath) -> tuple[int, int, int] | None:
        """Return inode, size and time of a regular file, or None when there is none."""
        try:
            with self._parent_of(path) as parent:
                status = os.stat(path.name, dir_fd=parent, follow_symlinks=False)
        except (NotFound, InvalidPath):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def remove(self, path: RepoPath) -> None:
        """Remove a regular file, durably."""
        with self._parent_of(path) as parent:
            _refuse_to_replace(parent, path)
            os.unlink(path.name, dir_fd=parent)
            with confirming(path.text):
                os.fsync(parent)
        announce(os.path.join(self._repository.root, path.text))

    def make_parents(self, path: RepoPath) -> None:
        """Make the directories that lead to a file, as far as they are missing."""
        with self._parent_of(path, make=True):
            pass

    @contextmanager
    def _parent_of(self, path: RepoPath, *, make: bool = False) -> Iterator[int]:
        """Hold open the directory that contains the last component; failures meanwhile name the path."""
        try:
            descriptor = self._root()
            try:
                for segment in path.segments[:-1]:
                    if make:
                        _make_directory(descriptor, segment)
                    descriptor = _step_into(descriptor, segment, path)
                yield descriptor
            finally:
                os.close(descriptor)
        except OSError as error:
            raise disk_failure(error, path.text) from error

    def _root(self) -> int:
        """Open the work tree."""
        if self._repository.bare:
            raise Unavailable("A bare repository has no files to open.", hint="Use a clone with a work tree.")
        return os.open(self._repository.root, _ROOT_FLAGS)


def _is_regular(directory: int, name: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _nameable(directory: RepoPath, name: str) -> RepoPath | None:
    try:
        return RepoPath.parse(f"{directory.text}/{name}")
    except InvalidPath:
        return None


def _make_directory(directory: int, name: str) -> None:
    try:
        os.mkdir(name, dir_fd=directory)
    except FileExistsError:
        return  # whether it is a directory is for the next step to find out
    os.fsync(directory)


def _step_into(directory: int, segment: str, path: RepoPath) -> int:
    """Exchange an open directory for the one called `segment` inside it."""
    try:
        following = os.open(segment, _STEP_FLAGS, dir_fd=directory)
    except NotADirectoryError:
        # Linux gives this answer for a link as well; say which of the two it is.
        _refuse_link(directory, segment, path)
        raise
    os.close(directory)
    return following


def _refuse_link(directory: int, name: str, path: RepoPath) -> None:
    if stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
        raise InvalidPath(
            f"'{path.text}' leads through the symbolic link '{name}'.",
            hint="Name the file by its own path; links are not followed.",
            path=path.text,
        )


def _refuse_to_replace(directory: int, path: RepoPath) -> None:
    """Refuse what is no file, and what is read-only by its mode, though its directory would let us."""
    try:
        mode = os.stat(path.name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise InvalidPath(
            f"'{path.text}' is not a regular file.", hint="Name a regular file.", path=path.text
        )
    if not mode & _WRITABLE:
        raise Denied(f"'{path.text}' is read-only.", hint="Make the file writable first.", path=path.text)
