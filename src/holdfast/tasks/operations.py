"""Imports every module in which operations, resources and prompts of the room declare themselves."""

from __future__ import annotations

from holdfast.tasks import listing

__all__ = ["listing"]
