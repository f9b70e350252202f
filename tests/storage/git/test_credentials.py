from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.client import Origin

GITHUB = Origin("https", "api.github.com", 443)


def helper(answer: str, trace: Path | None = None) -> str:
    said = f"echo username=ada; echo password={answer};"
    return f"!f() {{ {f'touch {trace};' if trace else ''} {said} }}; f"


def configure(home: Path, *arguments: str) -> None:
    environment = {**os.environ, "HOME": str(home)}
    subprocess.run(
        ["git", "config", "--file", str(home / ".gitconfig"), *arguments], env=environment, check=True
    )


def configuration(repository: Path, **variables: str) -> UsersConfiguration:
    return UsersConfiguration(Repository.discover(repository), {**os.environ, **variables})


def test_the_users_helper_gives_the_password(repository: Path, home: Path) -> None:
    configure(home, "credential.https://github.com.helper", helper("from-the-user"))
    assert configuration(repository).password("github.com") == "from-the-user"
    assert configuration(repository).password("gitlab.com") is None


def test_a_helper_of_the_repository_is_never_started(repository: Path, home: Path, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    configure(home, "credential.https://github.com.helper", helper("from-the-user"))
    for key in ("credential.helper", "credential.https://github.com.helper"):
        subprocess.run(["git", "config", key, helper("stolen", trace)], cwd=repository, check=True)
    assert configuration(repository).password("github.com") == "from-the-user"
    assert not trace.exists()


def test_the_control_git_itself_would_start_it(repository: Path, home: Path, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    key = "credential.https://github.com.helper"
    subprocess.run(["git", "config", key, helper("stolen", trace)], cwd=repository, check=True)
    asked = b"protocol=https\nhost=github.com\n\n"
    subprocess.run(
        ["git", "credential", "fill"], cwd=repository, input=asked, capture_output=True, check=True
    )
    assert trace.exists()


def test_without_a_helper_nobody_is_asked(repository: Path) -> None:
    assert configuration(repository).password("github.com") is None


@pytest.mark.parametrize("host", ["github.com\nhost=evil", "", "a b", "-"])
def test_what_is_no_host_is_not_asked_about(repository: Path, home: Path, host: str) -> None:
    configure(home, "credential.helper", helper("secret"))
    assert configuration(repository).password(host) is None


def test_hosts_come_from_the_environment_and_the_users_configuration(repository: Path, home: Path) -> None:
    assert not configuration(repository).allowed_hosts()
    subprocess.run(["git", "config", "holdfast.host", "api.github.com"], cwd=repository, check=True)
    assert not configuration(repository).allowed_hosts(), "the repository's configuration does not count"
    configure(home, "--add", "holdfast.host", "api.github.com")
    allowed = configuration(repository, HOLDFAST_HOSTS="a.example, localhost:99").allowed_hosts()
    assert allowed.allows(GITHUB)
    assert allowed.allows(Origin("http", "localhost", 99))


def test_the_first_variable_that_is_set_counts(repository: Path) -> None:
    found = configuration(repository, GITHUB_TOKEN=" ", GH_TOKEN="second")
    assert found.variable("GITHUB_TOKEN", "GH_TOKEN") == "second"
    assert found.variable("NOT_SET_ANYWHERE") is None


def test_outside_git_only_the_environment_counts(home: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    found = configuration(plain, HOLDFAST_HOSTS="api.github.com")
    assert found.allowed_hosts().allows(GITHUB)
    assert found.password("github.com") is None
