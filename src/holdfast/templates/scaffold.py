"""Generates several files of one toolchain from shared parameters.

Contract: each template that fails is reported among the errors; the others are generated. Nothing is written
to disk.

The record of a scaffold is one of the project's files. Its checksums show which files changed since.
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
from holdfast.templates.template import Template, problems, refusal
from holdfast.templates.toolset import templates as toolset

RECORD_PATH = ".scaffold.json"

_FORMAT: Literal[1] = 1


class RecordedFile(BaseModel):
    """One file of a scaffold."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    path: str
    template: str
    template_version: str
    template_digest: str = Field(description="SHA-256 of the template's file.")
    checksum: str = Field(description="SHA-256 of the generated file.")


class ScaffoldRecord(BaseModel):
    """What a scaffold was generated from. It is deterministic: it has no time and no machine."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    format: Literal[1] = _FORMAT
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


def merged_record(earlier: bytes, text: str) -> str | None:
    """Return a record that keeps the other files of an earlier one, or None if that is invalid."""
    try:
        before = ScaffoldRecord.model_validate_json(earlier)
    except ValidationError:
        return None
    now = ScaffoldRecord.model_validate_json(text)
    generated = {file.path for file in now.files}
    others = [file for file in before.files if file.path not in generated]
    parameters = {**before.parameters, **now.parameters}
    return record_text(now.toolchain, now.variant, parameters, [*others, *now.files])


ALL = "all"


@dataclass(frozen=True)
class ScaffoldRequest:
    """What to scaffold."""

    toolchain: str
    variant: str
    names: Sequence[str]
    parameters: Mapping[str, Any]


class ScaffoldedFile(Output):
    """One generated file."""

    path: UntrustedText = Field(description="Its path in the project.")
    content: UntrustedText
    checksum: str = Field(description="SHA-256 of the content.")
    template: str | None = Field(description="Its template; null for the record of the scaffold.")

    @classmethod
    def of(cls, file: RenderedFile, template: str | None) -> Self:
        """Convert a rendered file."""
        return cls(path=file.path, content=file.content, checksum=file.checksum, template=template)


class ScaffoldError(Output):
    """One template that failed."""

    template: UntrustedText = Field(description="As requested.")
    code: int = Field(description="The error code.")
    message: UntrustedText


@dataclass(frozen=True)
class Scaffold:
    """The generated files, and errors."""

    files: list[ScaffoldedFile]
    errors: list[ScaffoldError]


def scaffold(room: Templates, request: ScaffoldRequest) -> Scaffold:
    """Generate the requested files and their record."""
    found: list[tuple[str, Template]] = []
    errors: list[ScaffoldError] = []
    for name in dict.fromkeys(request.names):
        try:
            found += [(name, template) for template in _named(room, request, name)]
        except HoldfastError as failure:
            errors.append(_error(name, failure))
    _refuse_unknown_parameters(room, request, [template for _, template in found])
    made: dict[str, tuple[Template, RenderedFile]] = {}
    for name, template in found:
        try:
            _add(made, template, room.generate(template, template.select(request.parameters)))
        except HoldfastError as failure:
            errors.append(_error(template.address.uri if name == ALL else name, failure))
    return Scaffold(list(_files(request, made)), errors)


def _named(room: Templates, request: ScaffoldRequest, name: str) -> list[Template]:
    """Return the templates for a category, an address or `all`."""
    if name == ALL:
        return _every(room, request)
    if name.startswith(SCHEME):
        return [room.find(name)]
    category, _, variant = name.partition("/")
    return [room.catalogue.find(TemplateAddress.of(category, request.toolchain, variant or request.variant))]


def _every(room: Templates, request: ScaffoldRequest) -> list[Template]:
    everything = room.catalogue.matching()
    wanted = (request.toolchain, request.variant)
    every = [item for item in everything if (item.address.toolchain, item.address.variant) == wanted]
    if not every:
        typed, known = request.toolchain, {item.address.toolchain for item in everything}
        if typed in known:
            typed, known = request.variant, {item.address.variant for item in everything}
        raise TemplateNotFound(
            f"There is no template for {request.toolchain!a} and {request.variant!a}.",
            hint=did_you_mean(typed, known),
        )
    return [template for template in every if _is_wanted(template, request.parameters)]


def _is_wanted(template: Template, given: Mapping[str, Any]) -> bool:
    condition = template.metadata.only_if
    if condition is None:
        return True
    default = next(item.default for item in template.parameters if item.name == condition)
    return given.get(condition, default) is not False


def _refuse_unknown_parameters(room: Templates, request: ScaffoldRequest, found: Sequence[Template]) -> None:
    """Refuse a parameter that no template of the toolchain takes; one set may serve several scaffolds."""
    known = [*room.catalogue.matching(toolchain=request.toolchain), *found]
    declared = {parameter.name: parameter for template in known for parameter in template.parameters}
    unknown = {name: value for name, value in request.parameters.items() if name not in declared}
    if found and unknown:
        found_problems = problems(declared.values(), unknown)
        raise refusal(
            "the scaffold", [problem for problem in found_problems if problem.field not in declared]
        )


def _add(made: dict[str, tuple[Template, RenderedFile]], template: Template, file: RenderedFile) -> None:
    if file.path in made or file.path == RECORD_PATH:
        raise TemplateBroken(f"{template.address} would overwrite '{file.path}' of another template.")
    size = sum(len(other.content) for _, other in made.values()) + len(file.content)
    if size > LIMITS.scaffold_bytes:
        raise TooLarge(
            f"The scaffold is larger than {LIMITS.scaffold_bytes} characters.",
            hint="Ask for fewer templates.",
            limit=LIMITS.scaffold_bytes,
        )
    made[file.path] = template, file


def _files(
    request: ScaffoldRequest, made: Mapping[str, tuple[Template, RenderedFile]]
) -> Iterator[ScaffoldedFile]:
    for template, file in made.values():
        yield ScaffoldedFile.of(file, template.address.uri)
    if made:
        recorded = [
            RecordedFile(
                path=file.path, template=template.address.uri, template_version=template.metadata.version,
                template_digest=template.definition.digest, checksum=file.checksum,
            )
            for template, file in made.values()
        ]  # fmt: skip
        text = record_text(request.toolchain, request.variant, request.parameters, recorded)
        yield ScaffoldedFile.of(RenderedFile(RECORD_PATH, text), None)


def _error(name: str, failure: HoldfastError) -> ScaffoldError:
    code = handshake_code(toolset.family, failure)
    number = failure.number if code is None else code
    return ScaffoldError(template=name, code=number, message=failure.sentence())


def error_lines(errors: Sequence[ScaffoldError]) -> list[str]:
    """Return a line for each error, in the vocabulary of the command line."""
    prefix = "Parameter validation failed for {}: "
    messages = [
        (error.template, error.message.removeprefix(prefix.format(error.template))) for error in errors
    ]
    return [f"{name}: {why.replace('list_templates', '`holdfast templates list`')}" for name, why in messages]
