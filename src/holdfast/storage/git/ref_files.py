"""Reads refs directly from git's files, without starting a process.

Contract:
- The format is that of git's `files` backend: a file per ref below `refs/`, and `packed-refs` for the others.
  As in git, loose refs are read first and take precedence, so that a concurrent `git pack-refs` hides none.
- A ref whose file holds no object id is returned with an empty id: it is damaged, not absent. Bytes of a name
  that are not UTF-8 are escaped, so that the name can be stored and shown; no log has such a name.
- The result is cached until the stat of a folder or file differs (see `file_signature`).
- `are_readable` is false for a repository with the `reftable` backend: there, git must be run.

Quick commands import this module, so it imports only what Python has loaded at its start.
"""

from __future__ import annotations

import errno
import os
import stat

from holdfast.storage.watching.file_signature import FileSignature, signature_of

TYPE_CHECKING = False  # without `typing`, see above
if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_REF_BYTES = 256
"""A judgement: a loose ref has 65 bytes at most; anything longer is damaged."""
_ID_LENGTHS = (40, 64)
"""The hexadecimal digits of SHA-1 and of SHA-256."""
_MAX_HEAD_BYTES = 4096
"""A judgement: HEAD contains one ref, whose name is a path, and Linux allows 4096 bytes for a path."""
_MAX_PACKED_BYTES = 1 << 28
"""A judgement: some three million refs. A larger file is no list of refs, and would not fit into memory."""
_SYMBOLIC = b"ref: "
_BRANCHES = "refs/heads/"
_PACKED_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class RefFiles:
    """The refs below one prefix, such as `refs/holdfast/`, of one repository."""

    def __init__(self, common_directory: str, prefix: str) -> None:
        self._common = common_directory
        self._other_backend = os.path.join(common_directory, "reftable")
        self._prefix = prefix
        self._packed: dict[str, str] = {}
        self._packed_stat: tuple[int, int, int] | None = None
        self._read_paths: list[str] = []
        self._cached: tuple[FileSignature | None, dict[str, str]] = (None, {})

    @property
    def are_readable(self) -> bool:
        """Whether this repository stores its refs in files."""
        return not os.path.lexists(self._other_backend)

    def tips(self) -> dict[str, str]:
        """Return the refs and their object ids; the files are read only if a folder or a file has changed."""
        last_paths = self._read_paths
        cached_signature, cached_tips = self._cached
        signature = signature_of(last_paths) if last_paths else None
        if signature is not None and signature == cached_signature:
            return cached_tips.copy()
        loose: dict[str, str] = {}
        paths = [os.path.join(self._common, "packed-refs")]
        top = os.path.join(self._common, self._prefix.rstrip("/"))
        self._read_directory(top, self._prefix, loose, paths)
        self._read_packed()
        tips = printable({**self._packed, **loose})
        # The signature was taken before these paths were read: a later change makes it differ.
        self._read_paths = paths
        self._cached = (signature if paths == last_paths else None, tips)
        return tips.copy()

    def tip(self, name: str) -> str | None:
        """Return the id of one ref, or None if there is no such ref."""
        loose: dict[str, str] = {}
        self._read_loose(os.path.join(self._common, name), name, loose)
        if name in loose:
            return loose[name]
        self._read_packed()
        return self._packed.get(name)

    def _read_directory(self, directory: str, prefix: str, found: dict[str, str], paths: list[str]) -> None:
        """Add the refs in a directory to `found`, and every folder and file that was read to `paths`."""
        paths.append(directory)
        if os.path.islink(directory):  # a ref written below it would be elsewhere
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if entry.is_dir():
                        self._read_directory(entry.path, f"{prefix}{entry.name}/", found, paths)
                    elif not entry.name.endswith(".lock"):
                        paths.append(entry.path)
                        self._read_loose(entry.path, prefix + entry.name, found)
        except (FileNotFoundError, NotADirectoryError):
            pass

    def _read_loose(self, path: str, name: str, found: dict[str, str]) -> None:
        try:
            found[name] = parse_object_id(read_beginning(path, _MAX_REF_BYTES))
        except FileNotFoundError:
            return  # it has just been packed; `packed-refs` is read afterwards
        except IsADirectoryError:
            return  # git leaves empty directories behind, and replaces one when it needs the name for a ref
        except OSError:
            found[name] = ""

    def _read_packed(self) -> None:
        try:
            descriptor = os.open(os.path.join(self._common, "packed-refs"), _PACKED_FLAGS)
        except FileNotFoundError:
            self._packed, self._packed_stat = {}, None
            return
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_PACKED_BYTES:
                reason = errno.EFBIG if stat.S_ISREG(status.st_mode) else errno.ENXIO
                raise OSError(reason, os.strerror(reason))
            state = (status.st_ino, status.st_size, status.st_mtime_ns)
            if state != self._packed_stat:
                with open(descriptor, "rb", buffering=0, closefd=False) as file:
                    self._packed = parse_packed_refs(file.read(), self._prefix)
                self._packed_stat = state
        finally:
            os.close(descriptor)


