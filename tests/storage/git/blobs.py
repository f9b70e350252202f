"""Git that also reads the file of any revision, as tests look at what was written."""

from __future__ import annotations

import re

from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Git

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitWithBlobs(Git):
    """Git, for one repository."""

    def read_blob(
        self, revision: str, path: RepoPath | None = None, *, limit: int = LIMITS.git_output_bytes
    ) -> bytes:
        """Return a file's content: of `path` in a revision, or of the blob that `revision` itself names."""
        object_id = revision if _OBJECT_ID.fullmatch(revision) else self.resolve(revision)
        found = self.objects().read(object_id if path is None else f"{object_id}:{path.text}", limit)
        if found is None or found.kind != "blob":
            name = ascii(revision) if path is None else f"'{path.text}' in {revision!a}"
            raise NotFound(f"There is no file {name}.", hint="Check the revision and the path.")
        return found.data
