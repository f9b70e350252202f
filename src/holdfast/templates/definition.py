"""The file format of templates: metadata in TOML between two lines of `+++`, then the body in Jinja2.

A parameter may require a format, so that its text is safe where it is inserted, such as in a make recipe, a
line of TOML or a shell command. Patterns match the whole text, in linear time.

Contract: the same code and rules apply to built-in templates and to those of users and repositories. A file
that breaks a rule is refused as a whole, with the rule and the file name.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from holdfast.storage.files.foreign_document import parse_toml
from holdfast.templates.address import MAX_NAME_CHARACTERS, NAME_PATTERN
from holdfast.templates.errors import TemplateBroken

FENCE = "+++"
SUFFIX = ".template"

_MAX_PATTERN_BYTES = 1 << 20
"""Memory for a compiled untrusted pattern; a judgement: RE2's own default is 8 MiB."""
_RESERVED_WORDS = (
    "abstract alloc as async await become box break build case chan class const continue core crate debugger"
    " default defer delete deps do dyn else enum examples export extends extern fallthrough final fn for func"
    " function go goto if impl import in incremental instanceof interface internal let loop macro main map"
    " match mod move mut new null override package priv proc_macro pub range ref return select self static"
    " std struct super switch test this throw trait true try type typeof union unsafe unsized use var vendor"
    " virtual void where while with yield"
)
_COMPILER_RESERVED = frozenset(_RESERVED_WORDS.split())
_PYTHON_RESERVED = frozenset(
    word.lower() for word in (*keyword.kwlist, *sys.stdlib_module_names, "pytest", "tests")
)


@dataclass(frozen=True)
class TextFormat:
    """A named format for the text of a parameter."""

    pattern: str
    description: str
    reserved: frozenset[str] = field(default=frozenset())

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII)

    def problem(self, text: str) -> str | None:
        """Return the problem with `text`, or None."""
        if self._compiled.fullmatch(text) is None:
            return f"must be {self.description}"
        if text.lower().replace("-", "_") in self.reserved:
            return "is reserved by a compiler or the standard library; choose another"
        return None


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Any:
    """Compile an untrusted pattern with RE2, which matches in linear time, or raise `ValueError`."""
    import re2  # type: ignore[import-untyped]  # imported here because few templates have a pattern

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_PATTERN_BYTES
    try:
        return re2.compile(pattern, options)
    except re2.error:
        raise ValueError("the pattern is not valid in RE2") from None


_PROJECT_NAME = "1 to 64 letters, digits, hyphens and underscores, starting with a letter"

FORMATS: Mapping[str, TextFormat] = MappingProxyType(
    {
        "project-name": TextFormat(r"[A-Za-z][A-Za-z0-9_-]{0,63}", _PROJECT_NAME, _COMPILER_RESERVED),
        "python-project-name": TextFormat(
            r"[A-Za-z](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?",
            f"{_PROJECT_NAME} and ending with a letter or digit",
            _COMPILER_RESERVED | _PYTHON_RESERVED,
        ),
        "identifier": TextFormat(
            r"[A-Za-z_][A-Za-z0-9_]{0,63}",
            "a name of letters, digits and underscores",
            frozenset(word.lower() for word in keyword.kwlist),
        ),
        "version": TextFormat(r"[0-9]+(?:\.[0-9]+){0,3}", "a version of numbers and dots, such as 1.75"),
        "file-name": TextFormat(
            r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}",
            "the name of a file: letters, digits, dots, hyphens and underscores, no slash",
        ),
        "word": TextFormat(r"[A-Za-z0-9_.+-]{1,100}", "one word of letters, digits and . _ + -"),
        "feature": TextFormat(r"[A-Za-z0-9_][A-Za-z0-9_+./?-]{0,99}", "the name of a feature"),
        "permission": TextFormat(
            r"--?[A-Za-z][A-Za-z-]{0,39}(?:=[A-Za-z0-9_./:,-]{1,200})?",
            "an option such as --allow-read or --allow-net=example.org",
        ),
        "arguments": TextFormat(
            r"[A-Za-z0-9 _./:=,@%+-]{1,500}",
            "arguments without quotes, $ and other characters special to a shell or make",
        ),
        "module-path": TextFormat(
            r"[A-Za-z0-9_][A-Za-z0-9_.~-]{0,99}(?:/[A-Za-z0-9_.~-]{1,100}){0,9}",
            "a module path such as example.org/team/project",
        ),
        "year": TextFormat(r"[0-9]{4}(?:-[0-9]{4})?", "a year or two with a hyphen, such as 2024-2026"),
    }
)