class HeadFile:
    """The file HEAD of one work tree, which leads to its last commit."""

    def __init__(
        self, git_directory: str, common_directory: str, run_git: Callable[[], str | None] = lambda: ""
    ) -> None:
        """`run_git` returns the last commit where HEAD cannot be read here."""
        self._path = os.path.join(git_directory, "HEAD")
        self._run_git = run_git
        self._branches = RefFiles(common_directory, _BRANCHES)

    def commit(self) -> str | None:
        """Return the id of the last commit; None if there is none; an empty text if it is unknown."""
        branch = self._branch()
        try:
            found = self._branches.tip(branch) if branch.startswith(_BRANCHES) else branch
        except OSError:
            found = ""
        return self._run_git() if found == "" else found

    def _branch(self) -> str:
        """Return the current branch, or the commit of a detached HEAD; an empty text if it is unknown."""
        if not self._branches.are_readable:
            return ""
        try:
            content = read_beginning(self._path, _MAX_HEAD_BYTES)
        except OSError:
            return ""
        if not content.startswith(_SYMBOLIC):
            return parse_object_id(content)
        branch = os.fsdecode(content[len(_SYMBOLIC) :].strip())
        is_branch = branch.startswith(_BRANCHES) and ".." not in branch and "\0" not in branch
        return branch if is_branch and len(content) < _MAX_HEAD_BYTES else ""


def printable(tips: dict[str, str]) -> dict[str, str]:
    """Return refs with the bytes of their names that are not UTF-8 escaped."""
    return {
        name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace"): tip
        for name, tip in tips.items()
    }


def read_beginning(path: str, limit: int) -> bytes:
    """Return the first bytes of a file; links are refused, and no FIFO can block."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(descriptor, limit)
    finally:
        os.close(descriptor)


def parse_object_id(content: bytes) -> str:
    """Return the object id in a loose ref, or an empty text if it holds something else."""
    text = content.strip()
    is_id = len(text) in _ID_LENGTHS and not text.translate(None, b"0123456789abcdef")
    return text.decode("ascii") if is_id and text.strip(b"0") else ""


def parse_packed_refs(content: bytes, prefix: str) -> dict[str, str]:
    """Return the refs below a prefix in a `packed-refs` file, whose lines are `<id> <ref>`."""
    found = {}
    separator = b" " + prefix.encode()  # the end of an id and the start of a wanted name
    id_end = content.find(separator)
    while id_end >= 0:
        line_start = content.rfind(b"\n", 0, id_end) + 1
        line_end = content.find(b"\n", id_end)
        if line_end < 0:
            line_end = len(content)
        name = os.fsdecode(content[id_end + 1 : line_end])
        found[name] = parse_object_id(content[line_start:id_end])
        id_end = content.find(separator, line_end)
    return found
