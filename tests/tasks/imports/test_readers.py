from __future__ import annotations

import json

import pytest

from holdfast.kernel.errors import Invalid
from holdfast.tasks.imports.backlog_folder import is_task_file, read_backlog
from holdfast.tasks.imports.check_list import read_check_list
from holdfast.tasks.imports.problem import Problem
from holdfast.tasks.imports.task_master import read_task_master
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask, priority_of, status_of

CHECK_LIST = """\
# Kelp

What this is about.

- [ ] Write the parser #parser @ada !high
  It must take **every** dialect.

  - [x] Read headings
    - [/] Deeper
  - [ ] Read items
- [-] Forget it
- [?] Is it #12 or C#?
```
- [ ] not a task
```

## In progress
- [ ] Second
- Third, without a box
* [x] Fourth

## Ideas
- not a task either
1. [!] Urgent
"""


def by_title(tasks: list[ForeignTask]) -> dict[str, ForeignTask]:
    return {task.title: task for task in tasks}


def test_a_check_list_becomes_nested_tasks_with_states_and_labels() -> None:
    tasks, problems = read_check_list(CHECK_LIST, "todo.md")
    found = by_title(tasks)
    assert problems == []
    assert list(found) == [
        "Write the parser", "Read headings", "Deeper", "Read items", "Forget it", "Is it #12 or C#?",
        "Second", "Third, without a box", "Fourth", "Urgent",
    ]  # fmt: skip
    parser = found["Write the parser"]
    assert (parser.labels, parser.priority, parser.line) == (("parser", "@ada"), "high", 5)
    assert parser.description == "It must take **every** dialect."
    assert found["Deeper"].parent == found["Read headings"].foreign_id == "Write the parser > Read headings"
    assert found["Read items"].parent == parser.foreign_id
    assert found["Forget it"].parent is None
    states = {title: task.status for title, task in found.items()}
    assert states["Read headings"] == "done"
    assert states["Deeper"] == "in-progress"
    assert states["Forget it"] == "dropped"
    assert (states["Second"], states["Third, without a box"], states["Fourth"]) == (
        "in-progress", "in-progress", "done",
    )  # fmt: skip
    assert found["Is it #12 or C#?"].labels == ("question",)
    assert found["Urgent"].priority == "high"
    assert found["Urgent"].notes_with_extra() == "section: Ideas"


def test_other_states_and_another_order_leave_the_origins_as_they_were() -> None:
    before, _ = read_check_list("- [ ] One\n- [ ] Two\n- [ ] Two\n", "todo.md")
    after, _ = read_check_list("- [x] Two\n- [x] One #done\n- [ ] Two\n", "todo.md")
    assert (
        {task.foreign_id for task in before}
        == {task.foreign_id for task in after}
        == {"One", "Two", "Two (2)"}
    )


def test_a_line_may_carry_its_id() -> None:
    tasks, problems = read_check_list(
        "- [ ] One ^abc\n- [ ] Two <!-- id: x-1 -->\n- [ ] Three ^abc\n", "t.md"
    )
    assert [(task.foreign_id, task.title) for task in tasks] == [
        ("abc", "One"),
        ("x-1", "Two"),
        ("Three", "Three"),
    ]
    assert [problem.line for problem in problems] == [3]


def test_odd_items_are_named_by_their_line_and_not_lost() -> None:
    tasks, problems = read_check_list("- [%] Odd\n- [ ]\n- [ ] #only #tags\n", "todo.md")
    assert [task.title for task in tasks] == ["Odd", "#only #tags"]
    assert [(problem.file, problem.line) for problem in problems] == [("todo.md", 1), ("todo.md", 2)]
    assert "[%]" in problems[0].message


def test_code_below_an_item_is_its_description() -> None:
    tasks, _ = read_check_list("- [ ] Run\n  ```sh\n  - [ ] make\n  ```\n- [ ] Next\n", "todo.md")
    assert [task.title for task in tasks] == ["Run", "Next"]
    assert tasks[0].description == "```sh\n- [ ] make\n```"


