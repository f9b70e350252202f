"""Fetches refs from remote repositories and pushes refs to them.

Contract:
- The user's own configuration decides how a remote is reached: credentials, `ssh`, proxies. Of the
  repository's configuration, git sees only the settings that match `PASSED_SETTINGS`; none of them can make
  git run a program or write a file.
- A remote that is a folder of this repository is refused, because a push there would run its hooks.
- Only the named refs move. Nothing else changes on either side: no tracking branch, tag, `FETCH_HEAD` or
  submodule, and no maintenance runs.
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
_TRANSPORT_VARIABLES = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_REF_PARANOIA": "0"}
"""Allow these transports, and make git ignore a broken ref of this clone."""
_USER_VARIABLES = (
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO",
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    "USER", "LOGNAME",
)  # fmt: skip
"""Variables of the user's environment that transports need: for `ssh`, certificates, proxies and helpers."""
_SETTINGS = (
    DURABLE, "fetch.writeCommitGraph=false", "push.gpgSign=false", "push.followTags=false",
    "push.pushOption=",
)  # fmt: skip
PASSED_SETTINGS = (
    r"^(remote\..*\.(url|pushurl)|url\..*\.(insteadof|pushinsteadof)|http\.(.*\.)?extraheader"
    r"|credential\.(.*\.)?(username|usehttppath)|(fetch|transfer)\.fsckobjects)$"
)
"""The settings of the repository that git may see when it reaches a remote."""
_REJECTED_FLAG = "!"
"""The first field of a rejected ref in the output of `git push --porcelain`."""


def is_remote_name(name: str) -> bool:
    """Return whether a remote's name needs no quoting in a refspec or a configuration file."""
    return _REMOTE_NAME.fullmatch(name) is not None


