"""The toolset in which the room's operations declare themselves."""

from __future__ import annotations

from holdfast.kernel.toolset import Toolset

source = Toolset("source", "The source itself: folders, files and their lines.")
