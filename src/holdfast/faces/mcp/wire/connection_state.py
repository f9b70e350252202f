"""The phases of a connection, and the events that lead from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Phase(Enum):
    """The phase of a connection."""

    UNINITIALIZED = "uninitialized"
    INITIALIZING = "initializing"
    READY = "ready"
    SHUTTING = "shutting"
    CLOSED = "closed"


class ConnectionEvent(Enum):
    """An event that changes the phase of a connection."""

    INITIALIZE = "initialize"
    INITIALIZED = "initialized"
    SHUTDOWN = "shutdown"
    ERROR = "error"
    DRAINED = "drained"


class InvalidTransition(Exception):
    """The event cannot happen in this state; the state is unchanged."""


@dataclass(frozen=True, slots=True)
class ConnectionState:
    """A phase, with the properties that the specification defines for it."""

    phase: Phase = Phase.UNINITIALIZED
    capabilities: bool = False
    """A property of the specification's phase INITIALIZING, in which it is false."""
    graceful: bool = False
    """Whether open requests are still answered before the end."""

    def after(self, event: ConnectionEvent) -> ConnectionState:
        match self.phase, event:
            case Phase.UNINITIALIZED, ConnectionEvent.INITIALIZE:
                return ConnectionState(Phase.INITIALIZING, capabilities=False)
            case Phase.INITIALIZING, ConnectionEvent.INITIALIZED:
                return ConnectionState(Phase.READY)
            case Phase.READY, ConnectionEvent.SHUTDOWN:
                return ConnectionState(Phase.SHUTTING, graceful=True)
            case Phase.SHUTTING, ConnectionEvent.DRAINED:
                return ConnectionState(Phase.CLOSED, graceful=self.graceful)
            case _, ConnectionEvent.ERROR:
                return ConnectionState(Phase.SHUTTING, graceful=False)
        raise InvalidTransition(f"{event.value} is not possible while {self.phase.value}")
