"""Other repositories: refs fetched from them and pushed to them, and nothing else touched on either side.

Contract:
- The user's own configuration decides how a remote is reached: credentials, `ssh`, proxies. What a
  repository's configuration could make git run is overridden: hooks, helpers, transports and
  programs of the other side.
- Only the named refs move. Tracking branches, tags, `FETCH_HEAD`, submodules and maintenance are left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from holdfast.kernel.errors import NotFound, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import SCOPES, Git, Terms
from holdfast.storage.git.refs import DURABLE

_REMOTE_NAME = re.compile(r"[\w][\w.+-]*(?:/[\w][\w.+-]*)*", re.ASCII)
_PROTOCOLS = "file:git:http:https:ssh"
_USERS_VARIABLES = (
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO",
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    "USER", "LOGNAME",
)  # fmt: skip
_SETTINGS = (
    DURABLE,
    "protocol.allow=user",
    "protocol.file.allow=always",
    "protocol.git.allow=always",
    "protocol.http.allow=always",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "fetch.writeCommitGraph=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "push.pushOption=",
)
_REJECTED = "!"


def is_remote_name(name: str) -> bool:
    """Return whether a remote's name can stand in a refspec and in a configuration file as it is."""
    return _REMOTE_NAME.fullmatch(name) is not None


class Remotes:
    """The remotes of one repository, reached as its user reaches them."""

    def __init__(self, git: Git, environment: Mapping[str, str] = os.environ) -> None:
        self._git = git
        self._environment = environment

    def names(self) -> list[str]:
        """Return the names of the remotes there are."""
        return self._git.run("remote").decode(errors="replace").split()

    def addresses(self) -> dict[str, str]:
        """Return where each remote is, as the configuration says."""
        found: dict[str, str] = {}
        for key, value in self._git.settings(r"^remote\..*\.url$"):
            found.setdefault(key.removeprefix("remote.").removesuffix(".url"), value)
        return found

    def checked(self, name: str | None) -> str:
        """Return the remote of that name, `origin` or the only one; what is none is refused."""
        names = self.names()
        if not names:
            raise NotFound(
                "This repository has no remote.", hint="`git remote add origin <address>` makes one known."
            )
        if name is None:
            name = "origin" if "origin" in names or len(names) > 1 else names[0]
        if name not in names or not is_remote_name(name):
            raise NotFound(f"There is no remote {name!a}.", hint=f"Remotes: {', '.join(names)}.")
        return name

    def fetch(self, remote: str, *refspecs: str) -> None:
        """Bring refs of a remote into this repository."""
        finished = self._git.execute(
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-maintenance", "--refmap=", "--upload-pack=git-upload-pack",
            "--end-of-options", remote, *refspecs,
            seconds=LIMITS.git_network_seconds, terms=self._terms(remote),
        )  # fmt: skip
        if finished.status != 0:
            raise _unreachable(remote, finished.complaint)

    def push(self, remote: str, refspecs: Sequence[str]) -> dict[str, str]:
        """Offer refs to a remote, and return those it refused with its words."""
        finished = self._git.execute(
            "push", "--porcelain", "--no-verify", "--recurse-submodules=no",
            "--receive-pack=git-receive-pack", "--end-of-options", remote, *refspecs,
            seconds=LIMITS.git_network_seconds, terms=self._terms(remote),
        )  # fmt: skip
        lines = [line.split("\t") for line in finished.output.decode(errors="replace").splitlines()]
        refused = {
            parts[1].partition(":")[0]: parts[2] for parts in lines if parts[0] == _REJECTED and parts[2:]
        }
        if finished.status != 0 and not refused:
            raise _unreachable(remote, finished.complaint)
        return refused

    def add_fetch_refspec(self, remote: str, refspec: str) -> bool:
        """Let plain `git fetch` bring refs too, and return whether that is new."""
        key = f"remote.{remote}.fetch"
        present = self._git.execute("config", "--get-all", key).output.decode(errors="replace").splitlines()
        if refspec in present:
            return False
        self._git.run("config", "--add", key, refspec)
        return True

    def _terms(self, remote: str) -> Terms:
        settings = (*_SETTINGS, f"remote.{remote}.mirror=false", *self._users_settings())
        variables = {name: self._environment[name] for name in _USERS_VARIABLES if name in self._environment}
        return Terms(settings, {**variables, "GIT_ALLOW_PROTOCOL": _PROTOCOLS})

    def _users_settings(self) -> list[str]:
        """Return how the user and the system reach remotes, which the repository cannot change."""
        pattern = r"^(credential\.|core\.sshcommand$|core\.askpass$)"
        pairs = (
            pair for scope in SCOPES for pair in self._git.settings(pattern, scope, errors="surrogateescape")
        )
        return ["core.sshCommand=ssh", *(f"{key}={value}" for key, value in pairs)]


def _unreachable(remote: str, complaint: str) -> Unavailable:
    return Unavailable(
        f"The remote '{remote}' could not be used: {complaint or 'git gave no reason'}",
        hint=f"Check that `git ls-remote {remote}` works, then sync again; nothing was lost.",
        remote=remote,
    )
