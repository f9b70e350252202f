"""The stand-in: a git directory with links to the repository's objects and refs, and our own configuration.

Contract:
- A git command run there reads none of the repository's configuration, hooks or remotes; settings that it
  needs are passed by name. The user's and the system's configuration stay in force.
- The stand-in is one folder of the store, for all commands. It is checked before each command, and anything
  unexpected in it is removed: an archive that the repository was unpacked from may have contained it.
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
"""The settings for the format and the permissions of objects and refs, which the stand-in copies."""

_REFLOG_SETTING = "core.logallrefupdates"
_LINKED_NAMES = ("logs", "objects", "packed-refs", "refs", "reftable", "shallow")
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9]+")
_MAX_FILE_BYTES = 4096
"""A judgement: both files have a few lines; a larger one is not ours, and is replaced."""


def stand_in(store: str, formats: Mapping[str, str]) -> str:
    """Return the path of the stand-in in a store directory, after creating or repairing it."""
    directory = os.path.join(store, NAME)
    files = {"HEAD": b"ref: refs/heads/none\n", "config": _configuration(formats)}
    with translate_disk_errors(NAME):
        if os.path.islink(directory):
            raise InvalidPath(f"'{NAME}' in the store is a link.", hint="Move it aside, then try again.")
        os.makedirs(directory, mode=0o700, exist_ok=True)
        if formats.get(_REFLOG_SETTING, "").lower() == "always":  # git does not create folders behind a link
            os.makedirs(os.path.join(os.path.dirname(store), "logs"), exist_ok=True)
        for name in os.listdir(directory):
            if not (name.endswith(TEMPORARY_SUFFIX) or name in files or _is_our_link(directory, name)):
                _remove(os.path.join(directory, name))
        for name in _LINKED_NAMES:
            if not _is_our_link(directory, name):
                _link(directory, name)
        for name, content in files.items():
            if not _has_content(os.path.join(directory, name), content):
                atomic_write(os.path.join(directory, name), content)
    return directory


def _configuration(formats: Mapping[str, str]) -> bytes:
    """Return the content of the configuration; git itself refuses a format that it does not know."""
    lines = ["[core]", "\tbare = true", "\trepositoryFormatVersion = 1"]
    for key, configured in sorted({_REFLOG_SETTING: "false", **formats}.items()):
        value = configured or "true"  # to git, a name without a value is true
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
        return name in _LINKED_NAMES and os.readlink(os.path.join(directory, name)) == _link_target(name)
    except OSError:
        return False


def _link_target(name: str) -> str:
    return os.path.join(os.pardir, os.pardir, name)


def _link(directory: str, name: str) -> None:
    try:
        os.symlink(_link_target(name), os.path.join(directory, name))
    except FileExistsError:
        if not _is_our_link(directory, name):  # else another process has just created it
            raise


def _has_content(path: str, content: bytes) -> bool:
    try:
        return read_limited(path, _MAX_FILE_BYTES) == content
    except HoldfastError:
        return False


def _remove(path: str) -> None:
    from shutil import rmtree  # here, because it is rarely needed

    if os.path.isdir(path) and not os.path.islink(path):
        rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
