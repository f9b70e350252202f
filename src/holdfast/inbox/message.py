"""What the store hands out: plain values that never change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from holdfast.inbox.envelope import identity

State = Literal["pending", "delivered"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a message that was sent."""

    digest: str
    file: str
    line: str | None
    time: str
    duplicate: bool

    @property
    def id(self) -> str:
        """Return the name of the message."""
        return identity(self.digest)


@dataclass(frozen=True, slots=True)
class Message:
    """One remark about a file, as it is stored."""

    sequence: int
    digest: str
    file: str
    comment: str
    line: str | None
    author: str | None
    time: str
    work_tree: str
    changed_lines: str | None
    delivered_at: str | None
    reply_count: int = 0

    @property
    def id(self) -> str:
        """Return the name of the message."""
        return identity(self.digest)

    @property
    def state(self) -> State:
        """Return whether an agent has had the message."""
        return "pending" if self.delivered_at is None else "delivered"

    @property
    def lines(self) -> str | None:
        """Return the lines it is about: those the sender named, or else those that had changed."""
        return self.line or self.changed_lines or None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer to a message."""

    text: str
    author: str
    time: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """Messages claimed by one reader until its lease ends, and how many more wait behind them."""

    lease: str
    messages: Sequence[Message] = field(default_factory=tuple)
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the store that its owner may want to know."""

    is_damage: bool
    text: str