class Remotes:
    """The remotes of one repository, reached with the user's configuration."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def names(self) -> list[str]:
        """Return the names of the remotes."""
        return self._git.run("remote").decode(errors="replace").split()

    def addresses(self) -> dict[str, str]:
        """Return the first configured address of each remote."""
        addresses: dict[str, str] = {}
        for key, value in self._git.settings(r"^remote\..*\.url$"):
            addresses.setdefault(key.removeprefix("remote.").removesuffix(".url"), value)
        return addresses

    def resolve_name(self, name: str | None) -> str:
        """Return the name of a remote, by default `origin` or the only remote; raise if there is none."""
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

        With `objects`, a folder, all objects are fetched into it, as if this repository had none.
        """
        options = self._options(remote)
        if objects is not None:
            settings = (*options.settings, "fetch.unpackLimit=1")
            environment = {**options.environment, "GIT_OBJECT_DIRECTORY": objects, "GIT_SHALLOW_FILE": ""}
            options = options._replace(settings=settings, environment=environment)
        result = self._git.execute(
            "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-maintenance", "--refmap=", "--upload-pack=git-upload-pack", "--stdin",
            "--end-of-options", remote, stdin="".join(f"{refspec}\n" for refspec in refspecs).encode(),
            seconds=LIMITS.git_network_seconds, options=options,
        )  # fmt: skip
        if result.status != 0:
            raise _remote_failure(remote, result.message)

    def refs(self, remote: str, *prefixes: str) -> dict[str, str]:
        """Return the refs of a remote below some prefixes, and their object ids."""
        patterns = [f"{prefix}*" for prefix in prefixes]
        options = self._options(remote)
        result = self._git.execute(
            "ls-remote", "--refs", "--upload-pack=git-upload-pack", "--end-of-options", remote, *patterns,
            seconds=LIMITS.git_network_seconds, options=options,
        )  # fmt: skip
        if result.status != 0:
            raise _remote_failure(remote, result.message)
        lines = (line.split("\t") for line in os.fsdecode(result.output).splitlines())
        return {name: tip for tip, name in lines}

    def push(self, remote: str, refspecs: Sequence[str]) -> dict[str, str]:
        """Push refs to a remote; return the refs that it rejected, with the reasons."""
        options = self._options(remote)
        result = self._git.execute(
            "push", "--porcelain", "--no-verify", "--recurse-submodules=no",
            "--receive-pack=git-receive-pack", "--end-of-options", remote, *refspecs,
            seconds=LIMITS.git_network_seconds, options=options,
        )  # fmt: skip
        rejected: dict[str, str] = {}
        for line in result.output.decode(errors="replace").splitlines():
            fields = line.split("\t")  # flag, source:target, reason
            if fields[0] == _REJECTED_FLAG and len(fields) > 2:
                source = fields[1].partition(":")[0]
                rejected[source] = fields[2]
        if result.status != 0 and not rejected:
            raise _remote_failure(remote, result.message)
        return rejected

    def add_fetch_refspec(self, remote: str, refspec: str) -> bool:
        """Make a plain `git fetch` fetch these refs too; return whether that needed a change."""
        key = f"remote.{remote}.fetch"
        configured = self._git.execute("config", "--get-all", key).output.decode(errors="replace")
        if refspec in configured.splitlines():
            return False
        self._git.run("config", "--add", key, refspec)
        return True

    def _options(self, remote: str) -> GitOptions:
        """Return the options with which git may reach a remote; refuse one that leads into this repository.

        For a remote on this machine, the options contain its path with all links resolved, because a link,
        above all in `/proc`, may change its target after this check.
        """
        settings = self._repository_settings()
        options = self._options_with(settings)
        try:
            addresses = [
                (key, self._resolve(address)) for key, address in self._addresses_of(remote, options)
            ]
            folders = [address for _, address in addresses if os.path.isabs(address)]
            is_ours = any(self._git.repository.holds(folder) for folder in folders)
        except (OSError, ValueError):
            raise _remote_failure(remote, "its address cannot be followed") from None
        if is_ours:
            raise Denied(
                f"The remote '{remote}' is a folder of this repository, whose hooks would run.",
                hint=f"`git remote set-url {remote} <address>` sets it to a repository elsewhere.",
            )
        if not folders:
            return options
        replaced = (f"remote.{remote}.", "url.")
        kept = [(key, value) for key, value in settings if not key.startswith(replaced)]
        return self._options_with([*kept, *addresses])

    def _addresses_of(self, remote: str, options: GitOptions) -> list[tuple[str, str]]:
        """Return the addresses of a remote as git will use them, after its rewriting, by their settings."""
        addresses = []
        # A line is `<name> TAB <address> (fetch)` or `<name> TAB <address> (push)`.
        for line in os.fsdecode(self._git.run("remote", "--verbose", options=options)).split("\n"):
            name, _, rest = line.partition("\t")
            if name == remote:
                address, _, purpose = rest.rpartition(" (")
                setting = "url" if purpose == "fetch)" else "pushurl"
                addresses.append((f"remote.{remote}.{setting}", address))
        if not addresses:  # git would take its name for a path
            raise _remote_failure(remote, "it has no address")
        return addresses

    def _options_with(self, settings: Sequence[tuple[str, str]]) -> GitOptions:
        """Return options that pass settings through the environment.

        Some settings are headers with passwords; on a command line other users could see them.
        """
        variables = {name: os.environ[name] for name in _USER_VARIABLES if name in os.environ}
        variables["GIT_CONFIG_COUNT"] = str(len(settings))
        for number, (key, value) in enumerate(settings):
            variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return GitOptions(_SETTINGS, {**variables, **_TRANSPORT_VARIABLES}, stand_in=True)

    def _resolve(self, address: str) -> str:
        """Return the path of a local address with links resolved, or the address of another machine."""
        path = local_path(address)
        return address if path is None else os.path.realpath(os.path.join(self._git.repository.root, path))

    def _repository_settings(self) -> list[tuple[str, str]]:
        result = self._git.execute("config", "--show-scope", "--null", "--get-regexp", PASSED_SETTINGS)
        fields = os.fsdecode(result.output).split("\0")  # the scope and the setting, in turn
        settings = []
        for scope, setting in zip(fields[::2], fields[1::2], strict=False):
            key, _, value = setting.partition("\n")
            if scope in ("local", "worktree") and "\n" not in value:
                settings.append((key, value))
        return settings


def local_path(address: str) -> str | None:
    """Return the path that an address means to git, or None for an address on another machine."""
    if address.startswith("file://"):
        # The part before the path would be a host, which git ignores.
        _, _, path = unquote(address.removeprefix("file://"), errors="surrogateescape").partition("/")
        return f"/{path}"
    host, colon, _ = address.partition(":")
    return None if colon and "/" not in host else os.path.expanduser(address)


def _remote_failure(remote: str, message: str) -> Unavailable:
    return Unavailable(
        f"The remote '{remote}' could not be used: {message or 'git gave no reason'}",
        hint=f"Check that `git ls-remote {remote}` works, then sync again; nothing was lost.",
        remote=remote,
    )
