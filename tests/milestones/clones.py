"""Repositories for tests of the core: a hub, clones of it, and what git itself sees of them."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from holdfast.milestones.entity import KINDS, Entity, EntityDraft
from holdfast.milestones.index.query import EntityQuery
from holdfast.milestones.store import Milestones
from holdfast.storage.git.repository import Repository


def git(where: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(where), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"git {arguments}: {done.stderr}"
    return done.stdout


def new_repository(path: Path, *options: str) -> Path:
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", *options, str(path)], check=True)
    return path


def loose_object(repository: Path, name: str) -> Path:
    """Return the file of one object, after whatever was in packs has become a file each."""
    packs = repository / ".git" / "objects" / "pack"
    for pack in packs.glob("*.pack"):
        content = pack.read_bytes()
        for file in packs.glob(f"{pack.stem}.*"):
            file.unlink()
        command = ["git", "-C", str(repository), "unpack-objects", "-q"]
        subprocess.run(command, input=content, check=True)
    return repository / ".git" / "objects" / name[:2] / name[2:]


def room_at(path: Path, **more: object) -> Milestones:
    return Milestones(Repository.at(path), **more)  # type: ignore[arg-type]


@contextmanager
def opened(path: Path) -> Iterator[Milestones]:
    with closing(room_at(path)) as room:
        yield room


class Team:
    """A bare hub and clones that know it as `origin`."""

    def __init__(self, place: Path, names: str) -> None:
        self.place = place
        self.hub = new_repository(place / "hub", "--bare")
        self.paths = {name: new_repository(place / name) for name in names}
        for path in self.paths.values():
            git(path, "remote", "add", "origin", str(self.hub))
            git(path, "config", "user.name", path.name)
            git(path, "config", "user.email", f"{path.name}@example.org")
        self.rooms = {name: room_at(path) for name, path in self.paths.items()}

    def __getitem__(self, name: str) -> Milestones:
        return self.rooms[name]

    def sync_until_still(self) -> None:
        for _ in range(2):
            for room in self.rooms.values():
                room.sync()

    def close(self) -> None:
        for room in self.rooms.values():
            room.close()


def everything(room: Milestones) -> list[Entity]:
    """Return every entity in full, sorted."""
    pages = [room.find(EntityQuery(kind, limit=1000, include_closed=True)) for kind in KINDS]
    return sorted((room.get(None, item.id) for page in pages for item in page.items), key=lambda one: one.id)


def titles(room: Milestones, **more: object) -> list[str]:
    page = room.find(EntityQuery("issue", limit=500, **more))  # type: ignore[arg-type]
    return sorted(item.title for item in page.items)


def issue(room: Milestones, title: str = "Broken", **more: object) -> str:
    return room.create(EntityDraft("issue", title, **more)).entity  # type: ignore[arg-type]


def fingerprint_of_work(path: Path) -> dict[str, object]:
    """Return what must never change: status, index, branches, settings, head, files of the work tree."""
    git_directory = Path(git(path, "rev-parse", "--absolute-git-dir").strip())
    common = Path(git(path, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    files = [
        file for file in path.rglob("*") if file.is_file() and ".git" not in file.relative_to(path).parts
    ]
    refs = git(path, "for-each-ref", "--format=%(refname) %(objectname)")
    return {
        "status": git(path, "--no-optional-locks", "status", "--porcelain=v2", "--branch", "--ignored"),
        "index": _digest(git_directory / "index"),
        "head": _digest(git_directory / "HEAD"),
        "config": _digest(common / "config"),
        "refs": [line for line in refs.splitlines() if not line.startswith("refs/holdfast/")],
        "files": {str(file.relative_to(path)): _digest(file) for file in files},
        "names": sorted(
            entry.name
            for entry in git_directory.iterdir()
            if entry.name not in ("holdfast", "objects", "refs")
        ),
    }


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


class TurnedClock:
    """A clock that tests turn."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def turn(self, **amount: float) -> None:
        self.moment += timedelta(**amount)
