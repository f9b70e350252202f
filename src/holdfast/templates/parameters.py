"""The one validator: what `validate_template` reports is what `generate_template` refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.suggest import did_you_mean
from holdfast.kernel.untrusted import visible
from holdfast.templates.definition import Parameter, Value
from holdfast.templates.errors import ParameterValidation
from holdfast.templates.formats import FORMATS, compiled

Values = Mapping[str, Value | None]

_KINDS = {"string": "a text", "boolean": "true or false", "array": "a list of texts"}


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with one parameter."""

    field: str
    message: str


def problems(declared: Iterable[Parameter], given: Mapping[str, Any]) -> list[Problem]:
    """Return everything that is wrong with the given parameters, in the order they were declared."""
    found: list[Problem] = []
    known: list[str] = []
    for parameter in declared:
        known.append(parameter.name)
        if parameter.name in given:
            found += _of_value(parameter, given[parameter.name])
        elif parameter.required:
            found.append(Problem(parameter.name, "Required parameter missing"))
    return found + [_unknown(name, known) for name in given if name not in known]


def filled(declared: Iterable[Parameter], given: Mapping[str, Any]) -> Values:
    """Return a value for every declared parameter: the given one, its default, or None."""
    return {parameter.name: given.get(parameter.name, parameter.default) for parameter in declared}


def refusal(subject: str, found: list[Problem]) -> ParameterValidation:
    """Return the failure that tells all of the problems."""
    told = "; ".join(f"{problem.field}: {problem.message}" for problem in found)
    return ParameterValidation(
        f"Parameter validation failed for {subject}: {told}.",
        hint="list_templates shows what each template takes.",
        errors=[{"field": problem.field, "message": problem.message} for problem in found],
    )


def _of_value(parameter: Parameter, value: Any) -> list[Problem]:
    if parameter.type == "boolean":
        return [] if isinstance(value, bool) else [_wrong_type(parameter)]
    if not isinstance(value, list if parameter.type == "array" else str):
        return [_wrong_type(parameter)]
    return _of_texts(parameter, value if isinstance(value, list) else [value])


def _of_texts(parameter: Parameter, texts: list[Any]) -> list[Problem]:
    """Return the first problem of a list; the others are likely the same."""
    if len(texts) > LIMITS.parameter_items:
        return [Problem(parameter.name, f"Has more than {LIMITS.parameter_items} items")]
    for text in texts:
        if not isinstance(text, str):
            return [_wrong_type(parameter)]
        problem = _of_text(parameter, text)
        if problem is not None:
            return [Problem(parameter.name, problem)]
    return []


def _of_text(parameter: Parameter, text: str) -> str | None:
    if len(text) > LIMITS.parameter_characters:
        return f"Has more than {LIMITS.parameter_characters} characters"
    if not parameter.multiline and not text.isprintable() and any(mark in text for mark in "\n\r\t\x0b\x0c"):
        return "Must be a single line"
    if visible(text) != text:
        return "Has a character that nobody can see"
    if parameter.choices is not None and text not in parameter.choices:
        return f"Must be one of {', '.join(parameter.choices)}"
    if parameter.format is not None and (problem := FORMATS[parameter.format].problem(text)):
        return problem[:1].upper() + problem[1:]
    if parameter.pattern is not None and not _matches(parameter.pattern, text):
        return f"Does not match pattern: {parameter.pattern}"
    return None


def _wrong_type(parameter: Parameter) -> Problem:
    return Problem(parameter.name, f"Must be {_KINDS[parameter.type]}")


def _unknown(name: str, known: Iterable[str]) -> Problem:
    # The name is the caller's; it is shown escaped and cut.
    return Problem(ascii(name[:40])[1:-1], f"Unknown parameter. {did_you_mean(name[:40], known)}".rstrip("."))


def _matches(pattern: str, text: str) -> bool:
    return compiled(pattern).fullmatch(text) is not None
