"""One running operation: who asked, its deadline, its cancellation, what follows the answer; and their tally.

Contract:
- `check` raises as soon as the caller has gone or the time is up; long operations call it in their loops.
- Actions given to `when_answered` run exactly once: `commit` after the answer left this process,
  `otherwise` when it never will. A face settles every call, one way or the other; an action that
  comes after that, from a thread that was slow to stop, runs at once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

from holdfast.kernel.clock import MonotonicClock, monotonic
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, Denied

if TYPE_CHECKING:
    from holdfast.kernel.questions import Answers, Asker, Capability, Question


OWNER = "owner"
"""The name of whoever holds the repository's own token, and so of whoever owns the machine."""

SIGNATURE = "signature"
"""Marks, in the annotation of an argument, that it says who writes."""


class Form(str):
    """Says, in the annotation of an argument with a pattern, what fits it: `a line N or a range N-M`."""


Level = Literal["debug", "info", "warning", "error"]
Listed = Literal["tools", "prompts", "resources"]


class Listener:
    """What a face wants to hear from a running operation. By itself it hears nothing."""

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Hear how far the operation is."""

    def log(self, level: Level, text: str) -> None:
        """Hear what the operation has to say meanwhile."""

    def changed(self, listed: Listed) -> None:
        """Hear that a list of what is offered has changed."""


class Call:
    """What an operation may know about the request that runs it."""

    def __init__(
        self,
        *,
        seconds: float | None = None,
        listener: Listener | None = None,
        asker: Asker | None = None,
        actor: str | None = None,
        clock: MonotonicClock = monotonic,
    ) -> None:
        self.actor = actor
        """Who asked, by the name of their token; None where the face knows nobody, as on a pipe."""
        self.signer = None if actor == OWNER else actor
        """The one name that what this call writes may bear; None where the caller may choose it."""
        self._clock = clock
        self._seconds = seconds
        self._ends = None if seconds is None else clock() + seconds
        self._listener = listener or Listener()
        self._asker = asker
        self._asking = False
        self._cancelled = False
        self._settlements: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self._answered: bool | None = None
        self._settling = threading.Lock()

    def signed(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return arguments of which `name` says who writes, with the name that this caller writes under."""
        given = arguments.get(name)
        if self.signer is not None:
            if given not in (None, self.signer):
                raise Denied(
                    f'What you write is signed "{self.signer}", by the name of your token.',
                    hint=f'Leave "{name}" out; only the owner\'s token may name somebody else.',
                )
            return {**arguments, name: self.signer}
        beside = f" ({OWNER})"
        if self.actor is None or not isinstance(given, str) or given.endswith(beside):
            return arguments
        return {**arguments, name: given + beside}

    @property
    def cancelled(self) -> bool:
        """Whether the caller has given up."""
        return self._cancelled

    def cancel(self) -> None:
        """Tell the operation that nobody waits for its result any more."""
        self._cancelled = True

    def remaining(self) -> float | None:
        """Return the seconds left, or None when there is no deadline."""
        if self._ends is None or self._asking:
            return None if self._ends is None else self._seconds
        return max(0.0, self._ends - self._clock())

    def check(self) -> None:
        """Raise when the operation should stop now."""
        if self.cancelled:
            raise Cancelled("The request was cancelled.")
        if self._ends is not None and self._clock() > self._ends:
            raise DeadlineExceeded(
                f"The operation did not finish within {self._seconds:g} seconds.",
                hint="Narrow the request, or ask for fewer items.",
            )

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report how far the operation is, and stop it when nobody waits any more."""
        self.check()
        self._listener.progress(done, total, message)

    def log(self, text: str, level: Level = "info") -> None:
        """Tell the client something while the operation runs, if it wants to hear it."""
        self._listener.log(level, text)

    def changed(self, listed: Listed) -> None:
        """Tell clients that a list of what is offered has changed."""
        self._listener.changed(listed)

    def can_ask(self, capability: Capability) -> bool:
        """Return whether the client can answer such questions."""
        return self._asker is not None and self._asker.supports(capability)

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Return the client's answers by key. The time a person takes does not count."""
        from holdfast.kernel.questions import NobodyToAsk

        asked, self._asking = self._clock(), True
        try:
            return (self._asker or NobodyToAsk()).ask(questions)
        finally:
            self._asking = False
            if self._ends is not None:
                self._ends += self._clock() - asked

    def when_answered(self, commit: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Run `commit` once the answer was written, or `otherwise` when it could not be."""
        with self._settling:
            if self._answered is None:
                self._settlements.append((commit, otherwise))
                return
        (commit if self._answered else otherwise)()

    @property
    def awaits_answer(self) -> bool:
        """Whether something is left to do once the answer was written, or could not be."""
        return bool(self._settlements)

    def settle(self, *, answered: bool) -> None:
        """Run what the operation left to do after its answer; only the first settlement counts."""
        with self._settling:
            if self._answered is not None:
                return
            self._answered = answered
            settlements, self._settlements = self._settlements, []
        for commit, otherwise in settlements:
            (commit if answered else otherwise)()


_current: ContextVar[Call | None] = ContextVar("holdfast_call", default=None)


def current_call() -> Call:
    """Return the call that runs this code; outside of dispatch, one without deadline."""
    return _current.get() or Call()


@contextmanager
def running(call: Call) -> Iterator[Call]:
    """Make `call` the current one for the code inside."""
    token = _current.set(call)
    try:
        yield call
    finally:
        _current.reset(token)


Tracer = Callable[[str], AbstractContextManager[object]]
"""Opens a span of that name for the code inside."""

TRACERS: list[Tracer] = []
"""Whoever is told of spans: by default nobody."""

_UNTRACED = nullcontext()


def span(name: str) -> AbstractContextManager[object]:
    """Return what tells whoever traces how long the code inside takes."""
    return TRACERS[0](name) if TRACERS else _UNTRACED


class Role(Enum):
    """What a caller may do, from least to most: a reach into the effects of operations.

    Who may read sees only what reads, who may write also what adds and changes, an administrator also what
    destroys. The registry applies it, as it applies read-only.
    """

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


LATEST = 1000
"""So many of the latest durations are kept for each name: enough for a percentile, and bounded."""


class Served:
    """The requests of one name."""

    def __init__(self) -> None:
        self.requests = self.failed = 0
        self.seconds: deque[float] = deque(maxlen=LATEST)

    def percentile(self, share: float) -> float:
        """Return the duration that this share of the latest requests did not exceed."""
        ordered = sorted(self.seconds.copy())
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Tally:
    """Counts what is served. Written by the event loop alone, and read by any thread."""

    def __init__(self) -> None:
        self.began: float | None = None
        """When this process began to serve; None where it serves nobody, as a command does."""
        self.worker, self.workers = 0, 1
        self._served: dict[str, Served] = {}

    def begin(self, worker: int = 0, workers: int = 1) -> None:
        """Count from now on, as one of so many processes behind one port."""
        self.began, self.worker, self.workers = monotonic(), worker, workers
        self._served.clear()

    def count(self, name: str, seconds: float, *, failed: bool) -> None:
        """Count one request."""
        served = self._served.get(name)
        if served is None:
            served = self._served[name] = Served()
        served.requests += 1
        served.failed += failed
        served.seconds.append(seconds)

    def by_name(self) -> dict[str, Served]:
        """Return what was served, by name."""
        return dict(self._served)


SERVED = Tally()
"""What this process has served."""