Name = Annotated[str, Field(pattern=f"^{NAME_PATTERN}$", max_length=MAX_NAME_CHARACTERS)]
Line = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]+$")]
Value = bool | str | list[str]

_PYTHON_TYPES: dict[str, type] = {"string": str, "boolean": bool, "array": list}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Parameter(_Strict):
    """One value that a template takes."""

    name: str = Field(pattern="^[a-z][a-z0-9_]{0,39}$", description="Name of the parameter in the body.")
    type: Literal["string", "boolean", "array"] = Field(
        description="Type of the value; an array has strings."
    )
    description: Line = Field(description="Purpose of the parameter, in a few words.")
    required: bool = Field(default=False, description="Whether it is required.")
    default: Value | None = Field(default=None, description="Value if none is given.")
    format: str | None = Field(default=None, description="A named format for each text.")
    pattern: str | None = Field(default=None, max_length=500, description="An RE2 pattern for each text.")
    choices: list[str] | None = Field(default=None, min_length=1, description="The only texts allowed.")
    variants: list[Name] | None = Field(
        default=None, min_length=1, description="The only variants that take it; default: all."
    )
    multiline: bool = Field(default=False, description="Whether a text may have several lines.")

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f'unknown format "{self.format}"; the formats are {", ".join(FORMATS)}')
        if self.type == "boolean" and (self.format or self.pattern or self.choices or self.multiline):
            raise ValueError("format, pattern, choices and multiline are for texts")
        if self.pattern is not None:
            compile_pattern(self.pattern)
        if self.required and self.default is not None:
            raise ValueError("a required parameter has no default")
        if self.default is not None and not isinstance(self.default, _PYTHON_TYPES[self.type]):
            raise ValueError(f"the default is not a value of type {self.type}")
        return self


class DeclaredAddress(_Strict):
    """One address of a template, with its title and description there."""

    toolchain: Name
    variant: Name
    name: Line
    description: Line


class TemplateMetadata(_Strict):
    """The metadata between the two lines of `+++`."""

    category: Name = Field(description="The kind of file it generates, such as makefile.")
    path: Line = Field(description="The path of the file in the project; may use parameters.")
    mime_type: str = Field(default="text/plain", pattern="^[a-z]+/[a-z0-9.+-]+$")
    version: str = Field(default="1.0.0", pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")
    only_if: str | None = Field(
        default=None, description="A boolean parameter; if it is false, `all` omits the template."
    )
    addresses: list[DeclaredAddress] = Field(min_length=1)
    parameters: list[Parameter] = Field(default_factory=list)

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [parameter.name for parameter in self.parameters]
        reserved = {"toolchain", "variant"} & set(names)
        if len(set(names)) < len(names) or reserved:
            raise ValueError("two parameters share a name, or one is called toolchain or variant")
        addresses = [(address.toolchain, address.variant) for address in self.addresses]
        if len(set(addresses)) < len(addresses):
            raise ValueError("two addresses are the same")
        booleans = [parameter.name for parameter in self.parameters if parameter.type == "boolean"]
        if self.only_if is not None and self.only_if not in booleans:
            raise ValueError("only_if must name a boolean parameter of the template")
        return self


@dataclass(frozen=True)
class TemplateDefinition:
    """A template as its file defines it."""

    metadata: TemplateMetadata
    body: str
    digest: str
    """The SHA-256 of the template's file."""


def parse_template(file: str, content: bytes) -> TemplateDefinition:
    """Parse a template file, or raise `TemplateBroken` with the rule that it breaks."""
    try:
        text = content.decode()
        head, body = _split(text)
        metadata = TemplateMetadata.model_validate(parse_toml(head))
    except (ValidationError, ValueError) as failure:
        raise TemplateBroken(
            f"'{file}' is not a template: {_reason(failure)}.",
            hint="docs/templates.md describes the format.",
            path=file,
        ) from None
    return TemplateDefinition(metadata=metadata, body=body, digest=hashlib.sha256(content).hexdigest())


def _split(text: str) -> tuple[str, str]:
    opening, _, rest = text.replace("\r\n", "\n").partition("\n")
    head, fence, body = rest.partition(f"\n{FENCE}\n")
    if opening != FENCE or not fence:
        raise ValueError(f'it does not begin with metadata between two lines of "{FENCE}"')
    return head, body


def _reason(failure: ValueError) -> str:
    if isinstance(failure, UnicodeDecodeError):
        return "it is not UTF-8"
    if not isinstance(failure, ValidationError):
        return str(failure)
    first = failure.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message}" if where else message
