"""What git is told before it is told anything else, so that a repository cannot make it run a program.

Contract:
- Settings given by `-c` win over every configuration file, the repository's included. They switch off
  whatever names a program that one of our commands could reach: file system monitors, hooks, pagers,
  external diffs, transports, prompts, credential helpers.
- Filters (`filter.*.clean`, `filter.*.process`) cannot be switched off by name, since their names are the
  repository's choice. So no command is run that reads files of the work tree.
- Of the environment, git gets the search path, the home directory and the language; every `GIT_*` variable
  of the caller is dropped. The user's own and the system's configuration stay in force: they belong to the
  person at the keyboard, and the settings above bind them as well.
- A missing object of a partial clone is missing. No transport is allowed, so git fetches nothing; only
  `git_remotes` lifts that, for a sync that somebody asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from holdfast.kernel.errors import Unavailable
from holdfast.kernel.text import shorten
from holdfast.storage.git.repository import Repository

_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=false",
    "core.useReplaceRefs=false",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "gpg.program=false",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "protocol.file.allow=never",
    "submodule.recurse=false",
)

_KEPT_VARIABLES = ("HOME", "XDG_CONFIG_HOME")

_FIXED_VARIABLES = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS": "",
}

_COMPLAINT_CHARACTERS = 300
_ABSOLUTE_PATH = re.compile(r"(?<![\w.~])/[^\s'\"`:;,]+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def hardened_arguments(git: str, repository: Repository, arguments: tuple[str, ...]) -> list[str]:
    """Return the whole command line for one git command on this repository."""
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    # Named, not searched for: a nested or planted repository cannot take its place.
    places = [f"--git-dir={repository.git_dir}"]
    if not repository.bare:
        places.append(f"--work-tree={repository.root}")
    return [git, "--no-pager", *settings, *places, *arguments]


def hardened_environment(environment: Mapping[str, str], search_path: str) -> dict[str, str]:
    """Return the whole environment for git."""
    kept = {name: environment[name] for name in _KEPT_VARIABLES if name in environment}
    return {"PATH": search_path, **kept, **_FIXED_VARIABLES}


def trusted_search_path(environment: Mapping[str, str], root: str) -> str:
    """Return the directories of PATH that a repository cannot supply: absolute ones, outside of it."""
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry) and not _inside(entry, root))


def find_git(search_path: str) -> str:
    """Return the git program, or say that there is none."""
    for candidate in _candidates(search_path):
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    raise Unavailable("The program 'git' was not found.", hint="Install git, or add its directory to PATH.")


def readable_complaint(complaint: bytes, repository: Repository) -> str:
    """Return what git said on standard error, in one line and without paths of this machine."""
    text = complaint.decode(errors="replace")
    for place in (repository.git_dir, repository.common_dir, repository.root):
        text = text.replace(place, "the repository") if place else text
    text = _ABSOLUTE_PATH.sub(lambda match: f"…/{os.path.basename(match[0])}", text)
    return shorten(_UNPRINTABLE.sub(" ", text).strip(), _COMPLAINT_CHARACTERS, beyond=True)


def _candidates(search_path: str) -> Iterator[str]:
    return (os.path.join(entry, "git") for entry in search_path.split(os.pathsep) if entry)


def _inside(entry: str, root: str) -> bool:
    return (os.path.realpath(entry) + os.sep).startswith(root.rstrip(os.sep) + os.sep)
