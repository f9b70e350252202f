"""What hooks have told each session, so that nothing is said twice.

A file for each session, in a folder of the store, has the time of the session's first hook and a line for
each thing that was said. Where there is no store, nothing is kept.
"""

from __future__ import annotations

import os
import time
from zlib import crc32

_FOLDER = "hooks"
_MAX_BYTES = 256 * 1024
"""A judgement: some twenty thousand lines. In a longer session, everything may be said again."""
_MAX_DAYS = 14
"""Files that were not written for so long are deleted. A judgement: few sessions are resumed after that."""


class Said:
    """What was said in one session."""

    def __init__(self, store: str, session: str) -> None:
        # Without a name, hooks of all sessions share a file.
        name = f"{crc32(session.encode('utf-8', 'replace')):08x}-{len(session)}"
        self._path = os.path.join(store, _FOLDER, name)
        lines = self._read()
        self.since = float(lines[0]) if lines and _is_number(lines[0]) else time.time()
        """When the session's first hook ran."""
        self._said = set(lines[1:])
        self._is_new = not lines

    def is_new(self, key: str) -> bool:
        """Return whether this was not said before, and remember it from now on."""
        line = f"{crc32(key.encode('utf-8', 'replace')):08x}{len(key):x}"
        was_new = line not in self._said
        self._said.add(line)
        return was_new

    def forget(self) -> None:
        """Forget everything, as the session's model may have."""
        self._said.clear()

    def save(self) -> None:
        """Keep what was said for the session's next hook; a failure to write has no effect."""
        text = "\n".join([repr(self.since), *sorted(self._said)])
        try:
            if not os.path.isdir(os.path.dirname(self._path)):
                os.mkdir(os.path.dirname(self._path), 0o700)
            if self._is_new:
                self._remove_old()
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self._path, flags, 0o600)
        except OSError:
            return
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)

    def _read(self) -> list[str]:
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return []
        try:
            return os.read(descriptor, _MAX_BYTES).decode("ascii", "replace").splitlines()
        except OSError:
            return []
        finally:
            os.close(descriptor)

    def _remove_old(self) -> None:
        """Remove the files of sessions that ended long ago."""
        oldest = time.time() - _MAX_DAYS * 24 * 3600
        with os.scandir(os.path.dirname(self._path)) as entries:
            for entry in entries:
                is_session = "-" in entry.name and "." not in entry.name
                if is_session and entry.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(entry.path)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()
