"""`list_files`: the folders and files of one folder."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from holdfast.kernel.errors import InvalidPath
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText, visible
from holdfast.source.room import Source, resolve_typed
from holdfast.source.toolset import source
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.project_files import FileStat, file_stats

EntryKind = Literal["folder", "file", "other"]

_DEFAULT_ENTRIES = 1000
"""Entries that are returned by default. A judgement: more than nearly all folders have."""


class ListFiles(Input):
    """A folder, and how many entries to return."""

    folder: str = Field(
        default=".",
        max_length=LIMITS.path_characters,
        description="A folder relative to the repository's root; `.` for the root itself.",
    )
    limit: Integer = count_field(_DEFAULT_ENTRIES, LIMITS.folder_entries, "How many entries to return.")


class FolderEntry(Output):
    """A folder or a file."""

    name: UntrustedText
    kind: EntryKind = Field(description="`other` for links, and for names that are not valid paths.")
    size: int | None = Field(description="The size of a file in bytes; null for anything else.")


class FolderList(Output):
    """The entries of a folder: folders first, then files, each by name."""

    folder: UntrustedText
    entries: list[FolderEntry]
    total: int = Field(description="The number of entries, including those over the limit.")


def _render(result: FolderList) -> str:
    lines = [entry.name + ("/" if entry.kind == "folder" else "") for entry in result.entries]
    omitted = result.total - len(result.entries)
    if omitted:
        lines.append(f"… and {omitted} more")
    return "\n".join(lines or ["No files."])


def _entries(room: Source, folder: str, paths: list[str]) -> list[FolderEntry]:
    prefix = f"{folder}/" if folder else ""
    names = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
    folders = sorted({name.partition("/")[0] for name in names if "/" in name})
    # Tracked files and folders that are missing from the work tree have no stat.
    folder_stats = file_stats(room.repository.root, (prefix + name for name in folders))
    stats = file_stats(room.repository.root, (prefix + name for name in names if "/" not in name))
    entries = [_entry(name, "folder", None) for name in folders if prefix + name in folder_stats]
    for path, stat in sorted(stats.items(), key=lambda item: item[0]):
        name = path.removeprefix(prefix)
        if isinstance(stat, FileStat):
            entries.append(_entry(name, "file", stat.size))
        else:
            entries.append(_entry(name, "other", None))
    return entries


def _entry(name: str, kind: EntryKind, size: int | None) -> FolderEntry:
    """Return an entry; its kind is `other` if no operation accepts its name."""
    try:
        is_valid = visible(name) == name and bool(RepoPath.parse(name))
    except InvalidPath:
        is_valid = False
    return FolderEntry(name=name, kind=kind if is_valid else "other", size=size)


@source.operation(
    "list_files",
    title="List a folder",
    effect=Effect.READ,
    command="list",
    positional=("folder",),
    example="holdfast source list src",
    listed=False,
    text=_render,
    fill_in=resolve_typed("folder"),
)
def list_files(room: Source, args: ListFiles) -> FolderList:
    """List the folders and files of one folder that git tracks or would add."""
    folder, paths = room.files(args.folder)
    if paths == [folder]:
        raise InvalidPath(f"'{folder}' is a file, not a folder.", hint="Name the folder that holds it.")
    found = _entries(room, folder, paths)
    return FolderList(folder=folder or ".", entries=found[: args.limit], total=len(found))
