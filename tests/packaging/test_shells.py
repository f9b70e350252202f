"""The completion scripts that are installed, asked in real shells; none is loaded before it is needed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.packaging.conftest import OLDEST, clean_environment, run

BASH = r"""
source "$SHARE/bash-completion/completions/{program}"
COMP_WORDS=({line}) COMP_CWORD={last}
"$(complete -p {program} | sed 's/.*-F \([^ ]*\).*/\1/')" {program}
printf '%s\n' "${{COMPREPLY[@]}}"
"""
# Outside of a completion the builtins that show it refuse to work, so that these stand in for them.
ZSH = r"""
fpath=("$SHARE/zsh/site-functions" $fpath)
autoload -Uz compinit && compinit -D -u
compadd() {{ print -l -- ${{(P)@[-1]}} }}
_describe() {{ print -l -- ${{(P)3}} }}
[[ ${{_comps[{program}]}} == _{program} ]] || exit 9
words=({line}) CURRENT=$(({last} + 1))
_{program}
"""
FISH = "complete --do-complete '{line}'"
SCRIPTS = {"bash": ["bash", "--norc"], "zsh": ["zsh", "-f"], "fish": ["fish"]}


@pytest.mark.parametrize(("shell", "script"), [("bash", BASH), ("zsh", ZSH), ("fish", FISH)])
@pytest.mark.parametrize(
    ("program", "line", "expected"),
    [("holdfast", "holdfast comp", {"completion"}), ("git-mile", "git-mile cl", {"claim", "close"})],
)
def test_the_installed_script_completes(
    environment, tmp_path: Path, shell: str, script: str, program: str, line: str, expected: set[str]
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    venv = environment(OLDEST)
    path = f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"
    share = str(venv / "share")
    variables = clean_environment(HOME=str(tmp_path), PATH=path, SHARE=share, XDG_DATA_DIRS=share)
    text = script.format(program=program, line=line, last=len(line.split()) - 1)
    done = run(*SCRIPTS[shell], "-c", text, env=variables, cwd=tmp_path)
    assert {part.split("\t")[0].split(":")[0] for part in done.stdout.splitlines()} == expected, done.stderr
