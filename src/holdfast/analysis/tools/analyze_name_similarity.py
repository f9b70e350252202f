"""`analyze_name_similarity`: which names of a project mean or sound like a given one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, StrictBool

from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.names.subwords import subwords
from holdfast.analysis.render.text_layout import lines, skipped_files
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

if TYPE_CHECKING:
    from holdfast.analysis.names.ranking import Match

NamesFormat = Literal["summary", "detailed", "json"]
NameScope = Literal["functions", "types", "variables", "all"]
_TOP = 10
_PLACES = 5
_METHOD = (
    "score = half string, half vector. string: the share of letters that both names have in the same order,"
    " whatever their case (Indel ratio). vector: the cosine of sums of word vectors that ship with Holdfast,"
    " trained on which words stand next to each other in public code; names are split into words first. Where"
    " no word of a name has a vector, as outside of Latin letters, score is string alone."
)
_PHONETIC = (
    " phonetic: where each word of the query sounds like one of the name (Metaphone), the share of words"
    " of both that do; it counts in place of string where it is higher."
)


class AnalyzeNameSimilarity(Input):
    """A name, and among which it is looked for."""

    query: str = Field(
        min_length=1, max_length=LIMITS.name_characters, description="The name to find others like."
    )
    project_path: arguments.ProjectPath = "."
    top_k: Integer = count_field(
        _TOP, LIMITS.similar_names, "How many names to return, the most similar first."
    )
    phonetic: StrictBool = Field(default=False, description="Also names that sound alike, and which do.")
    scope: NameScope = Field(default="all", description="Which kinds of names.")
    format: NamesFormat = Field(default="summary", description="How the text is written.")


class SimilarName(Output):
    """A name like the one asked for, and why."""

    name: UntrustedText
    kind: str = Field(description="`Local` is a parameter or local variable.")
    file: UntrustedText
    line: int = Field(description="Of parameters and local variables, that of the function they belong to.")
    score: float = Field(description="From 0 to 1, and what the names are ranked by.")
    string: float = Field(description="How alike the letters are, from 0 to 1.")
    vector: float | None = Field(
        description="How alike the meaning is, from 0 to 1; null where a name has no word with a vector."
    )
    phonetic_match: bool | None = Field(
        description="Whether each word of the query sounds like one of the name; null if not asked for."
    )
    phonetic: float | None = Field(
        description="Of such a match, the share of words of both that sound alike."
    )
    edit_distance: int = Field(description="Letters to insert, delete or replace, whatever their case.")
    occurrences: int = Field(description="In how many places something of this name and kind is defined.")
    other_places: list[UntrustedText] = Field(
        description=f"File and line of others than the first, {_PLACES} at most."
    )


class NameSimilarity(FileCounts):
    """The names of a project that are most like a given one, the most similar first."""

    format: NamesFormat
    project_path: UntrustedText
    query: UntrustedText
    scope: NameScope
    total_candidates: int = Field(description="Names of the scope, each once for each kind, compared.")
    total_matches: int = Field(description="How many of them are alike enough; `matches` has the first.")
    least_score: float = Field(description="From which score on a name is alike enough.")
    matches: list[SimilarName]
    method: str


def _text(result: NameSimilarity, width: int) -> str:
    head = (
        f"Names like {result.query}: {result.total_matches} of {result.total_candidates}"
        f" ({result.scope}, score {result.least_score:g} or more); shown: {len(result.matches)}."
    )
    detailed = result.format == "detailed"
    columns = ["score", "name", "kind", "place"]
    if detailed:
        columns[1:1] = ["string", "vector", "phonetic", "edits"]
    rows = [_cells(match, detailed) for match in result.matches]
    return lines(
        head,
        skipped_files(result),
        table([columns, *rows], width, flexible=(len(columns) - 1, len(columns) - 3)) if rows else "",
        result.method if detailed else "",
    )


def _cells(match: SimilarName, detailed: bool) -> list[str]:
    more = f" and {match.occurrences - 1} more" if match.occurrences > 1 else ""
    cells = [f"{match.score:.2f}", match.name, match.kind, f"{match.file}:{match.line}{more}"]
    if match.phonetic_match:
        cells[1] += " (sounds alike)"
    if detailed:
        vector = "" if match.vector is None else f"{match.vector:.2f}"
        heard = "" if match.phonetic is None else f"{match.phonetic:.2f}"
        cells[1:1] = [f"{match.string:.2f}", vector, heard, str(match.edit_distance)]
    return cells


def _similar(match: Match) -> SimilarName:
    (file, line), *others = match.places
    return SimilarName(
        file=file,
        line=line,
        phonetic_match=None if match.phonetic is None else match.phonetic > 0,
        occurrences=1 + len(others),
        other_places=[f"{file}:{line}" for file, line in others[:_PLACES]],
        **{name: value for name, value in vars(match).items() if name != "places"},
    )


@analyze.operation(
    "analyze_name_similarity",
    title="Analyze name similarity",
    effect=Effect.READ,
    command="names",
    example="holdfast analyze names calculateTotal --scope functions --top-k 5",
    **arguments.of_project(_text, "query"),
)
def analyze_name_similarity(room: Analysis, args: AnalyzeNameSimilarity) -> NameSimilarity:
    """Find the names of a project that are most like a given one, by meaning, by letters and by sound.

    `calculateTotal` finds `compute_sum`: words that stand in like places in code count as alike. Each part of
    a score is told. Functions, types, variables, or all of them.
    """
    from holdfast.analysis.names.catalogue import catalogue
    from holdfast.analysis.names.ranking import LEAST, ranking

    if not subwords(args.query):
        raise InvalidArguments(
            "`query` has neither letters nor digits, so that no name is like it.", hint="Give a name."
        )
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project)
    known = room.cached(f"names {project.path}", scan, lambda: catalogue(scan))
    matches, total = ranking(known, args.query, args.scope, args.top_k, phonetic=args.phonetic)
    return NameSimilarity(
        **scan.counts.of(project.path, args.format),
        query=args.query,
        scope=args.scope,
        total_candidates=int(known.scopes[args.scope].sum()),
        total_matches=total,
        least_score=LEAST,
        matches=[_similar(match) for match in matches],
        method=_METHOD + (_PHONETIC if args.phonetic else ""),
    )
