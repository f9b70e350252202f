"""Generates several files of one toolchain from shared parameters, and a record of them.

Contract: each template that fails is reported among the errors, and the others are generated. Nothing is
written to disk.

The record is one of the generated files. Its checksums show which of the others were changed later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from holdfast.kernel.codes import handshake_code
from holdfast.kernel.errors import HoldfastError, TooLarge, did_you_mean
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.templates.address import SCHEME, TemplateAddress
from holdfast.templates.catalogue import Templates
from holdfast.templates.errors import TemplateBroken, TemplateNotFound
from holdfast.templates.renderer import RenderedFile
from holdfast.templates.template import Template, find_problems, validation_error
from holdfast.templates.toolset import templates as toolset

ALL = "all"
"""In place of the names of templates: all of a toolchain and variant, unless their `only_if` is false."""
RECORD_PATH = ".scaffold.json"
_RECORD_FORMAT: Literal[1] = 1


class RecordedFile(BaseModel):
    """One file of a scaffold."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    path: str
    template: str
    template_version: str
    template_digest: str = Field(description="SHA-256 of the template's file.")
    checksum: str = Field(description="SHA-256 of the generated file.")


class ScaffoldRecord(BaseModel):
    """The record of a scaffold. It is deterministic, because it names neither a time nor a machine."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    format: Literal[1] = _RECORD_FORMAT
    toolchain: str
    variant: str
    parameters: dict[str, Any]
    files: list[RecordedFile]


def record_text(
    toolchain: str, variant: str, parameters: Mapping[str, Any], files: Iterable[RecordedFile]
) -> str:
    """Return the content of the record."""
    record = ScaffoldRecord(
        toolchain=toolchain,
        variant=variant,
        parameters=dict(sorted(parameters.items())),
        files=sorted(files, key=lambda file: file.path),
    )
    return json.dumps(record.model_dump(), indent=2, ensure_ascii=False) + "\n"


def merge_record(earlier: bytes, text: str) -> str | None:
    """Return a record with the other files of an earlier record, or None if the earlier one is invalid."""
    try:
        before = ScaffoldRecord.model_validate_json(earlier)
    except ValidationError:
        return None
    now = ScaffoldRecord.model_validate_json(text)
    generated = {file.path for file in now.files}
    others = [file for file in before.files if file.path not in generated]
    parameters = {**before.parameters, **now.parameters}
    return record_text(now.toolchain, now.variant, parameters, [*others, *now.files])


@dataclass(frozen=True)
class ScaffoldRequest:
    """What to scaffold. Each of `names` is a category, an address of a template, or `ALL`."""

    toolchain: str
    variant: str
    names: Sequence[str]
    parameters: Mapping[str, Any]


class ScaffoldedFile(Output):
    """One generated file."""

    path: UntrustedText = Field(description="Path of the file in the project.")
    content: UntrustedText
    checksum: str = Field(description="SHA-256 of the content.")
    template: str | None = Field(description="URI of the template; null for the record of the scaffold.")

    @classmethod
    def of(cls, file: RenderedFile, template: str | None) -> Self:
        return cls(path=file.path, content=file.content, checksum=file.checksum, template=template)


class ScaffoldError(Output):
    """One template that failed."""

    template: UntrustedText = Field(description="The template, as it was requested.")
    code: int = Field(description="The error code.")
    message: UntrustedText


@dataclass(frozen=True)
class Scaffold:
    """The generated files, and errors."""

    files: list[ScaffoldedFile]
    errors: list[ScaffoldError]


def scaffold(room: Templates, request: ScaffoldRequest) -> Scaffold:
    """Generate the requested files and their record."""
    requested: list[tuple[str, Template]] = []
    errors: list[ScaffoldError] = []
    for name in dict.fromkeys(request.names):
        try:
            requested += [(name, template) for template in _templates_for(room, request, name)]
        except HoldfastError as failure:
            errors.append(_error(name, failure))
    _refuse_unknown_parameters(room, request, [template for _, template in requested])
    rendered: dict[str, tuple[Template, RenderedFile]] = {}
    for name, template in requested:
        try:
            _add_file(rendered, template, room.generate(template, template.select(request.parameters)))
        except HoldfastError as failure:
            errors.append(_error(template.address.uri if name == ALL else name, failure))
    return Scaffold(list(_scaffolded_files(request, rendered)), errors)


def _templates_for(room: Templates, request: ScaffoldRequest, name: str) -> list[Template]:
    """Return the templates for a name in the request: a category, an address or `all`."""
    if name == ALL:
        return _all_templates(room, request)
    if name.startswith(SCHEME):
        return [room.find(name)]
    category, _, variant = name.partition("/")
    return [room.catalogue.find(TemplateAddress.of(category, request.toolchain, variant or request.variant))]


def _all_templates(room: Templates, request: ScaffoldRequest) -> list[Template]:
    templates = room.catalogue.matching()
    wanted = (request.toolchain, request.variant)
    fitting = [item for item in templates if (item.address.toolchain, item.address.variant) == wanted]
    if not fitting:
        toolchains = {item.address.toolchain for item in templates}
        variants = {item.address.variant for item in templates}
        if request.toolchain in toolchains:
            hint = did_you_mean(request.variant, variants)
        else:
            hint = did_you_mean(request.toolchain, toolchains)
        raise TemplateNotFound(
            f"There is no template for {request.toolchain!a} and {request.variant!a}.", hint=hint
        )
    return [template for template in fitting if _is_included(template, request.parameters)]


def _is_included(template: Template, given: Mapping[str, Any]) -> bool:
    condition = template.metadata.only_if
    if condition is None:
        return True
    default = next(item.default for item in template.parameters if item.name == condition)
    return given.get(condition, default) is not False


def _refuse_unknown_parameters(
    room: Templates, request: ScaffoldRequest, requested: Sequence[Template]
) -> None:
    """Refuse a parameter that no template takes, neither a requested one nor another of the toolchain."""
    templates = [*room.catalogue.matching(toolchain=request.toolchain), *requested]
    declared = {parameter.name: parameter for template in templates for parameter in template.parameters}
    unknown = {name: value for name, value in request.parameters.items() if name not in declared}
    if requested and unknown:
        problems = find_problems(declared.values(), unknown)
        raise validation_error(
            "the scaffold", [problem for problem in problems if problem.field not in declared]
        )


def _add_file(
    rendered: dict[str, tuple[Template, RenderedFile]], template: Template, file: RenderedFile
) -> None:
    if file.path in rendered or file.path == RECORD_PATH:
        raise TemplateBroken(f"{template.address} would overwrite '{file.path}' of another template.")
    size = sum(len(other.content) for _, other in rendered.values()) + len(file.content)
    if size > LIMITS.scaffold_bytes:
        raise TooLarge(
            f"The scaffold is larger than {LIMITS.scaffold_bytes} characters.",
            hint="Request fewer templates.",
            limit=LIMITS.scaffold_bytes,
        )
    rendered[file.path] = template, file


def _scaffolded_files(
    request: ScaffoldRequest, rendered: Mapping[str, tuple[Template, RenderedFile]]
) -> Iterator[ScaffoldedFile]:
    for template, file in rendered.values():
        yield ScaffoldedFile.of(file, template.address.uri)
    if rendered:
        recorded = [
            RecordedFile(
                path=file.path, template=template.address.uri, template_version=template.metadata.version,
                template_digest=template.definition.digest, checksum=file.checksum,
            )
            for template, file in rendered.values()
        ]  # fmt: skip
        text = record_text(request.toolchain, request.variant, request.parameters, recorded)
        yield ScaffoldedFile.of(RenderedFile(RECORD_PATH, text), None)


def _error(name: str, failure: HoldfastError) -> ScaffoldError:
    code = handshake_code(toolset.family, failure)
    number = failure.number if code is None else code
    return ScaffoldError(template=name, code=number, message=failure.sentence())


def error_lines(errors: Sequence[ScaffoldError]) -> list[str]:
    """Return a line for each error, which names commands instead of tools."""
    lines = []
    for error in errors:
        message = error.message.removeprefix(f"Parameter validation failed for {error.template}: ")
        message = message.replace("list_templates", "`holdfast templates list`")
        lines.append(f"{error.template}: {message}")
    return lines
