"""Other repositories: refs are fetched from them and pushed to them, and nothing else changes on either side.

Contract:
- The user's own configuration decides how a remote is reached: credentials, `ssh`, proxies. Of the
  repository's configuration git sees only the settings that `_PASSED_ON` names, which can neither run nor
  write anything.
- A remote that is a folder of this repository is refused: pushing there would run its hooks.
- Only the named refs move. Tracking branches, tags, `FETCH_HEAD`, submodules and maintenance are left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from urllib.parse import unquote

from holdfast.kernel.errors import Denied, NotFound, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git, GitOptions
from holdfast.storage.git.refs import DURABLE

_REMOTE_NAME = re.compile(r"[\w][\w.+-]*(?:/[\w][\w.+-]*)*", re.ASCII)
_REACHABLE = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_REF_PARANOIA": "0"}
"""Allows these transports, and lets git ignore a broken ref of this clone."""
_USER_VARIABLES = (
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO",
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    "USER", "LOGNAME",
)  # fmt: skip
_SETTINGS = (
    DURABLE, "fetch.writeCommitGraph=false", "push.gpgSign=false", "push.followTags=false",
    "push.pushOption=",
)  # fmt: skip
_PASSED_ON = (
    r"^(remote\..*\.(url|pushurl)|url\..*\.(insteadof|pushinsteadof)|http\.(.*\.)?extraheader"
    r"|credential\.(.*\.)?(username|usehttppath)|(fetch|transfer)\.fsckobjects)$"
)
_REJECTED = "!"


def is_remote_name(name: str) -> bool:
    """Return whether a remote's name needs no quoting in a refspec or a configuration file."""
    return _REMOTE_NAME.fullmatch(name) is not None