UNTAGGED = {
    "tasks": [
        {
            "id": 1, "title": "Parse", "description": "Read it.", "details": "All of it.",
            "testStrategy": "Fuzz.",
            "status": "in-progress", "priority": "critical", "dependencies": [],
            "subtasks": [
                {"id": 1, "title": "Lex", "status": "done", "dependencies": []},
                {"id": 2, "title": "Build", "status": "pending", "dependencies": [1, "2.1"]},
            ],
        },
        {
            "id": 2, "title": "Print", "status": "deferred", "dependencies": [1], "complexityScore": 7,
            "subtasks": [{"id": "2.1", "title": "Indent", "status": "cancelled"}],
        },
    ],
    "metadata": {"projectName": "Kelp"},
}  # fmt: skip


def test_task_master_without_tags() -> None:
    tasks, problems = read_task_master(json.dumps(UNTAGGED, indent=2), "tasks.json")
    found = {task.foreign_id: task for task in tasks}
    assert problems == []
    assert list(found) == ["1", "1.1", "1.2", "2", "2.1"]
    assert found["1"].description == "Read it.\n\nAll of it.\n\nTest strategy: Fuzz."
    assert (found["1"].status, found["1"].priority) == ("in-progress", "high")
    assert found["1.2"].depends_on == ("1.1", "2.1")
    assert found["1.2"].parent == "1"
    assert found["2"].depends_on == ("1",)
    assert found["2"].notes_with_extra() == "complexityScore: 7"
    assert found["2.1"].status == "dropped"


def test_task_master_with_tags_keeps_them_apart() -> None:
    content = json.dumps({"master": UNTAGGED, "feature": {"tasks": [UNTAGGED["tasks"][1]]}}, indent=1)
    tasks, problems = read_task_master(content, "tasks.json")
    found = {task.foreign_id: task for task in tasks}
    assert problems == []
    assert [origin for origin in found if origin.startswith("feature/")] == ["feature/2", "feature/2.1"]
    assert found["feature/2"].depends_on == ("feature/1",)
    assert found["feature/2"].labels == ("feature",)
    assert found["master/2"].labels == ()


