"""Fetches the logs of a remote into tracking refs, as many as damage here or there allows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.machine import translate_disk_errors
from holdfast.milestones.index.index import Index
from holdfast.milestones.index.update import SHORT_COMMIT_CHARACTERS, damaged_refs
from holdfast.milestones.log_namespace import NAMESPACES
from holdfast.storage.git.objects.fetched_objects import separate_objects
from holdfast.storage.git.objects.loose_object import set_aside_if_damaged
from holdfast.storage.git.refs import Refs
from holdfast.storage.git.remotes import Remotes
from holdfast.storage.git.repository import Repository

_MAX_FETCH_ATTEMPTS = 200  # isolates about 20 bad logs among 2,000 by bisection, within some minutes


class LogFetch:
    """Fetches from the remotes of one clone."""

    def __init__(self, repository: Repository, refs: Refs, index: Index, remotes: Remotes) -> None:
        self._repository = repository
        self._refs = refs
        self._index = index
        self._remotes = remotes

    def run(self, remote: str) -> dict[str, str]:
        """Fetch the logs of a remote; return the refs that could not be fetched, with git's message."""
        try:
            self._remotes.fetch(remote, *(namespace.refspec(remote) for namespace in NAMESPACES))
        except Unavailable as failure:
            if self._quarantine_damaged_tips():
                self._index.find_damage()
                return self.run(remote)
            missing = self._fetch_readable(remote)
            if missing is None:
                raise failure from None
            return missing
        is_shallow = os.path.lexists(os.path.join(self._repository.common_dir or "", "shallow"))
        if is_shallow and self._damaged():
            return self._fetch_readable(remote) or {}
        return {}

    def _fetch_readable(self, remote: str) -> dict[str, str] | None:
        """Fetch every log that can be fetched; return the others with git's message, or None if all failed.

        Damage in this clone makes git refuse every fetch. In that case complete logs, including the damaged
        ones, are fetched into a separate object store.
        """
        theirs = self._remotes.refs(remote, *(namespace.remote_prefix for namespace in NAMESPACES))
        self._index.find_damage()
        tips, damaged = self._refs.tips(), self._damaged()
        tracking = {
            ref: namespace.tracking(remote) + ref.removeprefix(namespace.remote_prefix)
            for namespace in NAMESPACES
            for ref in theirs
            if ref.startswith(namespace.remote_prefix)
        }
        wanted = [
            (ref, local)
            for ref, local in tracking.items()
            if tips.get(local) != theirs[ref] or local in damaged
        ]
        if not damaged:
            missing = self._fetch_bisecting(remote, wanted, count(1))
        else:
            text = f"Damaged in this clone, fetched completely: {', '.join(sorted(damaged))}"
            current_call().log(text, "warning")
            store, common = self._repository.store_directory, self._repository.common_dir or ""
            with separate_objects(store, common) as objects:
                missing = self._fetch_bisecting(remote, wanted, count(1), objects)
            fetched = [(local, theirs[ref], tips.get(local)) for ref, local in wanted if ref not in missing]
            self._refs.move_all([(local, new, old) for local, new, old in fetched if new != old])
        return missing if len(missing) < len(tracking) else None

    def _quarantine_damaged_tips(self) -> bool:
        """Move tip commits with corrupt bytes aside, so that git fetches them again."""
        common, tips = self._repository.common_dir or "", {*self._refs.tips().values()}
        folder = os.path.join(self._repository.store_directory, "damaged")
        with translate_disk_errors("objects"):
            damaged = [tip for tip in tips if set_aside_if_damaged(common, tip, folder)]
        for tip in damaged:
            commit = f"The damaged commit {tip[:SHORT_COMMIT_CHARACTERS]} of a log"
            text = "was moved to 'damaged' in the store; it is fetched again if the remote has it."
            current_call().log(f"{commit} {text}", "warning")
        return bool(damaged)

    def _fetch_bisecting(
        self, remote: str, wanted: list[tuple[str, str]], attempts: Iterator[int], objects: str | None = None
    ) -> dict[str, str]:
        """Fetch refs, or with `objects` only their objects; return those that fail, isolated by bisection."""
        missing: dict[str, str] = {}
        half = len(wanted) // 2
        for part in filter(None, (wanted[:half], wanted[half:])):
            refspecs = [ref if objects else f"+{ref}:{local}" for ref, local in part]
            try:
                self._remotes.fetch(remote, *refspecs, objects=objects)
            except Unavailable as failure:
                if len(part) == 1 or next(attempts) > _MAX_FETCH_ATTEMPTS:
                    missing |= {ref: failure.message for ref, _ in part}
                else:
                    missing |= self._fetch_bisecting(remote, part, attempts, objects)
        return missing

    def _damaged(self) -> dict[str, str]:
        return self._index.read(damaged_refs)
