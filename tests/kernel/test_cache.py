"""What is kept is told again under the same sign, and under no other."""

from __future__ import annotations

from holdfast.kernel.cache import Memory


def test_an_answer_is_told_again_only_under_the_sign_it_was_kept_with() -> None:
    memory: Memory[str] = Memory()
    assert memory.keep("question", 1, "answer") == "answer"
    assert memory.recall("question", 1) == "answer"
    assert memory.recall("question", 2) is None
    assert memory.recall("other", 1) is None


def test_what_has_no_sign_is_neither_kept_nor_told() -> None:
    memory: Memory[str] = Memory()
    assert memory.keep("question", None, "answer") == "answer"
    assert memory.recall("question", None) is None
    memory.keep("question", 1, "answer")
    assert memory.recall("question", None) is None


def test_of_very_many_answers_those_kept_last_stay() -> None:
    memory: Memory[int] = Memory(most=10)
    for number in range(100):
        memory.keep(number, 1, number)
    assert memory.recall(99, 1) == 99
    assert sum(memory.recall(number, 1) is not None for number in range(100)) <= 10
