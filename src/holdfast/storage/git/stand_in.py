"""A stand-in for a git directory: the repository's objects and refs, with a configuration of our own.

Contract:
- A git command run there reads nothing of the repository's configuration, hooks or remotes; settings that it
  needs are passed by name. The user's and the system's configuration stay in force.
- It is a folder of the store, the same for every command, and checked before each: anything that does not
  belong there is removed, because the archive that a repository came in may have contained it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from holdfast.kernel.errors import HoldfastError, InvalidPath, Unavailable
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.atomic import atomic_write
from holdfast.storage.files.regular_file import read_limited
from holdfast.storage.files.temporary import TEMPORARY_SUFFIX

NAME = "git"
FORMAT_SETTINGS = r"^(extensions\.(objectformat|refstorage)|core\.(sharedrepository|logallrefupdates))$"
"""Settings for the form and the permissions of objects and refs: the stand-in must have the same."""

_LOGS = "core.logallrefupdates"
_LINKED = ("logs", "objects", "packed-refs", "refs", "reftable", "shallow")
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9]+")
_MAX_BYTES = 4096


def stand_in(store: str, formats: Mapping[str, str]) -> str:
    """Return the stand-in in a store of ours, created or repaired."""
    directory = os.path.join(store, NAME)
    files = {"HEAD": b"ref: refs/heads/none\n", "config": _configuration(formats)}
    with translate_disk_errors(NAME):
        if os.path.islink(directory):
            raise InvalidPath(f"'{NAME}' in the store is a link.", hint="Move it aside, then try again.")
        os.makedirs(directory, mode=0o700, exist_ok=True)
        if formats.get(_LOGS, "").lower() == "always":  # git makes no folder behind a link
            os.makedirs(os.path.join(os.path.dirname(store), "logs"), exist_ok=True)
        for name in os.listdir(directory):
            if not (name.endswith(TEMPORARY_SUFFIX) or name in files or _is_our_link(directory, name)):
                _remove(os.path.join(directory, name))
        for name in _LINKED:
            if not _is_our_link(directory, name):
                _link(directory, name)
        for name, content in files.items():
            if not _holds(os.path.join(directory, name), content):
                atomic_write(os.path.join(directory, name), content)
    return directory


def _configuration(formats: Mapping[str, str]) -> bytes:
    """Return the configuration; git itself refuses a format that it does not know."""
    lines = ["[core]", "\tbare = true", "\trepositoryFormatVersion = 1"]
    for key, given in sorted({_LOGS: "false", **formats}.items()):
        value = given or "true"  # git's meaning of a name without a value
        if not _PLAIN_VALUE.fullmatch(value):
            raise Unavailable(
                f"This repository's setting '{key}' has a value that Holdfast does not support.",
                hint="Use the commands of git itself for this repository.",
            )
        section, name = key.split(".")
        lines += [f"[{section}]", f"\t{name} = {value}"]
    return "\n".join([*lines, ""]).encode("ascii")


def _is_our_link(directory: str, name: str) -> bool:
    try:
        return name in _LINKED and os.readlink(os.path.join(directory, name)) == _target(name)
    except OSError:
        return False


def _target(name: str) -> str:
    return os.path.join(os.pardir, os.pardir, name)


def _link(directory: str, name: str) -> None:
    try:
        os.symlink(_target(name), os.path.join(directory, name))
    except FileExistsError:
        if not _is_our_link(directory, name):  # and no other process has just created the same
            raise


def _holds(path: str, content: bytes) -> bool:
    try:
        return read_limited(path, _MAX_BYTES) == content
    except HoldfastError:
        return False


def _remove(path: str) -> None:
    from shutil import rmtree  # here, because it is rarely needed

    if os.path.isdir(path) and not os.path.islink(path):
        rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
