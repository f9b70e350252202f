"""git: the settings that the toolsets need, in the configuration of this repository only."""

from __future__ import annotations

import shlex
from dataclasses import replace

from holdfast.installation.client import Client, Contributions, FileEntry, InstallationContext, Scope
from holdfast.installation.formats.plain_text import MarkedLines
from holdfast.kernel.errors import Unavailable

_PROGRAM_PLACEHOLDER = "{holdfast}"


def _entries(context: InstallationContext, contributions: Contributions) -> list[FileEntry]:
    if context.git_directory is None:
        raise Unavailable("This directory is not in a git repository.", hint="Run `git init` to make it one.")
    if not contributions.git:
        raise Unavailable(
            "There is nothing to configure in git: this version needs no settings.",
            hint="Remarks reach an agent without it; see `holdfast install --help`.",
        )
    entries = []
    for settings in contributions.git:
        if settings.configuration or settings.remote_configuration:
            remote_lines = [
                line.format(remote=name) for name in context.remotes for line in settings.remote_configuration
            ]
            all_lines = [*settings.configuration, *remote_lines]
            lines = tuple(_insert_program(context, line) for line in all_lines)
            entries.append(_marked_lines(context, ("config",), settings.name, lines))
        if settings.attributes:
            entries.append(_marked_lines(context, ("info", "attributes"), settings.name, settings.attributes))
    return entries


def _insert_program(context: InstallationContext, line: str) -> str:
    """Return a line with the program: its name if it is on the search path, else its full path.

    A full path is fine, because git's configuration of a repository is not shared.
    """
    key, _, value = line.partition(" = ")
    if _PROGRAM_PLACEHOLDER not in value:
        return line
    is_found = context.on_search_path or context.program is None
    program = "holdfast" if is_found else shlex.quote(str(context.program))
    escaped = value.replace(_PROGRAM_PLACEHOLDER, program).replace("\\", "\\\\").replace('"', '\\"')
    return f"{key} = {escaped}" if is_found else f'{key} = "{escaped}"'


def _notes(context: InstallationContext) -> list[str]:
    if context.remotes:
        return []
    return ["This repository has no remote yet. Run this again once it has one, to fetch from it."]


def _marked_lines(
    context: InstallationContext, parts: tuple[str, ...], name: str, lines: tuple[str, ...]
) -> FileEntry:
    assert context.git_directory is not None
    file = replace(
        context.user_file(context.git_directory, *parts),
        label="/".join((".git", *parts)),
        is_private=False,
        # Git locks a file that it writes with a file of this suffix.
        program_lock_suffix=".lock",
    )
    return FileEntry(file, MarkedLines(name, lines))


GIT = Client("git", "git", (Scope.PROJECT,), _entries, _notes)
