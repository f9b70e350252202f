"""Other repositories: refs fetched from them and pushed to them, and nothing else touched on either side.

Contract:
- The user's own configuration decides how a remote is reached: credentials, `ssh`, proxies. Of a repository's
  configuration git gets to know only what `_HANDED_OVER` names, which can run and write nothing.
- A remote that is a folder of this repository is refused: pushing there would run the hooks that are in it.
- Only the named refs move. Tracking branches, tags, `FETCH_HEAD`, submodules and maintenance are left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from urllib.parse import unquote

from holdfast.kernel.errors import Denied, NotFound, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import Git, Terms
from holdfast.storage.git.refs import DURABLE

_REMOTE_NAME = re.compile(r"[\w][\w.+-]*(?:/[\w][\w.+-]*)*", re.ASCII)
_REACHABLE = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_REF_PARANOIA": "0"}
"""What may be reached; and that a ref of this clone which leads nowhere keeps git from nothing."""
_USERS_VARIABLES = (
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO",
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    "USER", "LOGNAME",
)  # fmt: skip
_SETTINGS = (
    DURABLE, "fetch.writeCommitGraph=false", "push.gpgSign=false", "push.followTags=false",
    "push.pushOption=",
)  # fmt: skip
_HANDED_OVER = (
    r"^(remote\..*\.(url|pushurl)|url\..*\.(insteadof|pushinsteadof)|http\.(.*\.)?extraheader"
    r"|credential\.(.*\.)?(username|usehttppath)|(fetch|transfer)\.fsckobjects)$"
)
_REJECTED = "!"


def is_remote_name(name: str) -> bool:
    """Return whether a remote's name can stand in a refspec and in a configuration file as it is."""
    return _REMOTE_NAME.fullmatch(name) is not None


class Remotes:
    """The remotes of one repository, reached as its user reaches them."""

    def __init__(self, git: Git) -> None:
        self._git = git

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

    def fetch(self, remote: str, *refspecs: str, objects: str | None = None) -> None:
        """Bring refs of a remote into this repository; those that it no longer has are forgotten.

        With a folder for `objects` they are fetched whole and into that, as if this repository had none.
        """
        terms = self._terms(remote)
        if objects is not None:
            settings = (*terms.settings, "fetch.unpackLimit=1")
            environment = {**terms.environment, "GIT_OBJECT_DIRECTORY": objects, "GIT_SHALLOW_FILE": ""}
            terms = terms._replace(settings=settings, environment=environment)
        finished = self._git.execute(
            "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-maintenance", "--refmap=", "--upload-pack=git-upload-pack", "--stdin",
            "--end-of-options", remote, given="".join(f"{refspec}\n" for refspec in refspecs).encode(),
            seconds=LIMITS.git_network_seconds, terms=terms,
        )  # fmt: skip
        if finished.status != 0:
            raise _unreachable(remote, finished.complaint)

    def refs(self, remote: str, *prefixes: str) -> dict[str, str]:
        """Return the refs that a remote has below some prefixes, and what they hold."""
        patterns = [f"{prefix}*" for prefix in prefixes]
        terms = self._terms(remote)
        finished = self._git.execute(
            "ls-remote", "--refs", "--upload-pack=git-upload-pack", "--end-of-options", remote, *patterns,
            seconds=LIMITS.git_network_seconds, terms=terms,
        )  # fmt: skip
        if finished.status != 0:
            raise _unreachable(remote, finished.complaint)
        lines = (line.split("\t") for line in os.fsdecode(finished.output).splitlines())
        return {name: tip for tip, name in lines}

    def push(self, remote: str, refspecs: Sequence[str]) -> dict[str, str]:
        """Offer refs to a remote, and return those it refused with its words."""
        terms = self._terms(remote)
        finished = self._git.execute(
            "push", "--porcelain", "--no-verify", "--recurse-submodules=no",
            "--receive-pack=git-receive-pack", "--end-of-options", remote, *refspecs,
            seconds=LIMITS.git_network_seconds, terms=terms,
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
        """Return on which terms git may reach a remote; refuse one that leads into this repository.

        Git gets a folder as it was looked at: links, those in `/proc` above all, may lead it elsewhere.
        """
        settings = self._handed_over()
        terms = self._reaching(settings)
        # Asked of git, so that rewritten addresses are looked at as it will use them.
        lines = os.fsdecode(self._git.run("remote", "--verbose", terms=terms)).split("\n")
        rows = [
            rest.rpartition(" (")
            for name, _, rest in (line.partition("\t") for line in lines)
            if name == remote
        ]
        if not rows:  # and git would take its name for a path
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
            return terms
        others = [pair for pair in settings if not pair[0].startswith((f"remote.{remote}.", "url."))]
        looked_at = [
            (f"remote.{remote}.{'url' if fetch else 'pushurl'}", address) for address, fetch in found
        ]
        return self._reaching([*others, *looked_at])

    def _reaching(self, settings: Sequence[tuple[str, str]]) -> Terms:
        """Return terms with settings among the variables of the environment.

        Some are headers with passwords, which nobody else may see in a list of arguments.
        """
        variables = {name: os.environ[name] for name in _USERS_VARIABLES if name in os.environ}
        variables["GIT_CONFIG_COUNT"] = str(len(settings))
        for number, (key, value) in enumerate(settings):
            variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return Terms(_SETTINGS, {**variables, **_REACHABLE}, stand_in=True)

    def _resolved(self, address: str) -> str:
        """Return the folder that an address leads to, without links; or the address, of another machine."""
        path = local_path(address)
        return address if path is None else os.path.realpath(os.path.join(self._git.repository.root, path))

    def _handed_over(self) -> list[tuple[str, str]]:
        """Return what git shall know of the repository's configuration."""
        found = self._git.execute("config", "--show-scope", "--null", "--get-regexp", _HANDED_OVER)
        fields = os.fsdecode(found.output).split("\0")
        settings = (
            item.partition("\n")
            for scope, item in zip(fields[::2], fields[1::2], strict=False)
            if scope in ("local", "worktree")
        )
        return [(key, value) for key, _, value in settings if "\n" not in value]


def local_path(address: str) -> str | None:
    """Return the path that git takes an address for, or None when it leads to another machine."""
    if address.startswith("file://"):
        # What stands before the path would be a host, and git does not look at it.
        _, _, path = unquote(address.removeprefix("file://"), errors="surrogateescape").partition("/")
        return f"/{path}"
    host, colon, _ = address.partition(":")
    return None if colon and "/" not in host else os.path.expanduser(address)


def _unreachable(remote: str, complaint: str) -> Unavailable:
    return Unavailable(
        f"The remote '{remote}' could not be used: {complaint or 'git gave no reason'}",
        hint=f"Check that `git ls-remote {remote}` works, then sync again; nothing was lost.",
        remote=remote,
    )
