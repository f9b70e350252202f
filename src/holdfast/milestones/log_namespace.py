"""The two namespaces of refs in which a remote may keep logs."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.milestones.index.schema import LOGS, TRACKED, TRACKED_BRANCHES


class LogNamespace(NamedTuple):
    """The ref prefix of logs at a remote, and that of this clone's tracking refs for them."""

    remote_prefix: str
    tracking_prefix: str

    def tracking(self, remote: str) -> str:
        """Return the prefix of the tracking refs for a remote."""
        return f"{self.tracking_prefix}{remote}/"

    def refspec(self, remote: str) -> str:
        return f"+{self.remote_prefix}*:{self.tracking(remote)}*"


REFS = LogNamespace(LOGS, TRACKED)
BRANCHES = LogNamespace("refs/heads/holdfast/log/", TRACKED_BRANCHES)
NAMESPACES = (REFS, BRANCHES)
