"""Imports every module in which operations, resources and prompts of the room declare themselves."""

from __future__ import annotations

from holdfast.tasks import attachments, charting, listing, looking, resources
from holdfast.tasks.github import operations as github
from holdfast.tasks.imports import operations as imports
from holdfast.tasks.remote import operations as remote

__all__ = ["attachments", "charting", "github", "imports", "listing", "looking", "remote", "resources"]
