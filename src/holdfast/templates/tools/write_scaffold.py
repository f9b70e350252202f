"""`holdfast scaffold`: write a whole project. Only the command line has this, no server."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import unified_diff
from itertools import islice
from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.errors import Conflict, InvalidArguments, did_you_mean
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.file_set import FileSet
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.storage.files.repo_path import RepoPath
from holdfast.templates.catalogue import Templates
from holdfast.templates.renderer import RenderedFile
from holdfast.templates.scaffold import (
    ALL,
    RECORD_PATH,
    ScaffoldedFile,
    ScaffoldRequest,
    error_lines,
    merged_record,
    scaffold,
)
from holdfast.templates.toolset import templates

_SHOWN_LINES = 400  # a chosen bound for one file on a terminal


def difference(path: str, old: bytes, new: bytes) -> str:
    """Return a unified diff, truncated to `_SHOWN_LINES`."""
    lines = unified_diff(_lines(old), _lines(new), f"{path} (existing)", f"{path} (generated)", lineterm="")
    shown = list(islice(lines, _SHOWN_LINES + 1))
    if len(shown) > _SHOWN_LINES:
        shown[-1] = "(the rest of the difference is not shown)"
    return "\n".join(shown)


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").splitlines()


State = Literal["new", "unchanged", "differs", "replaced"]


class WriteScaffold(Input):
    """What to generate, and where to put it."""

    toolchain: str = Field(max_length=200, description="rust, deno, python-uv, go, node, or one of your own.")
    project_name: str = Field(max_length=200, description="Name of the project.")
    variant: str = Field(default="cli", max_length=200, description="Kind of project: cli or library.")
    templates: list[str] = Field(
        default=[ALL], min_length=1, description="Categories or template URIs; default: all."
    )
    set: list[str] = Field(default=[], description="A parameter as name=value, such as has_tests=false.")
    write: str | None = Field(
        default=None, min_length=1, description="Directory to write into; without it nothing is written."
    )
    overwrite: list[str] = Field(default=[], description="A file that may be replaced although it differs.")


class PlacedFile(Output):
    """A file of the scaffold, compared with the existing file."""

    path: UntrustedText
    state: State
    difference: UntrustedText | None = Field(description="The difference that replacing it makes, or made.")
    checksum: str = Field(description="SHA-256 of the generated content.")


class ScaffoldWritten(Output):
    """What was generated, and whether it was written."""

    files: list[PlacedFile]
    written: bool

    @property
    def exit_code(self) -> int:
        """Return the status of a command with this result."""
        return Conflict.exit_code if any(file.state == "differs" for file in self.files) else 0


def _words(result: ScaffoldWritten) -> str:
    lines = [f"{file.state:<9}  {file.path}" for file in result.files]
    differences = [file.difference for file in result.files if file.difference]
    if result.written:
        end = "Written."
    elif result.exit_code == Conflict.exit_code:
        end = "Nothing was written: some files differ. Give each that may be replaced with --overwrite."
    else:
        end = "Nothing was written; use --write DIR to write it."
    return "\n".join([*differences, *lines, end])


@templates.operation(
    "write_scaffold",
    title="Scaffold a project",
    effect=Effect.WRITE,
    command="write",
    shortcut="scaffold",
    positional=("toolchain", "project_name"),
    example="holdfast scaffold python-uv kelp --set has_tests=true",
    command_only=True,
    text=_words,
)
def write_scaffold(room: Templates, args: WriteScaffold) -> ScaffoldWritten:
    """Generate a project and, with --write, write it to a directory.

    A new directory is created atomically. In an existing one, files that differ are shown, and nothing is
    written until each of them is given with --overwrite. `.scaffold.json` records the templates.
    """
    parameters = _described(room, args) | {"project_name": args.project_name, **_assigned(args.set)}
    generated = scaffold(room, ScaffoldRequest(args.toolchain, args.variant, args.templates, parameters))
    if generated.errors:
        errors = [error.wire() for error in generated.errors]
        hint = "Nothing was written; correct this and repeat it."
        raise InvalidArguments("\n".join(error_lines(generated.errors)), hint=hint, errors=errors)
    replacing = _replaceable(generated.files, args.overwrite)
    present = {} if args.write is None else _file_set(args.write, generated.files).existing()
    files, replacing = _with_merged_record(generated.files, present, replacing)
    placed = [_placed(file, present, replacing) for file in files]
    writable = all(file.state != "differs" for file in placed)
    if args.write is not None and writable:
        _file_set(args.write, files).write(replacing=replacing)
    return ScaffoldWritten(files=placed, written=args.write is not None and writable)


def _file_set(directory: str, files: list[ScaffoldedFile]) -> FileSet:
    return FileSet(directory, {RepoPath.parse(file.path): file.content.encode() for file in files})


def _with_merged_record(
    files: list[ScaffoldedFile], present: Mapping[RepoPath, bytes], replacing: set[RepoPath]
) -> tuple[list[ScaffoldedFile], set[RepoPath]]:
    """Merge the existing record into the new one; as this loses nothing, it needs no --overwrite."""
    path = RepoPath.parse(RECORD_PATH)
    text = merged_record(present[path], files[-1].content) if path in present else None
    if text is None:
        return files, replacing
    record = ScaffoldedFile.of(RenderedFile(RECORD_PATH, text), None)
    return [*files[:-1], record], replacing | {path}


def _described(room: Templates, args: WriteScaffold) -> dict[str, Any]:
    """Return a default for the description, if a template requires one."""
    chosen = room.catalogue.matching(toolchain=args.toolchain)
    kind = "program" if args.variant == "cli" else args.variant
    is_needed = any(item.name == "description" and item.required for one in chosen for item in one.parameters)
    return {"description": f"A {args.toolchain.capitalize()} {kind}"} if is_needed else {}


def _assigned(assignments: list[str]) -> dict[str, Any]:
    """Parse parameters of the form `name=value`; a value that is not JSON is plain text."""
    given: dict[str, Any] = {}
    for assignment in assignments:
        name, sign, value = assignment.partition("=")
        if not sign:
            raise InvalidArguments(
                f'argument "set": {assignment[:40]!a} is not name=value.', hint="Such as has_tests=false."
            )
        given[name] = _value(value)
    return given


def _value(typed: str) -> Any:
    try:
        value = parse_json(typed)
    except UnreadableDocument:
        return typed
    return value if isinstance(value, bool | list | str) else typed


def _replaceable(files: list[ScaffoldedFile], named: list[str]) -> set[RepoPath]:
    known = [file.path for file in files]
    for name in named:
        if files and name not in known:
            raise InvalidArguments(
                f'argument "overwrite": the scaffold has no file {name[:100]!a}.',
                hint=did_you_mean(name[:100], known),
            )
    return {RepoPath.parse(name) for name in named}


def _placed(file: ScaffoldedFile, present: Mapping[RepoPath, bytes], replacing: set[RepoPath]) -> PlacedFile:
    path = RepoPath.parse(file.path)
    old = present.get(path)
    new = file.content.encode()
    state: State = "new" if old is None else "unchanged" if old == new else "differs"
    if state == "differs" and path in replacing:
        state = "replaced"
    changed = state in ("differs", "replaced")
    return PlacedFile(
        path=file.path,
        state=state,
        difference=difference(file.path, old or b"", new) if changed else None,
        checksum=file.checksum,
    )
