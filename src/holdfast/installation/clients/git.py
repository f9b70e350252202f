"""git: what the rooms would like it to know, in the configuration of this repository alone."""

from __future__ import annotations

import shlex
from dataclasses import replace

from holdfast.installation.client import Client, Contributions, Scope, Situation, Wanted
from holdfast.installation.formats.plain_text import MarkedLines
from holdfast.kernel.errors import Unavailable

_PROGRAM = "{holdfast}"


def _wanted(situation: Situation, contributions: Contributions) -> list[Wanted]:
    if situation.git_directory is None:
        raise Unavailable("This directory is not in a git repository.", hint="Run `git init` to make it one.")
    if not contributions.git:
        raise Unavailable(
            "There is nothing to set in git: no part of this version needs it.",
            hint="Remarks reach an agent without it; see `holdfast install --help`.",
        )
    wanted = []
    for settings in contributions.git:
        if settings.configuration or settings.remote_configuration:
            each = settings.remote_configuration
            remotes = (line.format(remote=name) for name in situation.remotes for line in each)
            lines = tuple(_with_program(situation, line) for line in (*settings.configuration, *remotes))
            wanted.append(_lines(situation, ("config",), settings.name, lines))
        if settings.attributes:
            wanted.append(_lines(situation, ("info", "attributes"), settings.name, settings.attributes))
    return wanted


def _with_program(situation: Situation, line: str) -> str:
    """Name the program by its place where git's shell would not find it; the file stays on this machine."""
    key, _, value = line.partition(" = ")
    if _PROGRAM not in value:
        return line
    is_found = situation.on_search_path or situation.program is None
    program = "holdfast" if is_found else shlex.quote(str(situation.program))
    escaped = value.replace(_PROGRAM, program).replace("\\", "\\\\").replace('"', '\\"')
    return f"{key} = {escaped}" if is_found else f'{key} = "{escaped}"'


def _notes(situation: Situation) -> list[str]:
    if situation.remotes:
        return []
    return ["This repository has no remote yet. Run this again when it has, for fetching from it."]


def _lines(situation: Situation, parts: tuple[str, ...], name: str, lines: tuple[str, ...]) -> Wanted:
    assert situation.git_directory is not None
    file = replace(
        situation.of_user(situation.git_directory, *parts),
        label="/".join((".git", *parts)),
        is_private=False,
        # git says so itself, by a file of this name, that it is writing.
        guard_suffix=".lock",
    )
    return Wanted(file, MarkedLines(name, lines))


GIT = Client("git", "git", (Scope.PROJECT,), _wanted, _notes)
