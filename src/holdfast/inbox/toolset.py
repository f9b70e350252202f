"""The toolset in which the room's operations, resources and prompts declare themselves."""

from __future__ import annotations

from holdfast.kernel.operation import Toolset

inbox = Toolset(
    "inbox",
    "Review remarks that people leave in lazygit, an editor or a shell for an agent to act on.",
    family="lazygit",
)
