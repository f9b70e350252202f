"""The extension for skills: `skills/list`, `skills/get`, and the resource and the prompt that each skill is.

They are the skills that `holdfast install` writes as files; a server has those whose main tool it offers.
In a client without the extension they are ordinary resources, and prompts that a person can choose.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from holdfast.faces.mcp.request import Context
from holdfast.installation.skills.catalogue import Skill, skills
from holdfast.kernel.codes import INVALID_PARAMS
from holdfast.kernel.registry import Registry
from holdfast.kernel.resource import MAX_QUOTED_URI_CHARACTERS, ListedResource

MEDIA_TYPE = "text/markdown"
_CACHE_HINT = {"ttlMs": 60_000, "cacheScope": "private"}
"""As for the other lists; a skill changes only with the installed version."""


class SkillParameters(types.RequestParams):
    """The parameters of skills/get."""

    uri: str


class ServedSkills:
    """The skills of one server."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    @cached_property
    def _by_uri(self) -> dict[str, Skill]:
        tools = {operation.listed_name for operation in self._registry.operations}
        return {f"skill://{skill.path}": skill for skill in skills() if skill.main_tool in tools}

    def resources(self) -> list[ListedResource]:
        """Return the skills as resources."""
        return [
            ListedResource(
                uri, skill.name, skill.description, MEDIA_TYPE, skill.title, len(skill.text.encode())
            )
            for uri, skill in self._by_uri.items()
        ]

    def prompts(self) -> list[types.Prompt]:
        """Return the skills as prompts."""
        return [
            types.Prompt(name=skill.name, title=skill.title, description=skill.description)
            for skill in self._by_uri.values()
        ]

    def prompt(self, name: str) -> types.GetPromptResult | None:
        """Return the instructions of a skill as a prompt, or None if no skill has the name."""
        for skill in self._by_uri.values():
            if skill.name == name:
                content = types.TextContent(type="text", text=skill.body)
                message = types.PromptMessage(role="user", content=content)
                return types.GetPromptResult(description=skill.description, messages=[message])
        return None

    def text(self, uri: str) -> str | None:
        """Return the file of a skill, or None if a URI is not that of a skill."""
        skill = self._by_uri.get(uri)
        return None if skill is None else skill.text

    async def list(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        """Answer skills/list with all skills on one page."""
        del ctx
        if params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "This cursor is not from skills/list, whose list has one page.")
        return {"skills": [_entry(uri, skill) for uri, skill in self._by_uri.items()], **_CACHE_HINT}

    async def get(self, ctx: Context, params: SkillParameters) -> dict[str, Any]:
        """Answer skills/get with the entry of one skill."""
        del ctx
        skill = self._by_uri.get(params.uri)
        if skill is None:
            known = ", ".join(self._by_uri) or "none"
            data = {"uri": params.uri[:MAX_QUOTED_URI_CHARACTERS]}
            raise MCPError(INVALID_PARAMS, f"No skill has this URI. The skills are: {known}.", data)
        return {"skill": _entry(params.uri, skill), **_CACHE_HINT}


def _entry(uri: str, skill: Skill) -> dict[str, Any]:
    content = skill.text.encode()
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return {
        "uri": uri,
        "frontmatter": {"name": skill.name, "description": skill.description},
        "resources": [{"uri": uri, "digest": digest, "size": len(content)}],
    }
