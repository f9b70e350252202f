"""The composition root: opens the rooms of a repository on demand.

A room is the object that a toolset's operations work with: its store, or its analysis of the repository.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from holdfast.kernel.errors import Unavailable
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy

if TYPE_CHECKING:
    from holdfast.analysis.room import Analysis
    from holdfast.comments.memory.surroundings import Surroundings
    from holdfast.comments.store import Comments
    from holdfast.deferred_calls import DeferredCalls
    from holdfast.doctor import CheckableStore, Countable, FileKeeper, StoreRoom
    from holdfast.inbox.store import Inbox
    from holdfast.kernel.registry import Registry
    from holdfast.milestones.store import Milestones
    from holdfast.source.room import Source
    from holdfast.storage.watching.topic_source import TopicSource
    from holdfast.storage.watching.watcher import Watcher
    from holdfast.syntax.record import Definition
    from holdfast.tasks.neighbours import Neighbours
    from holdfast.tasks.store.tasks import Tasks
    from holdfast.templates.catalogue import Templates


DATABASE_VARIABLE = "HOLDFAST_DATABASE"
"""The environment variable with the URL of the database in which a team shares its tasks."""


class Workspace:
    """One repository and its rooms, opened on first use and shared by all threads."""

    def __init__(self, repository: Repository, database: str | None = None) -> None:
        self.repository = repository
        self.database = _checked_database(database or os.environ.get(DATABASE_VARIABLE))
        """The URL of the team's database, or None if the tasks are stored here."""
        self.is_served = False
        """Whether a server uses it, which must answer other requests while an analysis runs."""
        self._watcher = Lazy(_open_watcher)
        self._rooms = {name: Lazy(partial(opener, self)) for name, opener in _OPENERS.items()}

    @classmethod
    def discover(cls, start: Path, database: str | None = None) -> Workspace:
        """Return the workspace of the repository that contains `start`.

        `database` is the URL of the database in which a team shares its tasks, if it has one.
        """
        return cls(Repository.discover(start), database)

    def room(self, toolset: str) -> Any:
        """Return the room of a toolset; open it if this is its first use."""
        return self._rooms[toolset].get()

    @property
    def inbox(self) -> Inbox:
        room: Inbox = self.room("inbox")
        return room

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on the watcher's thread, after any process changed a topic.

        A topic is the name of a room, or `room/part`. Return the function that unsubscribes.
        """
        name, _, part = topic.partition("/")
        source: TopicSource = self.room(name).topic(part)
        if name == "tasks" and self.repository.is_in_git:
            # Closing a milestone makes tasks ready that depend on it, so its changes are changes of tasks.
            source = source._replace(places=source.places + self.room("milestones").topic("").places)
        return self._watcher.get().subscribe(topic, callback, source)

    def collect_legacy_messages(self, offered: Registry) -> None:
        """Store messages of earlier lazygit configurations as they come, if a server offers the inbox.

        They are in a single file, where each overwrites the one before. Without its folder there are none.
        """
        has_inbox = any(resource.topic == "inbox" for resource in offered.resources)
        if has_inbox and os.path.isdir(os.path.dirname(self.inbox.legacy.path)):
            self.subscribe("inbox", lambda: None)  # the probe of the topic stores them

    def close(self) -> None:
        self._watcher.close()
        for room in self._rooms.values():
            room.close()


def _checked_database(database: str | None) -> str | None:
    """Return a database URL, or raise without quoting it if it is not valid: it may contain a password."""
    if not database:
        return None
    from holdfast.storage.sql.postgres import checked_address

    return checked_address(database)


def _open_watcher() -> Watcher:
    # Imported here because most commands never wait for a change.
    from holdfast.storage.watching.watcher import Watcher

    return Watcher()


# Each room is imported when it is opened, because a command needs only one or two.


def _open_comments(workspace: Workspace) -> Comments:
    from holdfast.comments.store import Comments

    room = Comments.open(workspace.repository)
    room.set_surroundings(lambda: _memory_surroundings(workspace))
    return room


def _memory_surroundings(workspace: Workspace) -> Surroundings:
    from holdfast.neighbours.memories import MemorySurroundings

    return MemorySurroundings(workspace.room)


def _open_inbox(workspace: Workspace) -> Inbox:
    from holdfast.inbox.store import Inbox

    return Inbox.open(workspace.repository)


def _open_milestones(workspace: Workspace) -> Milestones:
    from holdfast.milestones.store import Milestones

    return Milestones.open(workspace.repository)


def _open_tasks(workspace: Workspace) -> Tasks:
    from holdfast.tasks.store.tasks import Tasks

    room = Tasks.open(workspace.repository, workspace.database)
    room.set_neighbours(lambda: _neighbours(workspace))
    return room


def _neighbours(workspace: Workspace) -> Neighbours:
    from holdfast.neighbours.room_neighbours import RoomNeighbours

    return RoomNeighbours(workspace.repository, workspace.room)


def _open_stores(workspace: Workspace) -> StoreRoom:
    from holdfast.doctor import StoreRoom

    # The check opens the rooms itself, so that a room that cannot be opened is a finding, not a failure.
    return StoreRoom(
        workspace.repository, lambda: _checkable_rooms(workspace), lambda: _countable_rooms(workspace)
    )


def _checkable_rooms(workspace: Workspace) -> dict[str, CheckableStore | FileKeeper]:
    """Return the rooms that check their own stores or files, opened."""
    rooms: dict[str, CheckableStore | FileKeeper] = {
        name: workspace.room(name) for name in ("inbox", "tasks", "calls")
    }
    if not workspace.repository.bare:
        from holdfast.comments.union.recovery import SidecarCheck

        rooms["comments"] = SidecarCheck(workspace.room("comments"))
    if workspace.repository.is_in_git:
        rooms["milestones"] = workspace.room("milestones")
    return rooms


def _countable_rooms(workspace: Workspace) -> dict[str, Callable[[], Countable]]:
    """Return functions that open the rooms whose content is counted, in the order of the report."""
    rooms: dict[str, Callable[[], Countable]] = {}
    if not workspace.repository.bare:  # comments are in files of the work tree
        rooms["comments"] = lambda: workspace.room("comments").search
    git_rooms = ("milestones",) if workspace.repository.is_in_git else ()
    return rooms | {name: partial(workspace.room, name) for name in ("inbox", *git_rooms, "tasks")}


def _open_templates(workspace: Workspace) -> Templates:
    from holdfast.templates.catalogue import Templates

    return Templates(workspace.repository)


def _open_analysis(workspace: Workspace) -> Analysis:
    from holdfast.analysis.room import Analysis

    if not workspace.is_served:
        return Analysis(workspace.repository)
    from holdfast.analysis.analysis_process import AnalysisProcesses

    return Analysis(workspace.repository, processes=AnalysisProcesses(workspace.repository))


def _open_source(workspace: Workspace) -> Source:
    from holdfast.source.room import Source

    return Source(workspace.repository, lambda: _known_symbols(workspace))


def _known_symbols(workspace: Workspace) -> dict[str, tuple[Definition, ...]]:
    """Return the definitions that an earlier analysis cached, by path, without reading any file."""
    from holdfast.analysis.engine.scan import Project

    analysis: Analysis = workspace.room("analyze")
    try:
        scan = analysis.scan(Project(), strategy="offline")
    except Unavailable:
        return {}
    return {path: record.names.definitions for path, record in scan.files.items()}


def _open_calls(workspace: Workspace) -> DeferredCalls:
    from holdfast.deferred_calls import DeferredCalls

    return DeferredCalls(workspace.repository)


_OPENERS: Mapping[str, Callable[[Workspace], Any]] = MappingProxyType(
    {
        "comments": _open_comments,
        "inbox": _open_inbox,
        "templates": _open_templates,
        "milestones": _open_milestones,
        "tasks": _open_tasks,
        "stores": _open_stores,
        "analyze": _open_analysis,
        "source": _open_source,
        "calls": _open_calls,
    }
)