class Remotes:
    """The remotes of one repository, reached with its user's configuration."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def names(self) -> list[str]:
        """Return the names of the remotes."""
        return self._git.run("remote").decode(errors="replace").split()

    def addresses(self) -> dict[str, str]:
        """Return the configured address of each remote."""
        found: dict[str, str] = {}
        for key, value in self._git.settings(r"^remote\..*\.url$"):
            found.setdefault(key.removeprefix("remote.").removesuffix(".url"), value)
        return found

    def checked(self, name: str | None) -> str:
        """Return the name of a remote, by default `origin` or the only one; an unknown name is refused."""
        names = self.names()
        if not names:
            raise NotFound(
                "This repository has no remote.", hint="`git remote add origin <address>` adds one."
            )
        if name is None:
            name = "origin" if "origin" in names or len(names) > 1 else names[0]
        if name not in names or not is_remote_name(name):
            raise NotFound(f"There is no remote {name!a}.", hint=f"Remotes: {', '.join(names)}.")
        return name

    def fetch(self, remote: str, *refspecs: str, objects: str | None = None) -> None:
        """Fetch refs of a remote into this repository, and delete those that it no longer has.

        With a folder for `objects`, all objects are fetched into that, as if this repository had none.
        """
        options = self._options(remote)
        if objects is not None:
            settings = (*options.settings, "fetch.unpackLimit=1")
            environment = {**options.environment, "GIT_OBJECT_DIRECTORY": objects, "GIT_SHALLOW_FILE": ""}
            options = options._replace(settings=settings, environment=environment)
        result = self._git.execute(
            "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-maintenance", "--refmap=", "--upload-pack=git-upload-pack", "--stdin",
            "--end-of-options", remote, given="".join(f"{refspec}\n" for refspec in refspecs).encode(),
            seconds=LIMITS.git_network_seconds, options=options,
        )  # fmt: skip
        if result.status != 0:
            raise _unreachable(remote, result.message)

    def refs(self, remote: str, *prefixes: str) -> dict[str, str]:
        """Return the refs of a remote below some prefixes, and their object ids."""
        patterns = [f"{prefix}*" for prefix in prefixes]
        options = self._options(remote)
        result = self._git.execute(
            "ls-remote", "--refs", "--upload-pack=git-upload-pack", "--end-of-options", remote, *patterns,
            seconds=LIMITS.git_network_seconds, options=options,
        )  # fmt: skip
        if result.status != 0:
            raise _unreachable(remote, result.message)
        lines = (line.split("\t") for line in os.fsdecode(result.output).splitlines())
        return {name: tip for tip, name in lines}

    def push(self, remote: str, refspecs: Sequence[str]) -> dict[str, str]:
        """Push refs to a remote, and return those it rejected with its reasons."""
        options = self._options(remote)
        result = self._git.execute(
            "push", "--porcelain", "--no-verify", "--recurse-submodules=no",
            "--receive-pack=git-receive-pack", "--end-of-options", remote, *refspecs,
            seconds=LIMITS.git_network_seconds, options=options,
        )  # fmt: skip
        lines = [line.split("\t") for line in result.output.decode(errors="replace").splitlines()]
        refused = {
            parts[1].partition(":")[0]: parts[2] for parts in lines if parts[0] == _REJECTED and parts[2:]
        }
        if result.status != 0 and not refused:
            raise _unreachable(remote, result.message)
        return refused

    def add_fetch_refspec(self, remote: str, refspec: str) -> bool:
        """Let a plain `git fetch` fetch refs too, and return whether that is new."""
        key = f"remote.{remote}.fetch"
        present = self._git.execute("config", "--get-all", key).output.decode(errors="replace").splitlines()
        if refspec in present:
            return False
        self._git.run("config", "--add", key, refspec)
        return True

    def _options(self, remote: str) -> GitOptions:
        """Return the options with which git may reach a remote; refuse one that leads into this repository.

        Git gets the folder's path with links resolved, because a link, above all in `/proc`, may change its
        target after it was checked.
        """
        settings = self._passed_on()
        options = self._reaching(settings)
        # From git, so that the addresses are checked as it will use them, after its rewriting.
        lines = os.fsdecode(self._git.run("remote", "--verbose", options=options)).split("\n")
        rows = [
            rest.rpartition(" (")
            for name, _, rest in (line.partition("\t") for line in lines)
            if name == remote
        ]
        if not rows:  # git would take its name for a path
            raise _unreachable(remote, "it has no address")
        try:
            found = [(self._resolved(address), end == "fetch)") for address, _, end in rows]
            folders = [address for address, _ in found if os.path.isabs(address)]
            is_ours = any(self._git.repository.holds(folder) for folder in folders)
        except (OSError, ValueError):
            raise _unreachable(remote, "its address cannot be followed") from None
        if is_ours:
            raise Denied(
                f"The remote '{remote}' is a folder of this repository, whose hooks would run.",
                hint=f"`git remote set-url {remote} <address>` sets it to a repository elsewhere.",
            )
        if not folders:
            return options
        others = [pair for pair in settings if not pair[0].startswith((f"remote.{remote}.", "url."))]
        resolved = [(f"remote.{remote}.{'url' if fetch else 'pushurl'}", address) for address, fetch in found]
        return self._reaching([*others, *resolved])

    def _reaching(self, settings: Sequence[tuple[str, str]]) -> GitOptions:
        """Return options with settings passed through the environment.

        Some are headers with passwords, which would be visible to other users in a command line.
        """
        variables = {name: os.environ[name] for name in _USER_VARIABLES if name in os.environ}
        variables["GIT_CONFIG_COUNT"] = str(len(settings))
        for number, (key, value) in enumerate(settings):
            variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return GitOptions(_SETTINGS, {**variables, **_REACHABLE}, stand_in=True)

    def _resolved(self, address: str) -> str:
        """Return the folder of a local address, with links resolved; or the address of another machine."""
        path = local_path(address)
        return address if path is None else os.path.realpath(os.path.join(self._git.repository.root, path))

    def _passed_on(self) -> list[tuple[str, str]]:
        """Return the settings of the repository that git may see."""
        found = self._git.execute("config", "--show-scope", "--null", "--get-regexp", _PASSED_ON)
        fields = os.fsdecode(found.output).split("\0")
        settings = (
            item.partition("\n")
            for scope, item in zip(fields[::2], fields[1::2], strict=False)
            if scope in ("local", "worktree")
        )
        return [(key, value) for key, _, value in settings if "\n" not in value]


def local_path(address: str) -> str | None:
    """Return the path that git understands an address as, or None if it is on another machine."""
    if address.startswith("file://"):
        # The part before the path would be a host, which git ignores.
        _, _, path = unquote(address.removeprefix("file://"), errors="surrogateescape").partition("/")
        return f"/{path}"
    host, colon, _ = address.partition(":")
    return None if colon and "/" not in host else os.path.expanduser(address)


def _unreachable(remote: str, message: str) -> Unavailable:
    return Unavailable(
        f"The remote '{remote}' could not be used: {message or 'git gave no reason'}",
        hint=f"Check that `git ls-remote {remote}` works, then sync again; nothing was lost.",
        remote=remote,
    )
