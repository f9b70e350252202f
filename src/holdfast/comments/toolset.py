"""The toolset in which the room's operations, resources and prompts declare themselves."""

from __future__ import annotations

from holdfast.kernel.toolset import Toolset

FAMILY = "paired-comments"

comments = Toolset(
    "comments",
    "Notes on lines of code that follow the code when it changes, kept beside it in `<source>.comments`.",
    family=FAMILY,
)
