"""The one module that runs git, hardened so that a repository cannot make it run another program.

Contract:
- Arguments are a list, never a shell's text; what a caller supplies follows `--end-of-options`, or is an
  object id, or is a `RepoPath` behind one. No command here reads the work tree through git, because that
  would run the repository's filters, whose names are its choice and cannot be switched off.
- Settings given by `-c` win over every configuration file, the repository's included. They switch off
  whatever names a program that one of our commands could reach: file system monitors, hooks, pagers,
  external diffs, prompts, credential helpers. What moves refs, and with that could run hooks that a
  configuration defines, reads none of the repository's configuration at all (`stand_in.py`).
  `docs/git-configuration.md` goes through all of git's settings.
- Of the environment, git gets the search path, the home directory and the language; every `GIT_*` variable
  of the caller is dropped. The user's own and the system's configuration stay in force: they belong to the
  person at the keyboard, and the settings above bind them as well.
- A missing object of a partial clone is missing. No transport is allowed, so git fetches nothing; only
  `remotes.py` lifts that, for a sync that somebody asked for.
- Every command ends: with its answer, at its time limit, at the caller's deadline, or within a moment of the
  caller's cancellation. Its whole process group ends with it.
- What git prints is bounded, and what it complains about reaches a caller without paths of this machine.
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

from holdfast.kernel.errors import InvalidArguments, NotFound, OutOfSpace, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import disk_failures_named
from holdfast.kernel.telemetry.tracing import span
from holdfast.kernel.text import shorten
from holdfast.storage.files.work_tree import RepoPath, Tree
from holdfast.storage.git.cat_file import BatchReader, not_fetched
from holdfast.storage.git.line_diff import LineRange, changed_lines, is_binary
from holdfast.storage.git.log_stream import is_partial
from holdfast.storage.git.repository import Repository, is_inside
from holdfast.storage.git.stand_in import FORMAT_SETTINGS, stand_in
from holdfast.storage.processes.child import WIDE_PIPE_BYTES, communicate, end_group, wait_until_ended, widen
from holdfast.storage.processes.time_limit import TimeLimit

_SETTINGS = (
    f"core.hooksPath={os.devnull}", "core.fsmonitor=false", "core.untrackedCache=false", "core.pager=cat",
    "core.editor=false", "core.alternateRefsCommand=false", "core.useReplaceRefs=false", "diff.external=",
    "gc.auto=0", "gpg.program=false", "log.showSignature=false", "maintenance.auto=false",
    "submodule.recurse=false",
)  # fmt: skip

_SETTINGS_OF_THE_USER = ("core.sshCommand=false", "credential.helper=")
"""What is the user's to name, and switched off wherever the repository could name it too."""

_KEPT_VARIABLES = ("HOME", "XDG_CONFIG_HOME")

_FIXED_VARIABLES = {
    "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "GIT_ALLOW_PROTOCOL": "none", "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1", "GIT_GRAFT_FILE": os.devnull, "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS": "",
}  # fmt: skip

_COMPLAINT_CHARACTERS = 300
_ABSOLUTE_PATH = re.compile(r"(?<![\w.~])/[^\s'\"`:;,]+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def hardened_arguments(
    git: str, repository: Repository, arguments: tuple[str, ...], place: str | None = None
) -> list[str]:
    """Return the whole command line for one git command on this repository, or in another git directory."""
    wanted = _SETTINGS if place else (*_SETTINGS, *_SETTINGS_OF_THE_USER)
    settings = [part for setting in wanted for part in ("-c", setting)]
    # Named, not searched for: a nested or planted repository cannot take its place.
    places = [f"--git-dir={place or repository.git_dir}"]
    if not (place or repository.bare):
        places.append(f"--work-tree={repository.root}")
    return [git, "--no-pager", *settings, *places, *arguments]


def hardened_environment(environment: Mapping[str, str], search_path: str) -> dict[str, str]:
    """Return the whole environment for git."""
    kept = {name: environment[name] for name in _KEPT_VARIABLES if name in environment}
    return {"PATH": search_path, **kept, **_FIXED_VARIABLES}


def trusted_search_path(environment: Mapping[str, str], root: str) -> str:
    """Return the directories of PATH that a repository cannot supply: absolute ones, outside of it."""
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry) and not is_inside(entry, root))


def find_git(search_path: str) -> str:
    """Return the git program, or say that there is none."""
    for candidate in (os.path.join(entry, "git") for entry in search_path.split(os.pathsep) if entry):
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    raise Unavailable("The program 'git' was not found.", hint="Install git, or add its directory to PATH.")


