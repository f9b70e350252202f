"""From a project to its survey: files discovered, read where that is needed, and counted."""

from __future__ import annotations

from dataclasses import replace

from holdfast.analysis.records.discovery import Discovered, selected, shown, sort_out
from holdfast.analysis.records.reading import GONE, Outcome, Reader
from holdfast.analysis.survey import Project, Skipped, Survey
from holdfast.kernel.call import current_call
from holdfast.storage.git.command import Git
from holdfast.storage.git.project_files import checked_project, list_files, look
from holdfast.storage.git.repository import Repository
from holdfast.syntax.record import Record, from_sections


class Surveyor:
    """Makes the surveys of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._git = None if repository.git_dir is None else Git(repository)

    def survey(self, project: Project) -> Survey:
        """Return the records of a project."""
        project = replace(project, path=checked_project(self._repository, project.path))
        found = self._discovered(project)
        reader = Reader(self._repository.root)
        call, outcomes = current_call(), list[Outcome]()
        for done, path in enumerate(found.candidates):
            call.progress(done, len(found.candidates), "files read")
            outcomes.append(reader.read(path))
        return _survey(project, found, outcomes)

    def close(self) -> None:
        """End what runs for this repository."""
        if self._git is not None:
            self._git.close()

    def _discovered(self, project: Project) -> Discovered:
        listed = list_files(self._repository, self._git, project.path)
        found = sort_out(project, look(self._repository.root, selected(project, listed.paths)), {})
        found.skipped += [Skipped(shown(f"{folder}/"), "unreadable") for folder in listed.unreadable]
        return found


def _survey(project: Project, found: Discovered, outcomes: list[Outcome]) -> Survey:
    files: dict[str, Record] = {}
    sizes: dict[str, int] = {}
    skipped, others = found.skipped, found.others
    for outcome in outcomes:
        if outcome.reason:
            if outcome.reason != GONE:
                skipped.append(Skipped(outcome.path, outcome.reason))
        elif outcome.sections is None:
            others.append(outcome.path)
        elif not project.languages or outcome.language in project.languages:
            files[outcome.path] = from_sections(*outcome.sections)
            sizes[outcome.path] = outcome.size
    skipped.sort(key=lambda item: item.path)
    return Survey(
        dict(sorted(files.items())), sizes, tuple(skipped), tuple(sorted(others)), misses=len(files)
    )
