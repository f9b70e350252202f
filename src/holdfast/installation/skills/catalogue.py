"""The catalogue of skills, which `install` writes as files and the MCP server serves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

_ORDER = ("notes", "remarks", "tasks", "issues", "templates", "analysis", "source")
FILE_NAME = "SKILL.md"
"""The file of a skill, in a folder with the skill's name."""


@dataclass(frozen=True)
class Skill:
    """One skill."""

    name: str
    description: str
    """What the skill is for and when to use it; an agent reads it to decide whether to load the body."""
    body: str
    """The instructions, in Markdown, without front matter."""
    text: str
    """The whole file, with front matter."""

    @property
    def title(self) -> str:
        """The heading of the body."""
        return self.body.split("\n", 1)[0].removeprefix("# ")

    @property
    def main_tool(self) -> str:
        """The tool of the example; without it, the skill is of little use."""
        return self.body.partition("Example: `")[2].partition("`")[0]

    @property
    def path(self) -> str:
        """The path of the file in a folder of skills."""
        return f"{self.name}/{FILE_NAME}"


@cache
def skills() -> tuple[Skill, ...]:
    """Return all skills, those that most agents need first."""
    return tuple(_read(f"holdfast-{name}") for name in _ORDER)


def _read(name: str) -> Skill:
    text = (resources.files(__package__) / f"{name}.md").read_text(encoding="utf-8")
    _, front_matter, body = text.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front_matter.splitlines())
    return Skill(fields["name"], fields["description"], body, text)
