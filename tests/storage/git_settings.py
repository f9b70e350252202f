"""Git's settings as `docs/git-configuration.md` lists them, and a repository in which they are planted."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT
from tests.storage.git_support import git
from tests.storage.hostile_repository import HOOKS, setting

DOCUMENT = ROOT / "docs" / "git-configuration.md"
PLACES = ("config", "worktree", "include", "includeIf")
SOUNDS_DANGEROUS = re.compile(
    r"(cmd|command|program|helper|path|paths|file|dir|directory|hook|editor|pager|askpass|driver|url|uri|proxy"
    r"|cert|key|target|tool|browser|process|clean|smudge|textconv|external|vcs|pack|fsmonitor|worktree"
    r"|insteadof|server|httpd|tunnel|viewer|template|update|filter|filterto|cainfo|resolve|(?<!sh)allow|cookies"
    r"|location|gitdir)$",
    re.IGNORECASE,
)
LISTS_OF_WORDS = re.compile(r"advice\.|color\.|(receive\.|fetch\.)?fsck\.")
FILLED = {
    "remote.<name>": "remote.origin", "protocol.<name>": "protocol.ext",
    "filter.<driver>.process": "filter.longrunning.process", "gpg.<format>": "gpg.ssh", "<cmd>": "log",
    "alias.*.command": "alias.log.command", "alias.*": "alias.cat-file",
}  # fmt: skip
TOGETHER = {
    "gpg.format": "ssh", "user.signingKey": "key", "commit.gpgSign": "true", "tag.gpgSign": "true",
    "hook.evil.event": "reference-transaction", "core.fsmonitorHookVersion": "1",
    "core.repositoryFormatVersion": "1",
}  # fmt: skip
"""What makes some of the others take effect."""


class Listed(NamedTuple):
    """One setting in one of the tables."""

    name: str
    names: str
    heading: str


def listed() -> list[Listed]:
    found: list[Listed] = []
    heading = ""
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        heading = line.removeprefix("## ") if line.startswith("## ") else heading
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 3:
            found += [Listed(name, cells[1], heading) for name in re.findall(r"`([^`]+)`", cells[0])]
    return found


def sections() -> set[str]:
    """Return the sections whose rest is words and numbers, in lower case."""
    words = DOCUMENT.read_text(encoding="utf-8").partition("## Harmless values")[2]
    return {name.lower() for name in re.findall(r"`(\w+)\.\*`", words)}


def settings_of_git(program: str = "git") -> list[str]:
    """Return the settings that the installed git knows by name."""
    answer = subprocess.run([program, "help", "--config"], capture_output=True, text=True, check=True).stdout
    return [word for word in answer.split() if re.match(r"[\w-]+\.", word)]


class Planted:
    """A repository in whose own configuration every listed setting names something that leaves a trace."""

    def __init__(self, root: Path, place: str, proxy: str, without: tuple[str, ...] = ()) -> None:
        self.root = root
        self.side = root.parent / "planted"
        self.traces = self.side / "traces"
        for folder in ("bin", "files", "hooks", "folders"):
            (self.side / folder).mkdir(parents=True)
        self._proxy = proxy
        script = f'#!/bin/sh\necho "${{0##*/}}" >> {self.traces}\n'
        self._program = self.side / "program"
        self._program.write_text(script)
        self._program.chmod(0o755)
        self.plant_hooks(root / ".git" / "hooks")
        self.plant_hooks(self.side / "hooks")
        # Objects of another repository, so that git asks for the refs it has.
        other = self.side / "other.git"
        git(self.side, "clone", "--quiet", "--bare", str(root), str(other))
        (root / ".git" / "objects" / "info" / "alternates").write_text(f"{other / 'objects'}\n")
        attributes = "*.py diff=evil filter=evil merge=evil\n*.json filter=longrunning\n"
        (root / ".git" / "info" / "attributes").write_text(attributes)
        git(root, "config", "core.repositoryFormatVersion", "1")
        self.settings = dict(self._filled(item) for item in listed() if item.names in self._values)
        self.settings = {
            name: value for name, value in {**TOGETHER, **self.settings}.items() if name not in without
        }
        self._write(place)

    @property
    def _values(self) -> dict[str, str]:
        return {
            "program": "{side}/bin/{name}", "command": "!{side}/bin/{name}", "file": "{side}/files/{name}",
            "folder": "{side}/folders/{name}", "address": "ext::{side}/bin/{name}", "switch": "true",
            "allow": "always",
        }  # fmt: skip

    def ran(self) -> set[str]:
        """Return what has run since the last time."""
        lines = self.traces.read_text().splitlines() if self.traces.exists() else []
        self.traces.unlink(missing_ok=True)
        return set(lines)

    def _filled(self, item: Listed) -> tuple[str, str]:
        name = item.name
        for pattern, filling in FILLED.items():
            name = name.replace(pattern, filling)
        name = re.sub(r"<url>", "http://127.0.0.1", name)
        name = re.sub(r"<[\w-]+>", "evil", name)
        if "proxy" in name.lower() and item.names == "address":
            return name, self._proxy
        value = self._values[item.names].format(side=self.side, name=name.replace("/", ""))
        if name == "core.hooksPath":
            return name, str(self.side / "hooks")
        if name.startswith("alias."):
            value = f"!{value}"
        self._make(item.names, value.removeprefix("!").removeprefix("ext::"))
        return name, value

    def _make(self, names: str, place: str) -> None:
        path = Path(place)
        if path.exists():
            return
        if names in ("program", "command", "address"):
            path.symlink_to(self._program)
        elif names == "file":
            path.write_text("kept\n")
        elif names == "folder":
            path.mkdir()

    def plant_hooks(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        for hook in HOOKS:
            (folder / hook).unlink(missing_ok=True)
            (folder / hook).symlink_to(self._program)

    def _write(self, place: str) -> None:
        text = "".join(setting(name, value) for name, value in self.settings.items())
        common = self.root / ".git"
        if place == "config":
            with (common / "config").open("a") as file:
                file.write(text)
        elif place == "worktree":
            git(self.root, "config", "extensions.worktreeConfig", "true")
            (common / "config.worktree").write_text(text)
        else:
            (self.side / "included").write_text(text)
            key = "include.path" if place == "include" else f"includeIf.gitdir:{self.root}/.path"
            git(self.root, "config", key, str(self.side / "included"))
