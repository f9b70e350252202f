"""A repository whose configuration names a program wherever git takes one; each leaves a trace if it runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tests.storage.git_support import commit, git

HOOKS = (
    *("post-checkout", "post-commit", "post-index-change", "post-merge", "post-rewrite"),
    *("pre-auto-gc", "pre-commit", "pre-push", "reference-transaction", "update"),
)

SETTINGS = {
    "core.fsmonitor": "{program} fsmonitor",
    "core.fsmonitorHookVersion": "1",
    "core.hooksPath": "{hooks}",
    "core.pager": "{program} pager",
    "core.editor": "{program} editor",
    "core.askPass": "{program}",
    "core.sshCommand": "{program} ssh",
    "core.gitProxy": "{program}",
    "core.alternateRefsCommand": "{program} alternates",
    "core.untrackedCache": "true",
    "pager.status": "{program} pager-status",
    "pager.for-each-ref": "{program} pager-refs",
    "pager.config": "{program} pager-config",
    "credential.helper": "!{program} credential",
    "diff.external": "{program} external-diff",
    "diff.evil.textconv": "{program} textconv",
    "diff.evil.command": "{program} diff-command",
    "filter.evil.clean": "{program} clean; cat",
    "filter.evil.smudge": "{program} smudge; cat",
    "filter.evilprocess.process": "{program} process",
    "merge.evil.driver": "{program} merge",
    "gpg.program": "{program}",
    "gpg.ssh.program": "{program}",
    "log.showSignature": "true",
    "interactive.diffFilter": "{program} interactive",
    "sequence.editor": "{program} sequence",
    "uploadpack.packObjectsHook": "{program} pack-objects",
    "trailer.evil.command": "{program} trailer",
    "alias.rev-parse": "!{program} alias-rev-parse",
    "alias.cat-file": "!{program} alias-cat-file",
    "alias.for-each-ref": "!{program} alias-refs",
    "alias.config": "!{program} alias-config",
    "url.ext::{program} url.insteadOf": "https://example.org/",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "gc.auto": "1",
    "extensions.partialClone": "evil",
    "remote.evil.promisor": "true",
    "remote.evil.uploadpack": "{program} uploadpack",
}

PROMISOR_URLS = {
    "local": "{other}",
    "file": "file://{other}",
    "ext": "ext::{program} ext",
    "ssh": "ssh://example.org/x",
    "git": "git://example.org/x",
    "rewritten": "https://example.org/x",
}


class HostileRepository:
    """Builds the repository at `root`, with its programs and traces beside it."""

    def __init__(self, root: Path, promisor: str = "local") -> None:
        self.root = root
        self.side = root.parent / "hostile"
        self.traces = self.side / "traces"
        self._make_programs()
        first = commit(root, {"text.txt": "one\ntwo\n", ".gitattributes": "*.txt diff=evil filter=evil\n"})
        commit(root, {"more.dat": "x\n", "sub/deep.txt": "deep\n"}, "More")
        git(root, "tag", "first", first)
        git(self.side, "clone", "--quiet", "--bare", str(root), "other.git")
        (root / ".gitattributes").write_text("*.txt diff=evil filter=evil\n*.dat filter=evilprocess\n")
        (root / "text.txt").write_text("one\nchanged\n")
        (root / "more.dat").write_text("y\n")
        self._configure(promisor)

    def ran(self) -> list[str]:
        """Return what has run since the last time."""
        lines = self.traces.read_text().splitlines() if self.traces.exists() else []
        self.traces.unlink(missing_ok=True)
        return sorted(set(lines))

    def environment(self) -> Mapping[str, str]:
        """Return an environment that is hostile as well."""
        program = str(self.program)
        return {
            **os.environ,
            "PATH": os.pathsep.join([".", "bin", str(self.root / "bin"), os.environ["PATH"]]),
            "GIT_EXTERNAL_DIFF": f"{program} environment-diff",
            "GIT_SSH_COMMAND": f"{program} environment-ssh",
            "GIT_PROXY_COMMAND": program,
            "GIT_PAGER": f"{program} environment-pager",
            "PAGER": f"{program} environment-pager",
            "GIT_ASKPASS": program,
            "GIT_EDITOR": program,
            "GIT_EXEC_PATH": str(self.root / "bin"),
            "GIT_ALLOW_PROTOCOL": "ext:file:ssh:git:https",
            "GIT_DIR": str(self.side / "other.git"),
            "GIT_WORK_TREE": str(self.side),
            "GIT_OBJECT_DIRECTORY": str(self.side / "nowhere"),
            "GIT_TRACE": str(self.side / "trace-file"),
            "GIT_TRACE2_EVENT": str(self.side / "trace-file"),
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "core.fsmonitor",
            "GIT_CONFIG_VALUE_0": f"{program} environment-fsmonitor",
            "GIT_CONFIG_KEY_1": "core.hooksPath",
            "GIT_CONFIG_VALUE_1": str(self.side / "hooks"),
            "GIT_CONFIG_PARAMETERS": f"'core.pager'='{program} parameters'",
            "LD_LIBRARY_PATH": str(self.root / "bin"),
        }

    def _make_programs(self) -> None:
        self.side.mkdir()
        self.program = self._script(self.side / "program", f'echo "${{1:-unnamed}}" >> {self.traces}')
        for hook in HOOKS:
            self._script(self.side / "hooks" / hook, f"echo hook-{hook} >> {self.traces}")
        for name in ("git", "git-cat-file", "git-rev-parse", "git-remote-ext"):
            self._script(self.root / "bin" / name, f"echo planted-{name} >> {self.traces}")

    def _script(self, path: Path, line: str) -> Path:
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)
        return path

    def _configure(self, promisor: str) -> None:
        places = {"program": self.program, "hooks": self.side / "hooks", "other": self.side / "other.git"}
        settings = {**SETTINGS, "remote.evil.url": PROMISOR_URLS[promisor]}
        lines = [setting(name.format(**places), value.format(**places)) for name, value in settings.items()]
        included = self.side / "included"
        included.write_text("".join(lines))
        # The extension must be in the repository's own file; everything else arrives by inclusion.
        git(self.root, "config", "core.repositoryFormatVersion", "1")
        git(self.root, "config", "extensions.partialClone", "evil")
        git(self.root, "config", "include.path", str(included))
        self.ran()


def setting(name: str, value: str) -> str:
    """Write one setting the way a configuration file holds it."""
    section, _, rest = name.partition(".")
    subsection, _, key = rest.rpartition(".")
    heading = f'[{section} "{subsection}"]' if subsection else f"[{section}]"
    return f'{heading}\n\t{key} = "{value}"\n'
