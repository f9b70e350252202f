"""One running operation: its caller, deadline and cancellation, and the actions after its answer.

Contract:
- `check` raises once the caller has cancelled or the deadline has passed; long operations call it in their
  loops.
- Of each pair of actions passed to `after_answer` exactly one runs, once: `commit` after the answer was sent,
  or `rollback` if it cannot be sent. Every face settles each of its calls, which runs these actions. For a
  pair that is added later, by a thread that was slow to stop, the action runs immediately.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

from holdfast.kernel.clock import MonotonicClock, monotonic
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, Denied
from holdfast.kernel.role import OWNER

if TYPE_CHECKING:
    from holdfast.kernel.questions import Answers, Asker, Capability, Question


Level = Literal["debug", "info", "warning", "error"]
Listed = Literal["tools", "prompts", "resources"]
"""A list that a server offers, and that may change while clients are connected."""


class Listener:
    """Receives what a running operation reports. This one ignores all of it."""

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Receive the progress of the operation."""

    def log(self, level: Level, text: str) -> None:
        """Receive a log message."""

    def changed(self, listed: Listed) -> None:
        """Receive a change of the list of tools, prompts or resources."""


class Call:
    """The request that runs an operation, as far as the operation may know it."""

    def __init__(
        self,
        *,
        seconds: float | None = None,
        listener: Listener | None = None,
        asker: Asker | None = None,
        actor: str | None = None,
        program: str | None = None,
        clock: MonotonicClock = monotonic,
    ) -> None:
        self.actor = actor
        """The name of the caller's token; None where callers are not identified, as with stdio."""
        self.signer = None if actor == OWNER else actor
        """The only author name that this call may use; None if the caller may choose the name."""
        self.author = self.signer or program
        """The author of what this call writes without naming one: its token or its program. None for a person
        at a terminal or at the page, whose name git knows."""
        self.is_specified = False
        """Whether the server acts as that of one specification, whose clients expect exactly its errors."""
        self._clock = clock
        self._seconds = seconds
        self._deadline = None if seconds is None else clock() + seconds
        self._listener = listener or Listener()
        self._asker = asker
        self.deferral: Callable[[], None] | None = None
        """Lets the client collect the result later; None where it cannot."""
        self._is_asking = False
        self._cancelled = False
        self._after_answer: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self._answered: bool | None = None
        self._settle_lock = threading.Lock()

    def with_author(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments with the author, the argument `name`, set as this caller may set it."""
        author = arguments.get(name)
        if self.signer is not None and author not in (None, self.signer):
            raise Denied(
                f'What you write is signed "{self.signer}", by the name of your token.',
                hint=f'Leave "{name}" out; only the owner\'s token may name another author.',
            )
        return arguments if author is not None or self.author is None else {**arguments, name: self.author}

    @property
    def cancelled(self) -> bool:
        """Whether the caller has cancelled."""
        return self._cancelled

    def cancel(self) -> None:
        """Make `check` raise from now on: no client waits for the result any more."""
        self._cancelled = True

    def remaining(self) -> float | None:
        """Return the seconds until the deadline, 0 once it has passed; None when there is none."""
        if self._deadline is None:
            return None
        if self._is_asking:  # the deadline will be moved by the time that the answer takes
            return self._seconds
        return max(0.0, self._deadline - self._clock())

    def check(self) -> None:
        """Raise when the operation should stop now."""
        if self.cancelled:
            raise Cancelled("The request was cancelled.")
        if self._deadline is not None and self._clock() > self._deadline:
            raise self.deadline_error()

    def deadline_error(self) -> DeadlineExceeded:
        """Return the error for a call whose deadline has passed."""
        return DeadlineExceeded(
            f"The operation did not finish within {self._seconds:g} seconds.",
            hint="Narrow the request, or ask for fewer items.",
        )

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report the progress; raise when the operation should stop."""
        self.check()
        self._listener.progress(done, total, message)

    def log(self, text: str, level: Level = "info") -> None:
        """Send the client a log message, if it wants messages of that level."""
        self._listener.log(level, text)

    def changed(self, listed: Listed) -> None:
        """Notify clients that the list of tools, prompts or resources has changed."""
        self._listener.changed(listed)

    def can_ask(self, capability: Capability) -> bool:
        """Return whether the client can answer such questions."""
        return self._asker is not None and self._asker.supports(capability)

    def ask(self, questions: Mapping[str, Question]) -> Answers:
        """Return the client's answers by key. The deadline is moved by the time that a person takes."""
        from holdfast.kernel.questions import NoClient  # here, because few operations ask

        started, self._is_asking = self._clock(), True
        try:
            return (self._asker or NoClient()).ask(questions)
        finally:
            self._is_asking = False
            if self._deadline is not None:
                self._deadline += self._clock() - started

    def defer(self) -> None:
        """Let the client collect the result later, if it can: the operation is about to wait, or take long.

        Questions that are asked from now on wait for their answers, even after a reconnect.
        """
        if self.deferral is not None:
            self.deferral()

    def after_answer(self, commit: Callable[[], None], rollback: Callable[[], None]) -> None:
        """Run `commit` once the answer has been sent, or `rollback` if it cannot be sent."""
        with self._settle_lock:
            if self._answered is None:
                self._after_answer.append((commit, rollback))
                return
        (commit if self._answered else rollback)()

    @property
    def awaits_answer(self) -> bool:
        """Whether there are actions to run after the answer."""
        return bool(self._after_answer)

    def settle(self, *, answered: bool) -> None:
        """Run the actions that follow the answer; later calls of this method do nothing."""
        with self._settle_lock:
            if self._answered is not None:
                return
            self._answered = answered
            actions, self._after_answer = self._after_answer, []
        for commit, rollback in actions:
            (commit if answered else rollback)()


_current: ContextVar[Call | None] = ContextVar("holdfast_call", default=None)


def current_call() -> Call:
    """Return the call that runs this code; outside of dispatch, a new one without a deadline."""
    return _current.get() or Call()


@contextmanager
def running(call: Call) -> Iterator[Call]:
    """Make `call` the current call in a `with` block."""
    token = _current.set(call)
    try:
        yield call
    finally:
        _current.reset(token)
