"""The room of a fresh repository, on SQLite or PostgreSQL, with a clock that tests turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import CallerIdentity, Draft, Task
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from tests.tasks.postgres import Server, is_missing, running_server

ENGINES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
"""What tests of the store run on."""

ADA, BOB = CallerIdentity("ada"), CallerIdentity("bob")


class TurnedClock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.now = datetime(2025, 7, 1, 10, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def turn(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    if (reason := is_missing()) is not None:
        pytest.skip(reason)
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.slow])])
def engine(request: pytest.FixtureRequest) -> str:
    """The engine that a test runs on: tools see the store only, so a short run has them on SQLite."""
    return str(request.param)


@pytest.fixture
def database(engine: str, request: pytest.FixtureRequest) -> str | None:
    """The address of a database of the test's own, or None for the file in the repository."""
    if engine == "sqlite":
        return None
    server: Server = request.getfixturevalue("postgres_server")
    return server.new_database()


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


OpenTasks = Callable[..., Tasks]


@pytest.fixture
def open_tasks(database: str | None, repository: Path, clock: TurnedClock) -> Iterator[OpenTasks]:
    """Open the room again and again, as other processes would."""
    with ExitStack() as opened:

        def open_room(path: Path = repository) -> Tasks:
            room = Tasks(Repository.at(path), database=database, clock=clock)
            opened.callback(room.close)
            return room

        yield open_room


@pytest.fixture
def room(open_tasks: OpenTasks) -> Tasks:
    """The room of a repository that has a workspace and no tasks."""
    room = open_tasks()
    ensure_workspace(room, "Kelp", [], "criteria")
    return room


def add(room: Tasks, *titles: str, **more: object) -> list[Task]:
    """Add tasks with these titles."""
    return [task for task, _ in room.create([Draft(title, **more) for title in titles], ADA)]  # type: ignore[arg-type]
