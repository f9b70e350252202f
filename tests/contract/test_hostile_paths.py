"""Every parameter and address that names a file, against every hostile path: nothing outside is touched."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.operation import Operation
from holdfast.kernel.resource import find_resource
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.user_key import authentication_code
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.contract.cases import CASES
from tests.reliability.evidence import Tally
from tests.storage.hostile_paths import HOSTILE_PATHS, HOSTILE_URI_PARTS

REGISTRY = full_registry()
NAMES_OF_PATHS = {"file", "path", "file_path", "project_path", "directory", "output"}
NAMES_OF_PATHS |= {"source_file", "target_file"}


def path_parameters() -> Iterator[tuple[Operation, str]]:
    for operation in REGISTRY.operations:
        for name, field in operation.input.model_fields.items():
            if field.annotation is RepoPath or name in NAMES_OF_PATHS:
                yield operation, field.alias or name


def arguments_for(operation: Operation) -> dict[str, Any]:
    return next(
        case.arguments for case in CASES if case.operation == operation.listed_name and case.fails is None
    )


def fingerprint(directory: Path, *, without: Path) -> dict[str, str]:
    """Return what stands around the repository, without what stands inside it."""
    seen: dict[str, str] = {}
    for folder, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if Path(folder, name) != without]
        for name in files:
            path = Path(folder, name)
            seen[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
        seen.update(dict.fromkeys((str(Path(folder, name)) for name in folders), "folder"))
    return seen


def outcome(dispatcher: Dispatcher, operation: Operation, arguments: dict[str, Any]) -> str:
    """Return all that a caller is told, whether the operation succeeds or not."""
    try:
        return dispatcher.run(operation, arguments, dispatcher.new_call(operation)).model_dump_json()
    except HoldfastError as failure:
        return failure.sentence()


def read(dispatcher: Dispatcher, address: str) -> str:
    try:
        found, parts = find_resource(REGISTRY.resources, address)
        return dispatcher.read(found, parts, dispatcher.new_call()).text or ""
    except HoldfastError as failure:
        return failure.sentence()


@pytest.fixture
def surroundings(repository: Path) -> Path:
    outside = repository.parent
    for place in ("repository_evil", "outside"):
        (outside / place).mkdir()
        (outside / place / "secret").write_text("canary")
    (repository / "escape").symlink_to(outside / "outside")
    (repository / "secret_link").symlink_to(outside / "outside" / "secret")
    (repository / "loop").symlink_to("loop")
    authentication_code(b"")  # the user's key, which the first analysis creates in the home directory
    return outside


@pytest.mark.requirement("reliability-E1")
def test_there_are_enough_hostile_paths_and_a_parameter_to_try_them_on() -> None:
    assert len(HOSTILE_PATHS) >= 150
    assert list(path_parameters())


@pytest.mark.requirement("reliability-E1")
@pytest.mark.parametrize(
    ("operation", "parameter"), list(path_parameters()), ids=lambda item: str(getattr(item, "name", item))
)
@pytest.mark.evidence("E1", "every tool", "hostile paths and addresses")
def test_no_hostile_path_reaches_beyond_the_workspace(
    operation: Operation, parameter: str, repository: Path, surroundings: Path
) -> None:
    before = fingerprint(surroundings, without=repository)
    workspace = Workspace.discover(repository)
    dispatcher = Dispatcher(REGISTRY, workspace.room)
    arguments = arguments_for(operation)
    try:
        for path in (*HOSTILE_PATHS, "escape/secret", "secret_link", "loop", "loop/x"):
            told = outcome(dispatcher, operation, {**arguments, parameter: path})
            assert "canary" not in told, path
            assert str(surroundings) not in told.replace(path, ""), path
            assert "inside Holdfast" not in told, path
    finally:
        workspace.close()
    assert fingerprint(surroundings, without=repository) == before


@pytest.mark.requirement("reliability-E1")
@pytest.mark.evidence("E1", "every tool", "hostile paths and addresses")
def test_no_hostile_address_is_anything_but_an_error_or_a_known_resource(
    repository: Path, surroundings: Path
) -> None:
    before = fingerprint(surroundings, without=repository)
    workspace = Workspace.discover(repository)
    dispatcher = Dispatcher(REGISTRY, workspace.room)
    try:
        for resource in REGISTRY.resources:
            base = resource.uri.partition("{")[0]
            for part in (*HOSTILE_URI_PARTS, *HOSTILE_PATHS):
                told = read(dispatcher, base + part if resource.is_template else f"{base}/{part}")
                assert "canary" not in told, part
                assert "inside Holdfast" not in told, part
    finally:
        workspace.close()
    assert fingerprint(surroundings, without=repository) == before


@pytest.mark.evidence("E1", "every tool", control="joins a path to the root and follows it")
def test_control_a_path_that_is_only_joined_leads_outside(
    surroundings: Path, repository: Path, tally: Tally
) -> None:
    joined = {
        path: os.path.join(repository, path.replace("\0", "")) for path in HOSTILE_PATHS if path.isascii()
    }
    inside = f"{os.path.realpath(repository)}/"
    led = [path for path, place in joined.items() if not os.path.realpath(place).startswith(inside)]
    tally(len(joined), led)
    assert len(led) > 10