def is_accepted_by_git(directory: str, git_dir: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether git, asked in a directory of another user, works with the repository that it finds there.

    So git's own rules decide, those of `safe.directory` in the version that is installed.
    """
    search_path = trusted_search_path(environment, directory)
    asked = {name: environment[name] for name in environment if name.startswith("GIT_CONFIG")}
    sudo = {"SUDO_UID": environment["SUDO_UID"]} if "SUDO_UID" in environment else {}
    try:
        answer = subprocess.run(
            [find_git(search_path), "--no-pager", "rev-parse", "--absolute-git-dir"],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=directory,
            env={**hardened_environment(environment, search_path), **asked, **sudo},
            timeout=LIMITS.git_seconds,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return os.path.realpath(answer.stdout.removesuffix(b"\n")) == os.fsencode(git_dir)


def readable_complaint(complaint: bytes, repository: Repository) -> str:
    """Return what git said on standard error, in one line and without paths of this machine."""
    lines = complaint.decode(errors="replace").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("hint:"))
    for place in (repository.git_dir, repository.common_dir, repository.root):
        text = text.replace(place, "the repository") if place else text
    text = _ABSOLUTE_PATH.sub(lambda match: f"…/{os.path.basename(match[0])}", text)
    return shorten(_UNPRINTABLE.sub(" ", text).strip(), _COMPLAINT_CHARACTERS, beyond=True)


_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF_PREFIX = re.compile(r"refs(?:/(?!\.)[\w.+=@-]+)*/?", re.ASCII)
_REVISION_CHARACTERS = 1024

SCOPES = ("--system", "--global")
"""Where the configuration of the person and of the machine is, which no repository can write."""


class Identity(NamedTuple):
    """Who the user told git they are; either part may be unknown."""

    name: str | None
    email: str | None


class Terms(NamedTuple):
    """What one command is told beyond the hardening: settings, and variables of its environment.

    Both come after the hardening and win over it: only a command that needs a thing may ask for it.
    """

    settings: tuple[str, ...] = ()
    environment: Mapping[str, str] = MappingProxyType({})
    apart: bool = False
    """Whether the command runs as if outside of any repository, so that no configuration of one is read."""
    stand_in: bool = False
    """Whether it works on objects and refs alone, and reads no configuration of the repository either."""


class Finished(NamedTuple):
    """A git command that has ended."""

    status: int
    output: bytes
    complaint: str


class Git:
    """Git, for one repository. Close it to end the process that `objects` keeps."""

    def __init__(self, repository: Repository, environment: Mapping[str, str] = os.environ) -> None:
        if repository.git_dir is None:
            raise Unavailable(
                "This directory is not in a git repository.", hint="Run `git init` to make it one."
            )
        self.repository = repository
        self._search_path = trusted_search_path(environment, repository.root)
        self._environment = hardened_environment(environment, self._search_path)

    def run(
        self,
        *arguments: str,
        limit: int = LIMITS.git_output_bytes,
        seconds: float = LIMITS.git_seconds,
        given: bytes = b"",
        terms: Terms = Terms(),  # noqa: B008 - a constant
    ) -> bytes:
        """Return what a git command prints, or raise with what it complained about."""
        finished = self.execute(*arguments, limit=limit, seconds=seconds, given=given, terms=terms)
        if finished.status != 0:
            raise _failed(arguments[0], finished)
        return finished.output

    def execute(
        self,
        *arguments: str,
        limit: int = LIMITS.git_output_bytes,
        seconds: float = LIMITS.git_seconds,
        given: bytes = b"",
        terms: Terms = Terms(),  # noqa: B008 - a constant
    ) -> Finished:
        """Run a git command on what is `given` to it and return how it ended, whatever its status."""
        with span(f"git {arguments[0]}"):
            time_limit = TimeLimit(seconds, f"git {arguments[0]}")
            process = self._start(arguments, stdin=_source(given), stderr=subprocess.PIPE, terms=terms)
            output, complaint = bytearray(), bytearray()
            try:
                for piece in communicate(process, given, complaint, time_limit):
                    output += piece
                    if len(output) > limit:
                        raise TooLarge(
                            f"git printed more than {limit} bytes.", hint="Narrow the request.", limit=limit
                        )
                status = wait_until_ended(process, time_limit)
            finally:
                end_group(process)
        words = readable_complaint(bytes(complaint), self.repository) if complaint else ""
        return Finished(status, bytes(output), words)

    def stream(
        self,
        *arguments: str,
        given: bytes = b"",
        seconds: float = LIMITS.git_seconds,
        terms: Terms = Terms(),  # noqa: B008 - a constant
    ) -> Generator[bytes, None, None]:
        """Yield what a git command prints, however much it is, and raise at its end when it failed."""
        time_limit = TimeLimit(seconds, f"git {arguments[0]}")
        process = self._start(arguments, stdin=_source(given), stderr=subprocess.PIPE, terms=terms)
        complaint = bytearray()
        try:
            widen(process.stdout)
            yield from communicate(process, given, complaint, time_limit, WIDE_PIPE_BYTES // 4)
            status = wait_until_ended(process, time_limit)
        finally:
            end_group(process)
        if status != 0:
            words = readable_complaint(bytes(complaint), self.repository)
            raise _failed(arguments[0], Finished(status, b"", words))

    def resolve(self, revision: str) -> str:
        """Return the object id that a revision names; the object itself may be missing."""
        _check_revision(revision)
        finished = self.execute("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
        object_id = finished.output.decode("ascii", "replace").strip()
        if finished.status != 0 or not _OBJECT_ID.fullmatch(object_id):
            raise NotFound(f"There is no revision {revision!a}.", hint="Name a commit, branch or tag.")
        return object_id

    def head_blob(self, path: RepoPath, *, limit: int = LIMITS.git_output_bytes) -> bytes | None:
        """Return a file's content in the last commit, or None when that has no such file."""
        found = self._objects.read(f"HEAD:{path.text}", limit)
        return found.data if found is not None and found.kind == "blob" else None

    def head(self) -> str | None:
        """Return the id of the last commit, or None when there is none."""
        found = self._objects.read("HEAD", LIMITS.git_output_bytes)
        return found.id if found is not None and found.kind == "commit" else None

    def ref_tips(self, prefix: str) -> dict[str, str]:
        """Return the refs below a prefix and the ids they hold, without looking at any object.

        One broken ref or object therefore hides no other. Names keep bytes that are not UTF-8 as surrogates.
        """
        if not _REF_PREFIX.fullmatch(prefix) or ".." in prefix:
            raise InvalidArguments(f"{prefix!a} is not a prefix of refs.", hint="It begins with 'refs/'.")
        lines = self.run("for-each-ref", "--format=%(objectname) %(refname)", "--", prefix).splitlines()
        pairs = (os.fsdecode(line).split(" ", 1) for line in lines)
        return {name: object_id for object_id, name in pairs}

    def identity(self) -> Identity:
        """Return who the user is to git, by its variables or else its configuration."""
        told = dict(self.settings(r"^user\.(name|email)$"))
        stated = (
            os.environ.get(f"GIT_AUTHOR_{key.upper()}") or told.get(f"user.{key}", "")
            for key in Identity._fields
        )
        return Identity(*(value.strip() or None for value in stated))

    def settings(
        self, pattern: str, scope: str | None = None, *, apart: bool = False, errors: str = "replace"
    ) -> list[tuple[str, str]]:
        """Return what the configuration says under names that match, in order; of one scope, or of all."""
        scopes = () if scope is None else (scope, "--includes")
        found = self.execute("config", *scopes, "--null", "--get-regexp", pattern, terms=Terms(apart=apart))
        items = (item.partition("\n") for item in found.output.decode(errors=errors).split("\0") if item)
        return [(key, value) for key, _, value in items]

    @cached_property
    def _objects(self) -> BatchReader:
        return BatchReader(self._start_reader, lambda: is_partial(self.repository))

    def objects(self) -> BatchReader:
        """Return the reader of objects; its process starts with the first request."""
        return self._objects

    def changed_lines(self, path: RepoPath) -> list[LineRange]:
        """Return the line ranges (from 1, both ends included) in which the file differs from the last commit.

        A new file is one range. A file that is unchanged, missing, binary, or over the size limit on either
        side has none. See `line_diff.changed_lines` for deletions and line ends. The comparison is ours: a
        `git diff` of the work tree would run the repository's filters.
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
        if "_objects" in vars(self):
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

    def _stand_in(self) -> str:
        return stand_in(self.repository.ensure_store(), self._formats)

    def _start_reader(self) -> subprocess.Popen[bytes]:
        return self._start(("cat-file", "--batch"), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def _start(
        self,
        arguments: tuple[str, ...],
        *,
        stdin: int,
        stderr: int,
        terms: Terms = Terms(),  # noqa: B008 - a constant
    ) -> subprocess.Popen[bytes]:
        settings = tuple(part for setting in terms.settings for part in ("-c", setting))
        place = os.devnull if terms.apart else self._stand_in() if terms.stand_in else None
        with disk_failures_named(os.path.basename(self.repository.root)):
            return subprocess.Popen(
                hardened_arguments(self._program, self.repository, (*settings, *arguments), place),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=self.repository.root,
                env={**self._environment, **terms.environment},
                start_new_session=True,
                bufsize=0,
            )


def _check_revision(revision: str) -> None:
    if (
        not revision
        or len(revision) > _REVISION_CHARACTERS
        or revision.startswith("-")
        or not revision.isprintable()
    ):
        raise InvalidArguments(
            f"{revision[:100]!a} is not a revision.", hint="Name a commit, branch or tag, such as 'HEAD'."
        )


def _source(given: bytes) -> int:
    return subprocess.PIPE if given else subprocess.DEVNULL


def _failed(command: str, finished: Finished) -> Unavailable:
    if os.strerror(errno.ENOSPC) in finished.complaint:
        return OutOfSpace(
            f"git {command} could not write: the disk is full.",
            hint="Free some space and try again; what was stored before is unchanged.",
        )
    if "from promisor remote" in finished.complaint:
        return not_fetched()
    return Unavailable(
        f"git {command} failed: {finished.complaint or f'status {finished.status}'}",
        hint="Run `holdfast doctor` to check the repository.",
    )
