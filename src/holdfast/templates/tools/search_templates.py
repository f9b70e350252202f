"""`search_templates`: the templates that match a query, with a score and the fields that matched.

The toolkit specification defines the score of a phrase: 10 if it equals the name, 5 if the name contains it,
3 if the description contains it, and 1 for each parameter whose name contains it. If no template contains the
phrase, every word must match, and each word scores 3 in the name or address, and 1 in the description or a
parameter (a judgement, in similar proportion). Case is ignored.
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
from holdfast.templates.template import MAX_QUERY_CHARACTERS, ListedTemplate, Template, json_array
from holdfast.templates.toolset import templates

_NAME_EQUALS, _NAME_CONTAINS, _DESCRIPTION_CONTAINS, _PARAMETER_CONTAINS = 10, 5, 3, 1
_WORD_IN_NAME, _WORD_ELSEWHERE = 3, 1


class SearchTemplates(Input):
    """What to look for."""

    query: Annotated[str, ExpectedFormat("a query that is not blank")] = Field(
        min_length=1, max_length=MAX_QUERY_CHARACTERS, pattern=r"\S", description="Search query."
    )
    toolchain: str | None = Field(
        default=None, max_length=MAX_QUERY_CHARACTERS, description="Only this toolchain, such as rust."
    )


@dataclass(frozen=True)
class TemplateHit:
    """A template that matches a query."""

    template: Template
    relevance: int
    matches: list[str]


class FoundTemplate(ListedTemplate):
    """A template that matches a query."""

    relevance: int = Field(description="Score; higher is better.")
    matches: list[UntrustedText] = Field(description="What matched.")


class SearchResult(Output):
    """Templates that match a query, best first."""

    templates: list[FoundTemplate]
    query: UntrustedText
    count: int


def search(templates: Iterable[Template], query: str) -> list[TemplateHit]:
    """Return the templates that match a query, best first; those with equal scores stay in order."""
    phrase = " ".join(query.lower().split())
    candidates = list(templates)
    hits = [_score_phrase(template, phrase) for template in candidates]
    if not any(hit.relevance for hit in hits):
        hits = [_score_words(template, phrase.split()) for template in candidates]
    return sorted((hit for hit in hits if hit.relevance), key=lambda hit: -hit.relevance)


def _score_phrase(template: Template, phrase: str) -> TemplateHit:
    name, description = template.declared.name.lower(), template.declared.description.lower()
    score, matches = 0, []
    if phrase in name:
        score += _NAME_EQUALS if phrase == name else _NAME_CONTAINS
        matches.append(f"name: {template.declared.name}")
    if phrase in description:
        score += _DESCRIPTION_CONTAINS
        matches.append("description")
    parameters = [parameter.name for parameter in template.parameters if phrase in parameter.name]
    matches += [f"parameter: {name}" for name in parameters]
    return TemplateHit(template, score + _PARAMETER_CONTAINS * len(parameters), matches)


def _score_words(template: Template, words: list[str]) -> TemplateHit:
    score, matches = 0, []
    for word in words:
        field = _matching_field(template, word)
        if field is None:
            return TemplateHit(template, 0, [])
        score += _WORD_IN_NAME if field in ("name", "address") else _WORD_ELSEWHERE
        matches.append(f"{field}: {word}")
    return TemplateHit(template, score, matches)


def _matching_field(template: Template, word: str) -> str | None:
    if word in template.declared.name.lower():
        return "name"
    if word in template.address.uri:
        return "address"
    if word in template.declared.description.lower():
        return "description"
    return "parameter" if any(word in parameter.name for parameter in template.parameters) else None


def search_text(result: SearchResult) -> str:
    """Return the matches as text."""
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
    text=lambda result: json_array(result.templates),
    command_text=search_text,
)
def search_templates(room: Templates, args: SearchTemplates) -> SearchResult:
    """Search templates by name, description and parameters; best first, with what matched."""
    hits = search(room.catalogue.matching(args.toolchain), args.query)
    found = [FoundTemplate.of(hit.template, relevance=hit.relevance, matches=hit.matches) for hit in hits]
    return SearchResult(templates=found, query=args.query, count=len(hits))
