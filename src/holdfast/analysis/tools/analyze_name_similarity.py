"""`analyze_name_similarity`: names of a project that are similar to a given one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, StrictBool

from holdfast.analysis.engine.scan import FileCounts, Project
from holdfast.analysis.names.subwords import subwords
from holdfast.analysis.render.text_layout import lines, skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import AtMost, Input, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

if TYPE_CHECKING:
    from holdfast.analysis.names.ranking import Match

NamesFormat = Literal["summary", "detailed", "json"]
NameScope = Literal["functions", "types", "variables", "all"]
_DEFAULT_NAMES = 10
"""Names in a result by default: a judgement, as later names are rarely relevant."""
_MAX_OTHER_PLACES = 5
"""Other definitions listed for a name: a judgement, as `occurrences` has the total."""
_METHOD = (
    "score: mean of string and vector. string: the share of letters that both names have in the same order,"
    " ignoring case (Indel ratio). vector: the cosine of sums of the word vectors that ship with Holdfast,"
    " trained on neighbouring words in public code; names are first split into words. If no word of a"
    " name has a vector, as in scripts other than Latin, score is string."
)
_PHONETIC = (
    " phonetic: if each word of the query sounds like one of the name (Metaphone), the share of words of both"
    " that do; it replaces string if it is higher."
)


class AnalyzeNameSimilarity(Input):
    """The name, and where to search."""

    query: str = Field(
        min_length=1, max_length=LIMITS.name_characters, description="The name to compare with."
    )
    project_path: arguments.ProjectPath = "."
    top_k: AtMost = count_field(
        _DEFAULT_NAMES, LIMITS.similar_names, "Maximum number of names, the most similar first."
    )
    phonetic: StrictBool = Field(default=False, description="Also find names that sound similar.")
    scope: NameScope = Field(default="all", description="Kinds of names.")
    format: NamesFormat = Field(default="summary", description="Format of the text.")


class SimilarName(Output):
    """A similar name, with the parts of its score."""

    name: UntrustedText
    kind: str = Field(description="`Local` is a parameter or local variable.")
    file: UntrustedText
    line: int = Field(description="Of parameters and local variables, the line of their function.")
    score: float = Field(description="From 0 to 1; names are ranked by it.")
    string: float = Field(description="Similarity of the letters, from 0 to 1.")
    vector: float | None = Field(
        description="Similarity of the meaning, from 0 to 1; null if no word of a name has a vector."
    )
    phonetic_match: bool | None = Field(
        description="Whether each word of the query sounds like one of the name; null if not requested."
    )
    phonetic: float | None = Field(
        description="The share of the words of both names that sound similar; null unless `phonetic_match`."
    )
    edit_distance: int = Field(description="Letters to insert, delete or replace, ignoring case.")
    occurrences: int = Field(description="Number of definitions of this name and kind.")
    other_places: list[UntrustedText] = Field(
        description=f"File and line of other definitions, {_MAX_OTHER_PLACES} at most."
    )


class NameSimilarity(FileCounts):
    """The names of a project that are similar to a given one, the most similar first."""

    format: NamesFormat
    project_path: UntrustedText
    query: UntrustedText
    scope: NameScope
    total_candidates: int = Field(description="Names compared, each once for each kind.")
    total_matches: int = Field(description="Names with at least `least_score`.")
    least_score: float = Field(description="The minimum score of a match.")
    matches: list[SimilarName]
    method: str


def _text(result: NameSimilarity, width: int) -> str:
    head = (
        f"Names similar to {result.query}: {result.total_matches} of {result.total_candidates}"
        f" ({result.scope}, score {result.least_score:g} or more); shown: {len(result.matches)}."
    )
    is_detailed = result.format == "detailed"
    columns = ["score", "name", "kind", "place"]
    if is_detailed:
        columns[1:1] = ["string", "vector", "phonetic", "edits"]
    rows = [_cells(match, is_detailed=is_detailed) for match in result.matches]
    return lines(
        head,
        skipped_files_line(result),
        table([columns, *rows], width, flexible=(len(columns) - 1, len(columns) - 3)) if rows else "",
        result.method if is_detailed else "",
    )


def _cells(match: SimilarName, *, is_detailed: bool) -> list[str]:
    more = f" and {match.occurrences - 1} more" if match.occurrences > 1 else ""
    cells = [f"{match.score:.2f}", match.name, match.kind, f"{match.file}:{match.line}{more}"]
    if match.phonetic_match:
        cells[1] += " (sounds similar)"
    if is_detailed:
        vector = "" if match.vector is None else f"{match.vector:.2f}"
        phonetic = "" if match.phonetic is None else f"{match.phonetic:.2f}"
        cells[1:1] = [f"{match.string:.2f}", vector, phonetic, str(match.edit_distance)]
    return cells


def _similar_name(match: Match) -> SimilarName:
    (file, line), *others = match.places
    return SimilarName(
        name=match.name,
        kind=match.kind,
        file=file,
        line=line,
        score=match.score,
        string=match.string,
        vector=match.vector,
        phonetic_match=None if match.phonetic is None else match.phonetic > 0,
        phonetic=match.phonetic,
        edit_distance=match.edit_distance,
        occurrences=len(match.places),
        other_places=[f"{file}:{line}" for file, line in others[:_MAX_OTHER_PLACES]],
    )


@analyze.operation(
    "analyze_name_similarity",
    title="Analyze name similarity",
    effect=Effect.READ,
    command="names",
    example="holdfast analyze names calculateTotal --scope functions --top-k 5",
    **arguments.project_options(_text, "query", stages=2),
)
def analyze_name_similarity(room: Analysis, args: AnalyzeNameSimilarity) -> NameSimilarity:
    """Find the names of a project that are similar to a given one, by meaning, by letters and by sound.

    `calculateTotal` finds `compute_sum`: words that occur in similar contexts are similar. Each match has the
    parts of its score. Searches functions, types, variables, or all of them.
    """
    from holdfast.analysis.names.catalogue import catalogue
    from holdfast.analysis.names.ranking import MIN_SCORE, ranking

    if not subwords(args.query):
        raise InvalidArguments("`query` has neither letters nor digits.", hint="Give a name.")
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project)
    names = room.cached(f"names {project.path}", scan, lambda: catalogue(scan))
    matches, total = ranking(names, args.query, args.scope, args.top_k, phonetic=args.phonetic)
    return NameSimilarity(
        **scan.counts.result_fields(project.path, args.format),
        query=args.query,
        scope=args.scope,
        total_candidates=int(names.scopes[args.scope].sum()),
        total_matches=total,
        least_score=MIN_SCORE,
        matches=[_similar_name(match) for match in matches],
        method=_METHOD + (_PHONETIC if args.phonetic else ""),
    )
