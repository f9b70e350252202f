"""Imports every module in which operations, resources and prompts of the room declare themselves."""

from __future__ import annotations

from holdfast.tasks import attachments, charting, listing, looking, resources

__all__ = ["attachments", "charting", "listing", "looking", "resources"]
