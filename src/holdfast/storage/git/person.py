"""The name of the person at this computer, under which everything that they write is recorded."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.text import one_line, shorten
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository

_MAX_NAME_CHARACTERS = 100
"""A judgement: longer than people's names, and below what every room accepts as an author."""


def person_name(repository: Repository) -> str:
    """Return git's user name, from the environment or the configuration, or else the login name."""
    if not repository.is_in_git:  # the configuration of the user and the machine applies here, too
        repository = replace(repository, git_dir=os.devnull)
    name = None
    with suppress(HoldfastError), Git(repository) as git:
        name = git.identity().name
    return shorten(one_line(name or ""), _MAX_NAME_CHARACTERS) or login_name()


def login_name() -> str:
    """Return the name under which the user has logged in."""
    import getpass  # imported here because git usually knows the name

    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"
