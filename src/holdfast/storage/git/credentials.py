"""The user's own configuration for external services: the allowed hosts and their passwords.

Contract:
- Only the user's and the system's git configuration is read. The repository's is not: git runs as if outside
  of it, so that no helper a repository names is ever started.
- A password is returned to the caller and stored nowhere. The user is never prompted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.command import SCOPES, Git, GitOptions
from holdfast.storage.git.repository import Repository
from holdfast.storage.network.address import AllowedHosts

HOSTS_VARIABLE = "HOLDFAST_HOSTS"
_HOSTS_SETTING = r"^holdfast[.]host$"
# Credential helpers need these to reach a keyring.
_KEYRING_VARIABLES = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "USER", "LOGNAME")


class UsersConfiguration:
    """The user's environment and git configuration."""

    def __init__(self, repository: Repository, environment: Mapping[str, str] = os.environ) -> None:
        self._repository = repository
        self.environment = environment

    def allowed_hosts(self) -> AllowedHosts:
        """Return the hosts that the user allowed."""
        named = self.environment.get(HOSTS_VARIABLE, "").replace(",", " ").split()
        return AllowedHosts([*named, *self._hosts_in_git()])

    def variable(self, *names: str) -> str | None:
        """Return the value of the first of these environment variables that is not empty, or None."""
        return next((value for name in names if (value := self.environment.get(name, "").strip())), None)

    def password(self, host: str) -> str | None:
        """Return the password that the user's credential helpers have for a host, or None."""
        if self._repository.git_dir is None or not host.replace("-", "").replace(".", "").isalnum():
            return None
        with Git(self._repository, self.environment) as git:
            variables = {
                name: self.environment[name] for name in _KEYRING_VARIABLES if name in self.environment
            }
            result = git.execute(
                "credential", "fill", stdin=f"protocol=https\nhost={host}\n\n".encode(),
                seconds=LIMITS.credential_seconds, limit=LIMITS.read_chunk,
                options=GitOptions(environment=variables, outside_repository=True),
            )  # fmt: skip
        lines = result.output.decode(errors="replace").splitlines()
        credential = dict(line.split("=", 1) for line in lines if "=" in line)
        return credential.get("password") if result.status == 0 else None

    def _hosts_in_git(self) -> list[str]:
        """Return the hosts in git's configuration, first those of the machine, then those of the user."""
        if self._repository.git_dir is None:
            return []
        with Git(self._repository, self.environment) as git:
            settings = [
                git.settings(_HOSTS_SETTING, scope, outside_repository=True, errors="surrogateescape")
                for scope in SCOPES
            ]
        return [value for pairs in settings for _, value in pairs]
