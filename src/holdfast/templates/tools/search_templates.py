"""`search_templates`: the templates that answer a query, how well, and why.

The score of a phrase is the specification's: 10 when it is the name, 5 when the name contains it, 3 when the
description does, 1 for each parameter whose name does. A query of several words that no template contains as
a phrase counts by word: 3 for the name or the address, 1 for the description or a parameter, and every word
must be somewhere. Letters count the same in both sizes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from holdfast.kernel.models import ExpectedFormat, Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.templates.catalogue import Templates
from holdfast.templates.template import NAME_CHARACTERS, ListedTemplate, Template, array
from holdfast.templates.toolset import templates

_EXACT, _NAME, _DESCRIPTION, _PARAMETER = 10, 5, 3, 1
_WORD_IN_NAME, _WORD_ELSEWHERE = 3, 1


class SearchTemplates(Input):
    """What to look for."""

    query: Annotated[str, ExpectedFormat("a query that says something")] = Field(
        min_length=1, max_length=NAME_CHARACTERS, pattern=r"\S", description="Search query."
    )
    toolchain: str | None = Field(
        default=None, max_length=NAME_CHARACTERS, description="Only this toolchain, such as rust."
    )


@dataclass(frozen=True)
class TemplateHit:
    """A template that answers a query."""

    template: Template
    relevance: int
    matches: list[str]


class FoundTemplate(ListedTemplate):
    """A template that answers a query."""

    relevance: int = Field(description="How well it answers; higher is better.")
    matches: list[UntrustedText] = Field(description="Where the query was found.")


class SearchResult(Output):
    """Templates that answer a query, best first."""

    templates: list[FoundTemplate]
    query: UntrustedText
    count: int


def search(templates: Iterable[Template], query: str) -> list[TemplateHit]:
    """Return the templates that answer a query, best first; equals stay in the order they came in."""
    wanted = " ".join(query.lower().split())
    known = list(templates)
    hits = [_phrase(template, wanted) for template in known]
    if not any(hit.relevance for hit in hits):
        hits = [_words(template, wanted.split()) for template in known]
    return sorted((hit for hit in hits if hit.relevance), key=lambda hit: -hit.relevance)


def _phrase(template: Template, wanted: str) -> TemplateHit:
    name, description = template.place.name.lower(), template.place.description.lower()
    score, matches = 0, []
    if wanted in name:
        score += _EXACT if wanted == name else _NAME
        matches.append(f"name: {template.place.name}")
    if wanted in description:
        score += _DESCRIPTION
        matches.append("description")
    named = [parameter.name for parameter in template.parameters if wanted in parameter.name]
    matches += [f"parameter: {name}" for name in named]
    return TemplateHit(template, score + _PARAMETER * len(named), matches)


def _words(template: Template, words: list[str]) -> TemplateHit:
    score, matches = 0, []
    for word in words:
        place = _place_of(template, word)
        if place is None:
            return TemplateHit(template, 0, [])
        score += _WORD_IN_NAME if place in ("name", "address") else _WORD_ELSEWHERE
        matches.append(f"{place}: {word}")
    return TemplateHit(template, score, matches)


def _place_of(template: Template, word: str) -> str | None:
    if word in template.place.name.lower():
        return "name"
    if word in template.address.uri:
        return "address"
    if word in template.place.description.lower():
        return "description"
    return "parameter" if any(word in parameter.name for parameter in template.parameters) else None


def found(result: SearchResult) -> str:
    """Return what was found, for a person."""
    if not result.templates:
        return "No template matches."
    return "\n".join(
        f"{hit.relevance:>3}  {hit.uri}  {hit.name}  ({', '.join(hit.matches)})" for hit in result.templates
    )


@templates.operation(
    "search_templates",
    title="Search templates",
    effect=Effect.READ,
    listed=False,
    command="search",
    positional=("query",),
    example="holdfast templates search makefile --toolchain rust",
    specified=True,
    text=lambda result: array(result.templates),
    command_text=found,
)
def search_templates(room: Templates, args: SearchTemplates) -> SearchResult:
    """Search templates by name, description and parameters; best first, with what matched."""
    hits = search(room.catalogue.matching(args.toolchain), args.query)
    found = [FoundTemplate.of(hit.template, relevance=hit.relevance, matches=hit.matches) for hit in hits]
    return SearchResult(templates=found, query=args.query, count=len(hits))
