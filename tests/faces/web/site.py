"""A repository that is really served, and a second process that works in it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import forked
from tests.faces.http.running import HOLDFAST, RunningServer, running_server, serving

LINK = re.compile(r"http://\S+/login\?code=\S+")


@dataclass
class Site:
    """A server on a repository, as its page, its owner and other processes see it."""

    server: RunningServer
    root: Path

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def link(self) -> str:
        """The link that lets the first browser in."""
        found = LINK.search(self.server.said)
        assert found is not None, self.server.said
        return found.group()

    def git(self, *arguments: str) -> str:
        """Run git in the repository."""
        return subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, check=True
        ).stdout

    def write(self, path: str, text: str) -> None:
        """Write a file of the work tree, at once: the page would show a file that is half written, too."""
        file, whole = self.root / path, self.root.parent / "whole"
        file.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text)
        whole.replace(file)

    def commit(self, message: str = "change") -> None:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def holdfast(self, *arguments: str, given: str | None = None) -> str:
        """Run the command line in a process of its own and return what it printed."""
        done = forked.run([HOLDFAST, *arguments], cwd=self.root, capture_output=True, text=True, input=given)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def call(self, operation: str, **arguments: Any) -> Any:
        """Call a tool with the owner's token, as another client would; return its structured result."""
        answer = self.server.call("tools/call", name=operation, arguments=arguments)
        assert "error" not in answer, json.dumps(answer)
        assert not answer["result"].get("isError"), json.dumps(answer)
        return answer["result"]["structuredContent"]


@contextmanager
def served(root: Path, *options: str) -> Iterator[Site]:
    """Serve a new repository without commits."""
    for arguments in (
        ("init", "--quiet", "--initial-branch=main", str(root)),
        ("-C", str(root), "config", "user.name", "Ada"),
        ("-C", str(root), "config", "user.email", "ada@example.org"),
    ):
        subprocess.run(["git", *arguments], check=True)
    with running_server(root, *options) as server:
        yield Site(server, root)


@contextmanager
def demonstrated(root: Path, *options: str) -> Iterator[Site]:
    """Serve the sample project, as `holdfast demo` makes it."""
    command = ["demo", root.name, "--no-browser", "--http", "127.0.0.1:0", *options]
    with serving(command, root.parent, root) as server:
        yield Site(server, root)
