"""How one repository names its objects, and whether it stores them in the usual way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.storage.git.command import Git

HASHES: dict[str, Callable[..., hashlib._Hash]] = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}

_RELEVANT = r"^(core\.(sharedrepository|logallrefupdates)|extensions\..*)$"
_HARMLESS = ("extensions.worktreeconfig", "extensions.preciousobjects", "extensions.relativeworktrees")
"""Extensions that change neither the form nor the place of objects and refs."""


class ObjectFormat:
    """The hash of one repository, and whether its configuration is plain enough for our own writer."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._hash: str | None = None
        self._is_plain: bool | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the configuration says nothing unusual about objects and refs."""
        if self._is_plain is None:
            settings = {key.lower(): value for key, value in self._git.settings(_RELEVANT)}
            self._hash = settings.pop("extensions.objectformat", "sha1").lower()
            logs_always = settings.pop("core.logallrefupdates", "true").lower() == "always"
            is_shared = settings.pop("core.sharedrepository", "false").lower() not in ("false", "umask", "0")
            unusual = [key for key in settings if key not in _HARMLESS]
            self._is_plain = not (logs_always or is_shared or unusual) and self._hash in HASHES
        return self._is_plain

    def object_id(self, kind: str, content: bytes) -> str:
        """Return the id of an object."""
        return self.digest(b"%s %d\0%s" % (kind.encode("ascii"), len(content), content)).hex()

    def digest(self, data: bytes) -> bytes:
        """Return the hash of some bytes."""
        return HASHES[self._hash or "sha1"](data).digest()
