"""The only module that runs git.

Contract:
- Arguments are a list, never a shell command line. A caller's argument follows `--end-of-options`, or is an
  object id, or is a `RepoPath` after an object id. No git command reads the work tree: that would run the
  filters that the repository configures, which cannot be disabled because their names are arbitrary.
  `hardening.py` has the other precautions.
- Every command ends: with its result, at its time limit, at the caller's deadline, shortly after the caller's
  cancellation, or when it waits for a named pipe. Its whole process group ends with it. The size of its
  output is bounded.
"""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Generator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from holdfast.kernel.errors import InvalidArguments, NotFetched, NotFound, OutOfSpace, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import FREE_SPACE, translate_disk_errors
from holdfast.kernel.telemetry.tracing import span
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.binary_content import is_binary
from holdfast.storage.git.blocking_file import GitTimeLimit
from holdfast.storage.git.hardening import (
    find_git,
    hardened_arguments,
    hardened_environment,
    readable_message,
    trusted_search_path,
)
from holdfast.storage.git.incomplete_clone import is_partial
from holdfast.storage.git.line_diff import LineRange, changed_lines
from holdfast.storage.git.objects.cat_file import OBJECT_ID, BatchReader, not_fetched_error
from holdfast.storage.git.repository import Repository
from holdfast.storage.git.stand_in import FORMAT_SETTINGS, stand_in
from holdfast.storage.lazy import Lazy
from holdfast.storage.processes.child import (
    WIDE_PIPE_BYTES,
    communicate,
    end_group,
    wait_until_ended,
    widen_pipe,
)

_REF_PREFIX = re.compile(r"refs(?:/(?!\.)[\w.+=@-]+)*/?", re.ASCII)
_MAX_REVISION_CHARACTERS = 1024
"""A judgement: the name of a ref seldom has 250 bytes, and a revision adds a few characters."""
_MAX_QUOTED_CHARACTERS = 100
"""How much of an invalid revision a message quotes. A judgement: enough to recognise it."""
_STREAM_CHUNK_BYTES = WIDE_PIPE_BYTES // 4
"""A judgement: git fills the rest of the pipe while this part is processed."""

SCOPES = ("--system", "--global")
"""Options for the configuration of the machine and of the user, which no repository can change."""


class Identity(NamedTuple):
    """The user's name and email address according to git; each may be unknown."""

    name: str | None
    email: str | None


class GitOptions(NamedTuple):
    """Settings and environment variables of one command, which override the hardening."""

    settings: tuple[str, ...] = ()
    environment: Mapping[str, str] = MappingProxyType({})
    outside_repository: bool = False
    """Whether the command runs as if outside of any repository, and so reads no repository's settings."""
    stand_in: bool = False
    """Whether the command runs in the stand-in: with the repository's objects and refs, not its settings."""


_NO_OPTIONS = GitOptions()


class GitResult(NamedTuple):
    """What a git command printed, and its exit status."""

    status: int
    output: bytes
    message: str
    """Standard error, in one readable line."""


