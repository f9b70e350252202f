"""The files of rules belong to people: a change touches the lines of its rule and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.kernel.errors import NotFound
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts import rules
from holdfast.tasks.texts.rules import FILES, Rule
from holdfast.tasks.tools.rule_update import UpdateRules, rule_update

WRITTEN = """\
# House rules

Written after the outage of May. Ask Ada before changing them.

## Naming

- Use full words,
  never abbreviations.
1. Say what a thing is

```py
# - not a rule
```

## Testing
- Run it twice

The end.
"""


@pytest.fixture
def engine() -> str:
    """The files are the same whatever engine keeps the index."""
    return "sqlite"


@pytest.fixture
def file(room: Tasks, repository: Path) -> Path:
    path = repository / FILES["workspace"].text
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(WRITTEN)
    return path


def test_an_added_rule_leaves_all_that_people_wrote(room: Tasks, file: Path):
    rules.add(room, Rule("testing", "Run it thrice", "workspace"), source="ada")
    rules.add(room, Rule("git", "Sign commits", "workspace"), source="ada")
    among = WRITTEN.replace("- Run it twice\n", "- Run it twice\n- Run it thrice\n")
    assert file.read_text() == f"{among}\n## Git\n\n- Sign commits\n"


def test_a_rule_has_the_lines_indented_below_it_and_code_has_none(room: Tasks, file: Path):
    own = [(rule.type, rule.text) for rule in rules.active_rules(room) if rule.scope == "workspace"]
    assert own == [
        ("custom", "Use full words, never abbreviations."),
        ("custom", "Say what a thing is"),
        ("testing", "Run it twice"),
    ]


def test_a_changed_or_removed_rule_takes_its_own_lines_along(room: Tasks, file: Path):
    words, thing, _ = [rule.id for rule in rules.active_rules(room) if rule.scope == "workspace"]
    rules.replace(room, thing, "Name the thing", source="ada")
    rules.remove(room, words, source="ada")
    assert file.read_text() == WRITTEN.replace(
        "- Use full words,\n  never abbreviations.\n1. Say what a thing is\n", "1. Name the thing\n"
    )


def test_a_rule_is_removed_by_what_it_says(room: Tasks, file: Path):
    gone = rule_update(room, UpdateRules(action="remove", rule_content="run it  TWICE."))
    assert [rule.text for rule in gone.rules] == ["Run it twice"]
    assert "Run it twice" not in file.read_text()
    with pytest.raises(NotFound, match="There is no rule"):
        rule_update(room, UpdateRules(action="remove", rule_content="Run it twice"))
