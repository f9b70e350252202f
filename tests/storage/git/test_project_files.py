"""Which folder or file a project is, however its path is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.kernel.errors import InvalidPath, NotFound
from holdfast.storage.git.project_files import checked_project
from holdfast.storage.git.repository import Repository


def test_an_absolute_path_within_the_repository_means_what_it_leads_to(repository: Path) -> None:
    (repository / "src").mkdir()
    found = Repository.discover(repository)
    assert checked_project(found, str(repository)) == ""
    assert checked_project(found, f"{repository}/src/") == "src"
    assert checked_project(found, f"{repository}/src/../src") == "src"
    with pytest.raises(NotFound, match="'source'"):
        checked_project(found, f"{repository}/source")


@pytest.mark.parametrize("path", ["/", "/etc", "{root}/..", "{root}x", "{root}/src/../../other", "{root}/\0"])
def test_an_absolute_path_outside_of_the_repository_is_refused(repository: Path, path: str) -> None:
    with pytest.raises(InvalidPath):
        checked_project(Repository.discover(repository), path.format(root=repository))
