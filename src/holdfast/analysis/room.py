"""The room of the analyses: one repository and the records of its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.analysis.churn.history import History
from holdfast.analysis.records.product import NUMBERS, RECORDS, TOKENS
from holdfast.analysis.records.surveyor import Surveyor
from holdfast.analysis.records.token_stream import TokenStream
from holdfast.analysis.survey import CacheStrategy, FileSurvey, Project, Sight, Survey
from holdfast.analysis.trend.point_store import PointStore
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.clock import Clock, utc_now
from holdfast.kernel.errors import Denied, Invalid, NotFound, TooLarge, Unavailable
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository

if TYPE_CHECKING:
    from holdfast.analysis.graph.resolution import Resolution
    from holdfast.syntax.record import Record

_SETTINGS_BYTES = 4 * 2**20
_OFTEN = 100
_ANSWERS = 32

Answer = TypeVar("Answer")


class Analysis:
    """What the analyses of one repository share."""

    def __init__(self, repository: Repository, clock: Clock = utc_now, *, workers: int | None = None) -> None:
        """At most so many processes read for one survey, by default one a core."""
        self.repository = repository
        self._workers = workers
        self.clock = clock
        self.history = History(repository)
        self.points = PointStore(repository)
        self._surveyor = Surveyor(repository, RECORDS)
        self._lexed = Surveyor(repository, TOKENS)
        self._product = NUMBERS
        self._tree = Tree(repository)
        self._answers: VersionedCache[Any] = VersionedCache(_ANSWERS)
        self._of_files: dict[str, dict[str, tuple[Record, Any]]] = {}

    def survey(
        self,
        project: Project,
        *,
        strategy: CacheStrategy = "normal",
        workers: int | None = None,
        names: bool = True,
    ) -> Survey:
        """Return the records of a project's files, read by no more processes than room and caller say.

        Who needs no names says so, and has the records in half the time where nobody asked for any before.
        """
        self._product = RECORDS if names else self._product
        return self._surveyor.survey(project, strategy, workers or self._workers, self._product)

    def survey_of(self, commit: str, project: Project) -> Survey:
        """Return the records of a project as a commit has it, read from git's objects."""
        return self._surveyor.of_commit(project, commit)

    def lexed(
        self, project: Project, *, workers: int | None = None, sight: Sight | None = None
    ) -> FileSurvey[TokenStream]:
        """Return the tokens of a project's files: the same files that a survey has, and far sooner."""
        return self._lexed.survey(project, "normal", workers or self._workers, sight=sight)

    def once(self, question: str, survey: FileSurvey[object], answer: Callable[[], Answer]) -> Answer:
        """Return the answer that follows from a survey, found anew only where something in it changed."""
        known: Answer | None = self._answers.get(question, survey.version)
        return self._answers.put(question, survey.version, answer()) if known is None else known

    def of_files(
        self, question: str, survey: Survey, answer: Callable[[str, Record], Answer]
    ) -> dict[str, Answer]:
        """Return what follows from path and record of each file alone, found anew only for new records."""
        known, call = self._of_files.get(question, {}), current_call()
        found: dict[str, tuple[Record, Answer]] = {}
        for path, record in survey.files.items():
            if len(found) % _OFTEN == 0:
                call.progress(len(found), len(survey.files), "files measured")
            before = known.get(path)
            if before is None or before[0] is not record:
                before = record, answer(path, record)
            found[path] = before
        self._of_files[question] = found
        return {path: told for path, (_, told) in found.items()}

    def resolution(self, survey: Survey) -> Resolution:
        """Return what the imports and names of a survey mean."""
        from holdfast.analysis.graph.resolution import Resolution

        return self.once("resolution", survey, lambda: Resolution(survey, self.read_other))

    def read_other(self, path: str) -> str | None:
        """Return the text of a settings file; None where there is none or it is too large."""
        try:
            data = self._tree.read_bytes(RepoPath.parse(path), _SETTINGS_BYTES)
        except (NotFound, Invalid, TooLarge, Denied, Unavailable):
            return None
        return data.decode("utf-8", "replace")

    def close(self) -> None:
        """End what runs for this repository."""
        self._surveyor.close()
        self._lexed.close()
        self.history.close()
        self.points.close()
