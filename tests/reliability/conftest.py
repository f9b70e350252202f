"""The rooms of the tasks, for tests that crowd and kill them."""

from __future__ import annotations

from tests.tasks.conftest import clock, database, engine, open_tasks, postgres_server, room

__all__ = ["clock", "database", "engine", "open_tasks", "postgres_server", "room"]
