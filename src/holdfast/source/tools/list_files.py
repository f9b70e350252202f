"""`list_files`: the folders and files of one folder."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.errors import InvalidPath
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText, visible
from holdfast.source.room import Source
from holdfast.source.toolset import source
from holdfast.storage.files.repo_path import RepoPath, typed_path
from holdfast.storage.git.project_files import FileStat, file_stats

EntryKind = Literal["folder", "file", "other"]

_SHOWN = 1000


class ListFiles(Input):
    """Which folder, and how much of it."""

    folder: str = Field(
        default=".",
        max_length=LIMITS.path_characters,
        description="A folder from the repository's root; `.` for the root itself.",
    )
    limit: Integer = count_field(_SHOWN, LIMITS.folder_entries, "How many entries to return, the first.")


class FolderEntry(Output):
    """A folder or file."""

    name: UntrustedText
    kind: EntryKind = Field(description="`other` for links, and for names that no path can be written with.")
    size: int | None = Field(description="The bytes of a file; null of anything else.")


class FolderList(Output):
    """What is in a folder: folders first, then files, each by name."""

    folder: UntrustedText
    entries: list[FolderEntry]
    total: int = Field(description="How many there are, also those over the limit.")


def _words(result: FolderList) -> str:
    names = [entry.name + ("/" if entry.kind == "folder" else "") for entry in result.entries]
    left = result.total - len(result.entries)
    return "\n".join([*(names or ["No files."]), *([f"… and {left} more"] if left else [])])


def _entries(room: Source, folder: str, paths: list[str]) -> list[FolderEntry]:
    prefix = f"{folder}/" if folder else ""
    inside = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
    folders = sorted({name.partition("/")[0] for name in inside if "/" in name})
    # What git tracks may be gone from the work tree; a look at each leaves that out.
    seen = file_stats(room.repository.root, (prefix + name for name in inside if "/" not in name))
    there = file_stats(room.repository.root, (prefix + name for name in folders))
    files = [
        (path.removeprefix(prefix), it.size if isinstance(it, FileStat) else None)
        for path, it in seen.items()
    ]
    return [
        *(_entry(name, "folder", None) for name in folders if prefix + name in there),
        *(_entry(name, "other" if size is None else "file", size) for name, size in sorted(files)),
    ]


def _entry(name: str, kind: EntryKind, size: int | None) -> FolderEntry:
    try:
        is_nameable = visible(name) == name and bool(RepoPath.parse(name))
    except InvalidPath:
        is_nameable = False
    return FolderEntry(name=name, kind=kind if is_nameable else "other", size=size)


def typed_folder(room: Source, given: dict[str, Any]) -> dict[str, Any]:
    """Count the folder that a person types from the current directory."""
    typed = given.get("folder")
    return given if typed is None else given | {"folder": typed_path(room.repository.root, typed)}


@source.operation(
    "list_files",
    title="List a folder",
    effect=Effect.READ,
    command="list",
    positional=("folder",),
    example="holdfast source list src",
    listed=False,
    text=_words,
    fill_in=typed_folder,
)
def list_files(room: Source, args: ListFiles) -> FolderList:
    """List the folders and files of one folder that git tracks or would add."""
    folder, paths = room.files(args.folder)
    if paths == [folder]:
        raise InvalidPath(f"'{folder}' is a file, not a folder.", hint="Name the folder that holds it.")
    found = _entries(room, folder, paths)
    return FolderList(folder=folder or ".", entries=found[: args.limit], total=len(found))
