"""Arguments and environment variables that keep a repository from making git run other programs.

Contract:
- Settings given by `-c` override every configuration file, also the repository's. They disable every setting
  that names a program which one of our commands could start: file system monitors, hooks, pagers, external
  diffs, prompts, credential helpers. Commands that move refs could run hooks that a configuration defines, so
  they read none of the repository's configuration (`stand_in.py`). `docs/git-configuration.md` discusses all
  of git's settings.
- Of the environment, git gets the search path, the home directory and the language; all `GIT_*` variables of
  the caller are dropped. The user's and the system's configuration stay in force, because no repository can
  change them; the settings above override them too.
- An object that a partial clone lacks is not fetched, because no transport is allowed. Only `remotes.py`
  allows some, for a sync that was requested.
- Error messages of git reach a caller without paths of this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from holdfast.kernel.errors import Unavailable
from holdfast.kernel.text import shorten
from holdfast.storage.git.repository import Repository, is_inside

SETTINGS = (
    f"core.hooksPath={os.devnull}", "core.fsmonitor=false", "core.untrackedCache=false", "core.pager=cat",
    "core.editor=false", "core.alternateRefsCommand=false", "core.useReplaceRefs=false", "diff.external=",
    "gc.auto=0", "gpg.program=false", "log.showSignature=false", "maintenance.auto=false",
    "submodule.recurse=false",
)  # fmt: skip

USER_SETTINGS = ("core.sshCommand=false", "credential.helper=")
"""Settings in which the user may name programs; disabled wherever the repository could set them too."""

_PASSED_VARIABLES = ("HOME", "XDG_CONFIG_HOME")

_FIXED_VARIABLES = {
    "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "GIT_ALLOW_PROTOCOL": "none", "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1", "GIT_GRAFT_FILE": os.devnull, "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS": "",
}  # fmt: skip

_MAX_MESSAGE_CHARACTERS = 300
"""A judgement: git's own messages are one or two lines."""
_ABSOLUTE_PATH = re.compile(r"(?<![\w.~])/[^\s'\"`:;,]+")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def hardened_arguments(
    git: str, repository: Repository, arguments: tuple[str, ...], git_dir: str | None = None
) -> list[str]:
    """Return the command line for a git command on this repository, or in another git directory."""
    disabled = SETTINGS if git_dir else (*SETTINGS, *USER_SETTINGS)
    settings = [part for setting in disabled for part in ("-c", setting)]
    # Passed, not discovered by git: a nested or planted repository cannot take its place.
    directories = [f"--git-dir={git_dir or repository.git_dir}"]
    if not (git_dir or repository.bare):
        directories.append(f"--work-tree={repository.root}")
    return [git, "--no-pager", *settings, *directories, *arguments]


def hardened_environment(environment: Mapping[str, str], search_path: str) -> dict[str, str]:
    """Return the environment for git."""
    passed = {name: environment[name] for name in _PASSED_VARIABLES if name in environment}
    return {"PATH": search_path, **passed, **_FIXED_VARIABLES}


def trusted_search_path(environment: Mapping[str, str], root: str) -> str:
    """Return the directories of PATH that are absolute and outside the repository, which it cannot supply."""
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry) and not is_inside(entry, root))


def find_git(search_path: str) -> str:
    """Return the path of the git program, or raise when there is none."""
    for candidate in (os.path.join(entry, "git") for entry in search_path.split(os.pathsep) if entry):
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    raise Unavailable("The program 'git' was not found.", hint="Install git, or add its directory to PATH.")


def readable_message(stderr: bytes, repository: Repository) -> str:
    """Return git's standard error as one line, without paths of this machine."""
    lines = stderr.decode(errors="replace").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("hint:"))
    for place in (repository.git_dir, repository.common_dir, repository.root):
        text = text.replace(place, "the repository") if place else text
    text = _ABSOLUTE_PATH.sub(lambda match: f"…/{os.path.basename(match[0])}", text)
    return shorten(_UNPRINTABLE.sub(" ", text).strip(), _MAX_MESSAGE_CHARACTERS, beyond=True)
