"""A machine that calls a store at random beside a dictionary, and a store that forgets, as its control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, run_state_machine_as_test

from tests.reliability.samples import samples

WHICH, SOME = st.integers(0, 1), st.integers(0, 50)
WORDS = st.text("abcdefgh", min_size=1, max_size=6)
Make = Callable[[], RuleBasedStateMachine]
FULL = precondition(lambda self: self.model)


def run(make: Make, examples: int) -> None:
    """Run a machine; what went wrong once between openings need not go wrong again, so nothing is shrunk."""
    chosen = settings(
        max_examples=examples, stateful_step_count=samples("machine steps"), deadline=None, database=None,
        phases=(Phase.generate,), report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(make, settings=chosen)


def forgetting(patch: pytest.MonkeyPatch, store: type, name: str, make: Make) -> Make:
    """Let every second call of a method in an example do nothing, and answer as the one before it."""
    real, made = getattr(store, name), list[Any]()

    def forgetful(*arguments: Any, **more: Any) -> Any:
        made.append(made[-1] if len(made) % 2 else real(*arguments, **more))
        return made[-1]

    def anew() -> RuleBasedStateMachine:
        made.clear()
        return make()

    patch.setattr(store, name, forgetful)
    return anew


class Machine(RuleBasedStateMachine):
    """Keeps what must be stored, and finds one of it by any number."""

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[Any, Any] = {}
        self.numbers = 0

    def fresh(self) -> int:
        self.numbers += 1
        return self.numbers

    def some(self, number: int) -> tuple[Any, Any]:
        return list(self.model.items())[number % len(self.model)]