def test_what_task_master_says_wrongly_is_named_by_its_line() -> None:
    content = (
        '{"tasks": [\n{"id": 1, "title": "One", "status": "odd"},\n3,\n'
        '{"id": 1, "title": "Again"},\n{"id": 4}\n]}'
    )
    tasks, problems = read_task_master(content, "tasks.json")
    assert [task.foreign_id for task in tasks] == ["1"]
    assert tasks[0].notes_with_extra() == "status: odd"
    assert [problem.line for problem in problems] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"tasks": [\n{"id": 1,}\n]}', "line 2"),
        ("[]", "not an object"),
        ('{"a": 1}', "no list called 'tasks'"),
    ],
)
def test_what_is_not_of_task_master_is_refused(content: str, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        read_task_master(content, "tasks.json")


BACKLOG_TASK = """\
---
id: task-7.1
title: 'Read: every dialect'
status: In Progress
assignee:
  - '@ada'
created_date: 2025-06-01
labels: [parser, "two words"]
dependencies:
  - task-3
priority: high
ordinal: 1000
---
## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
It must read them all.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 Reads one
- [ ] #2 Reads two
<!-- AC:END -->

## Implementation Plan

1. Begin

## Implementation Notes

Nearly there.

## Odd Section

Kept whole.
"""


def test_a_backlog_folder_is_read_with_everything_in_it() -> None:
    files = {
        "tasks/task-7.1 - Read.md": BACKLOG_TASK,
        "completed/task-3 - Old.md": "---\nid: TASK-3\ntitle: Old\n---\nText without a section\n",
        "drafts/draft-1.md": "---\nid: draft-1\ntitle: Maybe\n---\n",
        "archive/tasks/task-2.md": "---\nid: task-2\ntitle: Gone\nstatus: Done\n---\n",
        "docs/readme.md": "no task",
        "config.yml": "x: 1",
    }
    tasks, problems = read_backlog(files)
    found = {task.foreign_id: task for task in tasks}
    assert problems == []
    assert sorted(found) == ["draft-1", "task-2", "task-3", "task-7.1"]
    task = found["task-7.1"]
    assert (task.title, task.status, task.priority) == ("Read: every dialect", "in-progress", "high")
    assert task.labels == ("parser", "two words")
    assert (task.depends_on, task.parent) == (("task-3",), "task-7")
    assert task.criteria == (ForeignCriterion("Reads one", True), ForeignCriterion("Reads two", False))
    assert task.description == "It must read them all.\n\n## Odd Section\nKept whole."
    assert task.plan == "1. Begin"
    assert (
        task.notes_with_extra() == "Nearly there.\n\nassignee: @ada\ncreated_date: 2025-06-01\nordinal: 1000"
    )
    assert (found["task-3"].status, found["task-3"].description) == ("done", "Text without a section")
    assert found["task-2"].status == "dropped"
    assert found["draft-1"].labels == ("draft",)


def test_what_is_wrong_in_a_backlog_folder_is_named() -> None:
    files = {
        "tasks/a.md": "no head",
        "tasks/b.md": "---\nid: task-1\ntitle: [unclosed\n---\n",
        "tasks/c.md": "---\ntitle: Without id\n---\n",
        "tasks/d.md": "---\nid: task-9\ntitle: First\nstatus: Pondering\npriority: odd\n---\n",
        "tasks/e.md": "---\nid: TASK-9\ntitle: Second\n---\n",
    }
    tasks, problems = read_backlog(files)
    assert [(task.title, task.status) for task in tasks] == [("First", "backlog")]
    assert tasks[0].notes_with_extra() == "status: Pondering\npriority: odd"
    assert [problem.file for problem in problems] == [f"tasks/{name}.md" for name in "abcdde"]
    assert problems[1].line is not None
    assert isinstance(problems[0], Problem)


def test_only_files_of_tasks_are_read() -> None:
    assert is_task_file("tasks/x.md")
    assert not is_task_file("tasks/x.txt")
    assert not is_task_file("decisions/x.md")


def test_words_of_others_mean_our_states() -> None:
    assert status_of("In Progress") == "in-progress"
    assert status_of("Done ✓") == "done"
    assert status_of("in_review") == "review"
    assert status_of("Pondering") is None
    assert priority_of("Urgent") == "high"
    assert priority_of("odd") is None


@pytest.mark.parametrize(
    "hostile",
    [
        "a: &a [x, x]\nb: [*a, *a]",
        f"a: {'[' * 2000}{']' * 2000}",
        "a: !!timestamp x",
        f"a: {'9' * 5000}",
        f"a: {'x' * 70_000}",
    ],
    ids=["aliases", "depth", "tag", "number", "length"],
)
def test_a_hostile_head_in_a_backlog_folder_is_one_problem(hostile: str) -> None:
    files = {
        "tasks/a.md": f"---\nid: t-1\ntitle: Hostile\n{hostile}\n---\n",
        "tasks/b.md": "---\nid: t-2\ntitle: Sound\n---\n",
    }
    tasks, problems = read_backlog(files)
    assert [task.title for task in tasks] == ["Sound"]
    assert [problem.file for problem in problems] == ["tasks/a.md"]


def test_a_heading_or_box_full_of_spaces_takes_no_time() -> None:
    spaces = " " * 200_000
    body = f"## One{spaces}two\nText\n## Acceptance Criteria  \n- [x] {spaces}\n- [x]   Done  \n"
    [task], problems = read_backlog({"tasks/a.md": f"---\nid: t-1\ntitle: First\n---\n{body}"})
    assert problems == []
    assert task.criteria == (ForeignCriterion("Done", checked=True),)
    assert f"## One{spaces}two\nText" in task.description


@pytest.mark.parametrize("depth", [500, 50_000])
def test_a_deep_task_master_file_is_refused_by_name(depth: int) -> None:
    with pytest.raises(Invalid, match=r"'t\.json'.*nested"):
        read_task_master(
            '{"tasks": [{"id": 1, "title": "x", "y": ' + "[" * depth + "]" * depth + "}]}", "t.json"
        )