class Git:
    """Git, for one repository. Close it to end the process that reads objects."""

    def __init__(self, repository: Repository, environment: Mapping[str, str] = os.environ) -> None:
        if repository.git_dir is None:
            raise Unavailable(
                "This directory is not in a git repository.", hint="Run `git init` to make it one."
            )
        self.repository = repository
        self._search_path = trusted_search_path(environment, repository.root)
        self._environment = hardened_environment(environment, self._search_path)
        self._objects = Lazy(lambda: BatchReader(self._start_reader, lambda: is_partial(repository)))

    def run(
        self,
        *arguments: str,
        limit: int = LIMITS.git_output_bytes,
        seconds: float = LIMITS.git_seconds,
        stdin: bytes = b"",
        options: GitOptions = _NO_OPTIONS,
    ) -> bytes:
        """Return what a git command prints, or raise with its error message."""
        result = self.execute(*arguments, limit=limit, seconds=seconds, stdin=stdin, options=options)
        if result.status != 0:
            raise _error_of(arguments[0], result)
        return result.output

    def execute(
        self,
        *arguments: str,
        limit: int = LIMITS.git_output_bytes,
        seconds: float = LIMITS.git_seconds,
        stdin: bytes = b"",
        options: GitOptions = _NO_OPTIONS,
    ) -> GitResult:
        """Run a git command with `stdin` as its input; return the result even if the command failed."""
        with span(f"git {arguments[0]}"):
            time_limit = GitTimeLimit(seconds, f"git {arguments[0]}", self.repository)
            process = self._start(arguments, stdin=_input_of(stdin), stderr=subprocess.PIPE, options=options)
            output, stderr = bytearray(), bytearray()
            try:
                for piece in communicate(process, stdin, stderr, time_limit):
                    time_limit.answered()
                    output += piece
                    if len(output) > limit:
                        raise TooLarge(
                            f"git printed more than {limit} bytes.", hint="Narrow the request.", limit=limit
                        )
                status = wait_until_ended(process, time_limit)
            finally:
                end_group(process)
        message = readable_message(bytes(stderr), self.repository) if stderr else ""
        return GitResult(status, bytes(output), message)

    def stream(
        self,
        *arguments: str,
        stdin: bytes = b"",
        seconds: float = LIMITS.git_seconds,
        options: GitOptions = _NO_OPTIONS,
    ) -> Generator[bytes, None, None]:
        """Yield the output of a git command, however long, and raise at its end if it failed."""
        time_limit = GitTimeLimit(seconds, f"git {arguments[0]}", self.repository)
        process = self._start(arguments, stdin=_input_of(stdin), stderr=subprocess.PIPE, options=options)
        stderr = bytearray()
        try:
            widen_pipe(process.stdout)
            for piece in communicate(process, stdin, stderr, time_limit, _STREAM_CHUNK_BYTES):
                yield piece
                time_limit.answered()
            status = wait_until_ended(process, time_limit)
        finally:
            end_group(process)
        if status != 0:
            message = readable_message(bytes(stderr), self.repository)
            raise _error_of(arguments[0], GitResult(status, b"", message))

    def resolve(self, revision: str) -> str:
        """Return the object id of a revision; the object itself may be missing."""
        _check_revision(revision)
        result = self.execute("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
        object_id = result.output.decode("ascii", "replace").strip()
        if result.status != 0 or not OBJECT_ID.fullmatch(object_id):
            raise NotFound(f"There is no revision {revision!a}.", hint="Name a commit, branch or tag.")
        return object_id

    def head_blob(self, path: RepoPath, *, limit: int = LIMITS.git_output_bytes) -> bytes | None:
        """Return a file's content in the last commit, or None if that has no such file."""
        blob = self.objects().read(f"HEAD:{path.text}", limit)
        return blob.data if blob is not None and blob.kind == "blob" else None

    def head(self) -> str | None:
        """Return the id of the last commit, or None if there is none."""
        commit = self.objects().read("HEAD", LIMITS.git_output_bytes)
        return commit.id if commit is not None and commit.kind == "commit" else None

    def ref_tips(self, prefix: str) -> dict[str, str]:
        """Return the refs below a prefix and their object ids, without reading any object.

        A damaged object or ref therefore does not hide the others. Bytes in names that are not UTF-8 become
        surrogates.
        """
        if not _REF_PREFIX.fullmatch(prefix) or ".." in prefix:
            raise InvalidArguments(f"{prefix!a} is not a prefix of refs.", hint="It begins with 'refs/'.")
        lines = self.run("for-each-ref", "--format=%(objectname) %(refname)", "--", prefix).splitlines()
        pairs = (os.fsdecode(line).split(" ", 1) for line in lines)
        return {name: object_id for object_id, name in pairs}

    def identity(self) -> Identity:
        """Return the user's identity from git's environment variables, or else from its configuration."""
        configured = dict(self.settings(r"^user\.(name|email)$"))
        values = {
            key: os.environ.get(f"GIT_AUTHOR_{key.upper()}") or configured.get(f"user.{key}", "")
            for key in ("name", "email")
        }
        return Identity(name=values["name"].strip() or None, email=values["email"].strip() or None)

    def settings(
        self,
        pattern: str,
        scope: str | None = None,
        *,
        outside_repository: bool = False,
        errors: str = "replace",
    ) -> list[tuple[str, str]]:
        """Return the settings whose names match a pattern, with their values; of one scope, or of all.

        If a setting has several values, the last one is in force.
        """
        scopes = () if scope is None else (scope, "--includes")
        options = GitOptions(outside_repository=outside_repository)
        result = self.execute("config", *scopes, "--null", "--get-regexp", pattern, options=options)
        items = (item.partition("\n") for item in result.output.decode(errors=errors).split("\0") if item)
        return [(key, value) for key, _, value in items]

    def objects(self) -> BatchReader:
        """Return the reader of objects; its process starts with the first request."""
        return self._objects.get()

    def changed_lines(self, path: RepoPath) -> list[LineRange]:
        """Return the line ranges (from 1, both ends included) in which the file differs from the last commit.

        A new file is one range. A file that is unchanged, missing, binary, or over the size limit on either
        side has none. See `line_diff.changed_lines` for deletions and line ends. Not by `git diff`, which
        would run the repository's filters.
        """
        limit = LIMITS.diff_file_bytes
        try:
            new = Tree(self.repository).read_bytes(path, limit)
            old = self.head_blob(path, limit=limit) or b""
        except (NotFound, TooLarge):
            return []
        return [] if is_binary(old) or is_binary(new) else changed_lines(old, new)

    def close(self) -> None:
        """End the process that reads objects, if it runs."""
        self._objects.close()

    def __enter__(self) -> Git:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _program(self) -> str:
        return find_git(self._search_path)

    @cached_property
    def _formats(self) -> dict[str, str]:
        return dict(self.settings(FORMAT_SETTINGS))

    def _start_reader(self) -> subprocess.Popen[bytes]:
        return self._start(("cat-file", "--batch"), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def _start(
        self, arguments: tuple[str, ...], *, stdin: int, stderr: int, options: GitOptions = _NO_OPTIONS
    ) -> subprocess.Popen[bytes]:
        settings = tuple(part for setting in options.settings for part in ("-c", setting))
        git_dir = None
        if options.outside_repository:
            git_dir = os.devnull
        elif options.stand_in:
            git_dir = stand_in(self.repository.ensure_store(), self._formats)
        with translate_disk_errors(os.path.basename(self.repository.root)):
            return subprocess.Popen(
                hardened_arguments(self._program, self.repository, (*settings, *arguments), git_dir),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=self.repository.root,
                env={**self._environment, **options.environment},
                start_new_session=True,
                bufsize=0,
            )


def is_accepted_by_git(directory: str, git_dir: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether git itself, run in another user's directory, accepts the repository that it finds there.

    So the rules for `safe.directory` are those of the installed git.
    """
    search_path = trusted_search_path(environment, directory)
    configuration = {name: environment[name] for name in environment if name.startswith("GIT_CONFIG")}
    sudo = {"SUDO_UID": environment["SUDO_UID"]} if "SUDO_UID" in environment else {}
    try:
        answer = subprocess.run(
            [find_git(search_path), "--no-pager", "rev-parse", "--absolute-git-dir"],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=directory,
            env={**hardened_environment(environment, search_path), **configuration, **sudo},
            timeout=LIMITS.git_seconds,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return os.path.realpath(answer.stdout.removesuffix(b"\n")) == os.fsencode(git_dir)


def _check_revision(revision: str) -> None:
    if (
        not revision
        or len(revision) > _MAX_REVISION_CHARACTERS
        or revision.startswith("-")
        or not revision.isprintable()
    ):
        raise InvalidArguments(
            f"{revision[:_MAX_QUOTED_CHARACTERS]!a} is not a revision.",
            hint="Name a commit, branch or tag, such as 'HEAD'.",
        )


_MISSING_OBJECT = re.compile(r"unable to read(?: tree| sha1 file of [^\n]*)? \(?([0-9a-f]{40,64})\b")
"""How git says that it has not got the contents of a file, or a folder."""


def _input_of(stdin: bytes) -> int:
    return subprocess.PIPE if stdin else subprocess.DEVNULL


def _error_of(command: str, result: GitResult) -> Unavailable:
    if os.strerror(errno.ENOSPC) in result.message:
        return OutOfSpace(f"git {command} could not write: the disk is full.", hint=FREE_SPACE)
    if "from promisor remote" in result.message:
        return not_fetched_error()
    if missing := _MISSING_OBJECT.search(result.message):
        return NotFetched(
            f"This clone lacks the object {missing[1]}, which its history refers to.",
            hint="`git fsck` lists all that are missing, and `git fetch --refetch` gets what the remote has.",
        )
    return Unavailable(
        f"git {command} failed: {result.message or f'status {result.status}'}",
        hint="Run `holdfast doctor` to check the repository.",
    )
