"""`holdfast scaffold`: write a whole project. It is a command only: no server offers it as a tool."""

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
    merge_record,
    scaffold,
)
from holdfast.templates.toolset import templates

_MAX_DIFF_LINES = 400
"""Lines of the difference of one file; a judgement: several screens of a terminal."""
_MAX_QUOTED_CHARACTERS = 100
"""Characters of an argument in an error message; a judgement: one or two lines."""


def difference(path: str, old: bytes, new: bytes) -> str:
    """Return a unified diff, truncated to `_MAX_DIFF_LINES`."""
    lines = unified_diff(_lines(old), _lines(new), f"{path} (existing)", f"{path} (generated)", lineterm="")
    shown = list(islice(lines, _MAX_DIFF_LINES + 1))
    if len(shown) > _MAX_DIFF_LINES:
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
    difference: UntrustedText | None = Field(
        description="The difference that replacing the file makes, or made."
    )
    checksum: str = Field(description="SHA-256 of the generated content.")


class WrittenScaffold(Output):
    """What was generated, and whether it was written."""

    files: list[PlacedFile]
    written: bool

    @property
    def exit_code(self) -> int:
        return Conflict.exit_code if any(file.state == "differs" for file in self.files) else 0


def _write_text(result: WrittenScaffold) -> str:
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
    text=_write_text,
)
def write_scaffold(room: Templates, args: WriteScaffold) -> WrittenScaffold:
    """Generate a project and, with --write, write it to a directory.

    A new directory is created atomically. In an existing one, files that differ are shown, and nothing is
    written until each of them is given with --overwrite. `.scaffold.json` records the templates.
    """
    parameters = _default_description(room, args) | {
        "project_name": args.project_name,
        **_parse_assignments(args.set),
    }
    generated = scaffold(room, ScaffoldRequest(args.toolchain, args.variant, args.templates, parameters))
    if generated.errors:
        errors = [error.wire() for error in generated.errors]
        hint = "Nothing was written; correct this and repeat it."
        raise InvalidArguments("\n".join(error_lines(generated.errors)), hint=hint, errors=errors)
    replacing = _paths_to_replace(generated.files, args.overwrite)
    existing = {} if args.write is None else _file_set(args.write, generated.files).existing()
    files, replacing = _merge_existing_record(generated.files, existing, replacing)
    placed = [_compare_file(file, existing, replacing) for file in files]
    can_write = all(file.state != "differs" for file in placed)
    if args.write is not None and can_write:
        _file_set(args.write, files).write(replacing=replacing)
    return WrittenScaffold(files=placed, written=args.write is not None and can_write)


def _file_set(directory: str, files: list[ScaffoldedFile]) -> FileSet:
    return FileSet(directory, {RepoPath.parse(file.path): file.content.encode() for file in files})


def _merge_existing_record(
    files: list[ScaffoldedFile], existing: Mapping[RepoPath, bytes], replacing: set[RepoPath]
) -> tuple[list[ScaffoldedFile], set[RepoPath]]:
    """Merge the existing record into the new one. This loses nothing, so it needs no --overwrite."""
    path = RepoPath.parse(RECORD_PATH)
    text = merge_record(existing[path], files[-1].content) if path in existing else None
    if text is None:
        return files, replacing
    record = ScaffoldedFile.of(RenderedFile(RECORD_PATH, text), None)
    return [*files[:-1], record], replacing | {path}


def _default_description(room: Templates, args: WriteScaffold) -> dict[str, Any]:
    """Return a default for the description, if a template requires one."""
    templates = room.catalogue.matching(toolchain=args.toolchain)
    parameters = (parameter for template in templates for parameter in template.parameters)
    if not any(parameter.name == "description" and parameter.required for parameter in parameters):
        return {}
    kind = "program" if args.variant == "cli" else args.variant
    return {"description": f"A {args.toolchain.capitalize()} {kind}"}


def _parse_assignments(assignments: list[str]) -> dict[str, Any]:
    """Parse parameters of the form `name=value`; a value that is not JSON is plain text."""
    given: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InvalidArguments(
                f'argument "set": {assignment[:_MAX_QUOTED_CHARACTERS]!a} is not name=value.',
                hint="Such as has_tests=false.",
            )
        given[name] = _parse_value(value)
    return given


def _parse_value(typed: str) -> Any:
    try:
        value = parse_json(typed)
    except UnreadableDocument:
        return typed
    return value if isinstance(value, bool | list | str) else typed


def _paths_to_replace(files: list[ScaffoldedFile], names: list[str]) -> set[RepoPath]:
    known = [file.path for file in files]
    for name in names:
        if files and name not in known:
            raise InvalidArguments(
                f'argument "overwrite": the scaffold has no file {name[:_MAX_QUOTED_CHARACTERS]!a}.',
                hint=did_you_mean(name[:_MAX_QUOTED_CHARACTERS], known),
            )
    return {RepoPath.parse(name) for name in names}


def _compare_file(
    file: ScaffoldedFile, existing: Mapping[RepoPath, bytes], replacing: set[RepoPath]
) -> PlacedFile:
    path = RepoPath.parse(file.path)
    old = existing.get(path)
    new = file.content.encode()
    state: State
    if old is None:
        state = "new"
    elif old == new:
        state = "unchanged"
    else:
        state = "replaced" if path in replacing else "differs"
    is_different = state in ("differs", "replaced")
    return PlacedFile(
        path=file.path,
        state=state,
        difference=difference(file.path, old or b"", new) if is_different else None,
        checksum=file.checksum,
    )
