"""Several templates of one toolchain, filled from one set of parameters.

Contract: what cannot be generated is an entry among the errors, never left out without a word; the rest is
generated. Nothing is written anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.kernel.codes import handshake_code
from holdfast.kernel.errors import HoldfastError, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.suggest import did_you_mean
from holdfast.templates.address import SCHEME, Address
from holdfast.templates.errors import TemplateBroken, TemplateNotFound
from holdfast.templates.parameters import problems, refusal
from holdfast.templates.provenance import RECORD_PATH, RecordedFile, record_text
from holdfast.templates.rendering import RenderedFile
from holdfast.templates.store import Templates
from holdfast.templates.template import Template
from holdfast.templates.toolset import templates as toolset

ALL = "all"


@dataclass(frozen=True)
class Request:
    """What to scaffold."""

    toolchain: str
    variant: str
    names: Sequence[str]
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class GeneratedFile:
    """A file and the template it came from; the record comes from none."""

    file: RenderedFile
    template: str | None


@dataclass(frozen=True)
class Missed:
    """A template that could not be used."""

    template: str
    code: int
    message: str


@dataclass(frozen=True)
class Scaffold:
    """What came out."""

    files: list[GeneratedFile]
    errors: list[Missed]


def scaffold(room: Templates, request: Request) -> Scaffold:
    """Generate the requested files, and the record of them."""
    found: list[tuple[str, Template]] = []
    errors: list[Missed] = []
    for name in dict.fromkeys(request.names):
        try:
            found += [(name, template) for template in _named(room, request, name)]
        except HoldfastError as failure:
            errors.append(_missed(name, failure))
    _refuse_unknown_parameters(room, request, [template for _, template in found])
    made: dict[str, tuple[Template, RenderedFile]] = {}
    for name, template in found:
        try:
            _add(made, template, room.generate(template, template.own(request.parameters)))
        except HoldfastError as failure:
            errors.append(_missed(template.address.uri if name == ALL else name, failure))
    return Scaffold(list(_files(request, made)), errors)


def _named(room: Templates, request: Request, name: str) -> list[Template]:
    """Return the templates a name stands for: a category, an address, or `all`."""
    if name == ALL:
        return _every(room, request)
    if name.startswith(SCHEME):
        return [room.find(name)]
    category, _, variant = name.partition("/")
    return [room.catalogue.find(Address.of(category, request.toolchain, variant or request.variant))]


def _every(room: Templates, request: Request) -> list[Template]:
    everything = room.catalogue.matching()
    every = [item for item in everything if _is_of(item, request.toolchain, request.variant)]
    if not every:
        toolchains = {item.address.toolchain for item in everything}
        variants = {item.address.variant for item in everything}
        typed, known = (
            (request.variant, variants)
            if request.toolchain in toolchains
            else (request.toolchain, toolchains)
        )
        raise TemplateNotFound(
            f"There is no template for {request.toolchain!a} and {request.variant!a}.",
            hint=did_you_mean(typed, known),
        )
    return [template for template in every if _is_wanted(template, request.parameters)]


def _is_of(template: Template, toolchain: str, variant: str) -> bool:
    return (template.address.toolchain, template.address.variant) == (toolchain, variant)


def _is_wanted(template: Template, given: Mapping[str, Any]) -> bool:
    condition = template.metadata.only_if
    if condition is None:
        return True
    default = next(item.default for item in template.parameters if item.name == condition)
    return given.get(condition, default) is not False


def _refuse_unknown_parameters(room: Templates, request: Request, found: Sequence[Template]) -> None:
    """Raise for a parameter that no template of the toolchain takes; one set may serve several scaffolds."""
    known = [*room.catalogue.matching(toolchain=request.toolchain), *found]
    declared = {parameter.name: parameter for template in known for parameter in template.parameters}
    unknown = {name: value for name, value in request.parameters.items() if name not in declared}
    if found and unknown:
        told = problems(declared.values(), unknown)
        raise refusal("the scaffold", [problem for problem in told if problem.field not in declared])


def _add(made: dict[str, tuple[Template, RenderedFile]], template: Template, file: RenderedFile) -> None:
    if file.path in made or file.path == RECORD_PATH:
        raise TemplateBroken(f"{template.address} would write '{file.path}', which is taken.")
    size = sum(len(other.content) for _, other in made.values()) + len(file.content)
    if size > LIMITS.scaffold_bytes:
        raise TooLarge(
            f"The scaffold is larger than {LIMITS.scaffold_bytes} characters.",
            hint="Ask for fewer templates.",
            limit=LIMITS.scaffold_bytes,
        )
    made[file.path] = template, file


def _files(request: Request, made: Mapping[str, tuple[Template, RenderedFile]]) -> Iterator[GeneratedFile]:
    for template, file in made.values():
        yield GeneratedFile(file, template.address.uri)
    if made:
        recorded = [_recorded(template, file) for template, file in made.values()]
        text = record_text(request.toolchain, request.variant, request.parameters, recorded)
        yield GeneratedFile(RenderedFile(RECORD_PATH, text), None)


def _recorded(template: Template, file: RenderedFile) -> RecordedFile:
    return RecordedFile(
        path=file.path,
        template=template.address.uri,
        template_version=template.metadata.version,
        template_digest=template.digest,
        checksum=file.checksum,
    )


def _missed(name: str, failure: HoldfastError) -> Missed:
    code = handshake_code(toolset.family, failure)
    return Missed(name, failure.number if code is None else code, failure.sentence())
