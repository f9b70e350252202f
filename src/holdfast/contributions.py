"""The toolsets' contributions to the configuration of other programs, which `holdfast install` writes."""

from __future__ import annotations

from importlib import resources

from holdfast.comments.union import git_settings as sidecars
from holdfast.installation.client import Contributions, GitSettings
from holdfast.milestones.index.schema import REMOTE_CONFIGURATION


def contributions() -> Contributions:
    """Return lazygit's commands for the inbox, and the git settings that the toolsets declare."""
    lazygit_commands = resources.files("holdfast.inbox") / "lazygit.yml"
    git_settings = (
        GitSettings(sidecars.NAME, sidecars.CONFIGURATION, sidecars.ATTRIBUTES),
        GitSettings("milestones", remote_configuration=REMOTE_CONFIGURATION),
    )
    return Contributions(lazygit_commands.read_text(encoding="utf-8"), git_settings)
