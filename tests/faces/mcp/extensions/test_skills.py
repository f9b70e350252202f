"""The skills that `install` writes are served as resources, with what a host needs to check them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from holdfast.faces.mcp.extensions.declaration import SKILLS
from holdfast.installation.skills.catalogue import skills
from tests.faces.mcp.talking import talking


@pytest.mark.parametrize("way", ["stdio 2025-11-25", "stdio 2026-07-28"])
def test_skills_are_listed_and_read_as_they_are_installed(way: str, repository: Path) -> None:
    with talking(way, repository) as talk:
        assert talk.greeting["capabilities"]["extensions"][SKILLS] == {}
        listed = talk.result("skills/list")["skills"]
        assert [entry["frontmatter"]["name"] for entry in listed] == [skill.name for skill in skills()]
        resources = {item["uri"]: item for item in talk.result("resources/list")["resources"]}
        prompts = {item["name"]: item for item in talk.result("prompts/list")["prompts"]}
        for skill, entry in zip(skills(), listed, strict=True):
            [contents] = talk.result("resources/read", uri=entry["uri"])["contents"]
            [file] = entry["resources"]
            content = contents["text"].encode()
            assert contents["text"] == skill.text
            assert (file["uri"], file["size"]) == (entry["uri"], len(content))
            assert file["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
            assert talk.result("skills/get", uri=entry["uri"])["skill"] == entry
            assert resources[entry["uri"]]["description"] == skill.description
            assert prompts[skill.name]["title"] == skill.title
            [message] = talk.result("prompts/get", name=skill.name)["messages"]
            assert message["content"]["text"] == skill.body
        assert talk.ask("skills/get", uri="skill://other/SKILL.md")["error"]["code"] == -32602
        assert talk.ask("skills/list", cursor="x")["error"]["code"] == -32602


def test_skills_without_a_tool_on_this_server_are_left_out(repository: Path) -> None:
    with talking("stdio 2025-11-25", repository, "--toolsets", "inbox") as talk:
        names = {entry["frontmatter"]["name"] for entry in talk.result("skills/list")["skills"]}
    assert "holdfast-remarks" in names
    assert "holdfast-analysis" not in names


def test_the_server_of_a_specification_has_no_skills(repository: Path) -> None:
    with talking("stdio 2025-11-25", repository, "--profile", "taskpilot") as talk:
        assert talk.ask("skills/list")["error"]["code"] == -32601
        assert talk.ask("prompts/get", name="holdfast-tasks")["error"]["code"] == -32602
        uris = [item["uri"] for item in talk.result("resources/list")["resources"]]
    assert not [uri for uri in uris if uri.startswith("skill:")]
