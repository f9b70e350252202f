"""The file format of templates: metadata in TOML between two lines of `+++`, then the text in Jinja2.

Contract: built-in templates and those of users and repositories are read by the same code and held to the
same rules. What breaks a rule is refused with the rule's name and the file's; it never counts half.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from holdfast.templates.address import NAME_PATTERN
from holdfast.templates.errors import TemplateBroken
from holdfast.templates.formats import FORMATS, compiled

FENCE = "+++"
SUFFIX = ".template"

Name = Annotated[str, Field(pattern=f"^{NAME_PATTERN}$", max_length=40)]
Line = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]+$")]
Value = bool | str | list[str]

_PYTHON_TYPES: dict[str, type] = {"string": str, "boolean": bool, "array": list}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Parameter(_Strict):
    """One value that a template takes."""

    name: str = Field(pattern="^[a-z][a-z0-9_]{0,39}$", description="How the text refers to it.")
    type: Literal["string", "boolean", "array"] = Field(description="An array holds strings.")
    description: Line = Field(description="What it is for, in a few words.")
    required: bool = Field(default=False, description="Whether it must be given.")
    default: Value | None = Field(default=None, description="What it is when it is not given.")
    format: str | None = Field(default=None, description="A named form that each text must have.")
    pattern: str | None = Field(default=None, max_length=500, description="An RE2 pattern for each text.")
    choices: list[str] | None = Field(default=None, min_length=1, description="The only texts allowed.")
    variants: list[Name] | None = Field(
        default=None, min_length=1, description="The only variants that take it; all when left out."
    )
    multiline: bool = Field(default=False, description="Whether a text may have several lines.")

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f'there is no format "{self.format}"; there are {", ".join(FORMATS)}')
        if self.type == "boolean" and (self.format or self.pattern or self.choices or self.multiline):
            raise ValueError("format, pattern, choices and multiline are for texts")
        if self.pattern is not None:
            compiled(self.pattern)
        if self.required and self.default is not None:
            raise ValueError("what is required has no default")
        if self.default is not None and not isinstance(self.default, _PYTHON_TYPES[self.type]):
            raise ValueError(f"the default is not a value of type {self.type}")
        return self


class Placed(_Strict):
    """One address under which a template is found."""

    toolchain: Name
    variant: Name
    name: Line
    description: Line


class Metadata(_Strict):
    """What stands between the two lines of `+++`."""

    category: Name = Field(description="What kind of file it gives, such as makefile.")
    path: Line = Field(description="Where the file belongs in the project; may use parameters.")
    mime_type: str = Field(default="text/plain", pattern="^[a-z]+/[a-z0-9.+-]+$")
    version: str = Field(default="1.0.0", pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")
    only_if: str | None = Field(
        default=None, description="A boolean parameter; when it is false, `all` leaves the template out."
    )
    addresses: list[Placed] = Field(min_length=1)
    parameters: list[Parameter] = Field(default_factory=list)

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [parameter.name for parameter in self.parameters]
        reserved = {"toolchain", "variant"} & set(names)
        if len(set(names)) < len(names) or reserved:
            raise ValueError("two parameters share a name, or one is called toolchain or variant")
        places = [(place.toolchain, place.variant) for place in self.addresses]
        if len(set(places)) < len(places):
            raise ValueError("two addresses are the same")
        booleans = [parameter.name for parameter in self.parameters if parameter.type == "boolean"]
        if self.only_if is not None and self.only_if not in booleans:
            raise ValueError("only_if must name a boolean parameter of the template")
        return self


@dataclass(frozen=True)
class Definition:
    """A template as its file defines it."""

    metadata: Metadata
    body: str
    digest: str


def parsed(file: str, content: bytes) -> Definition:
    """Return the template that a file defines, or raise saying which rule it breaks."""
    try:
        text = content.decode()
        head, body = _split(text)
        metadata = Metadata.model_validate(tomllib.loads(head))
    except (ValidationError, ValueError) as failure:
        raise TemplateBroken(
            f"'{file}' is not a template: {_reason(failure)}.",
            hint="docs/templates.md describes the format.",
            path=file,
        ) from None
    return Definition(metadata=metadata, body=body, digest=hashlib.sha256(content).hexdigest())


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
