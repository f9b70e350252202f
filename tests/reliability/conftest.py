"""The rooms of the tasks, for tests that crowd and kill them."""

from __future__ import annotations

from tests.tasks.conftest import clock, database, open_tasks, postgres_server, room
from tests.tasks.store.conftest import engine

__all__ = ["clock", "database", "engine", "open_tasks", "postgres_server", "room"]
