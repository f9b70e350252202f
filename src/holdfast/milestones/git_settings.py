"""What this room would like git to know: that a plain `git fetch` brings what others did here, too."""

from __future__ import annotations

from holdfast.milestones.index.schema import LOGS, TRACKED

NAME = "milestones"
REMOTE_CONFIGURATION = ('[remote "{remote}"]', f"\tfetch = +{LOGS}*:{TRACKED}{{remote}}/*")
"""Lines of a git configuration file, for each remote."""
