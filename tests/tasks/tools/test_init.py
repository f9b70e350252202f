"""A workspace begins with what its languages ask for, by their names and by their files."""

from __future__ import annotations

import pytest

from holdfast.tasks.tools.init import InitWorkspace, init
from tests.tasks.conftest import OpenTasks


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("JavaScript, MongoDB, Django", ["python", "node"]),
        ("Go and Rust", ["rust", "go"]),
        ("Java/Spring", ["java"]),
        ("COBOL", []),
    ],
)
def test_a_language_is_told_by_its_name_and_not_by_letters_in_another(
    open_tasks: OpenTasks, told: str, known: list[str]
):
    assert init(open_tasks(), InitWorkspace(tech_stack=told)).tech_stack == known


def test_a_second_call_tells_what_the_workspace_began_with(open_tasks: OpenTasks):
    init(open_tasks(), InitWorkspace(tech_stack="Rust"))
    again = init(open_tasks(), InitWorkspace(tech_stack="PHP"))
    assert (again.already_initialized, again.tech_stack) == (True, ["rust"])
