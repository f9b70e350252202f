"""Shell completion: the scripts that shells load, and the completions that these scripts request.

For `git mile …`, git's own completion calls a function named after the subcommand: `_git_mile` in bash and
`_git-mile` in zsh. The function passes the words after `mile` to `git-mile`.
"""

from __future__ import annotations

import os

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from holdfast.faces.cli.groups import completion_variable, handwritten_command
from holdfast.faces.cli.options import complete_from
from holdfast.faces.cli.output import write
from holdfast.kernel.errors import Invalid, did_you_mean

SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "fish": FishComplete, "zsh": ZshComplete}
_HELP = """Print the script that completes commands, options and values in a shell.

Load it where the shell starts:

\b
  bash   eval "$({program} completion bash)"
  zsh    eval "$({program} completion zsh)"
  fish   {program} completion fish | source
"""

_BASH = r"""
_git_mile() {
    local place=0 line
    while [[ $place -lt $COMP_CWORD && ${COMP_WORDS[$place]} != mile ]]; do place=$((place + 1)); done
    local IFS=$'\n'
    local -a asked=(git-mile "${COMP_WORDS[@]:$((place + 1))}")
    COMPREPLY=()
    while read -r line; do
        case ${line%%,*} in
            dir) compopt -o dirnames 2> /dev/null ;;
            file) compopt -o default 2> /dev/null ;;
            plain) COMPREPLY+=("${line#*,}") ;;
        esac
    done < <(env COMP_WORDS="${asked[*]}" COMP_CWORD=$((COMP_CWORD - place)) \
        _GIT_MILE_COMPLETE=bash_complete git-mile)
}
"""

_ZSH = r"""
_git-mile() {
    words[1]=git-mile
    _git_mile_completion
}
zstyle ':completion:*:*:git:*' user-commands mile:'milestones and issues'
"""

_FISH = r"""
function _git_mile_through_git
    set -l words (commandline --cut-at-cursor --current-process)
    set -l words (string replace --regex '^.*?\bmile\b' git-mile -- $words)
    set -l word (commandline --current-token)
    env _GIT_MILE_COMPLETE=fish_complete COMP_WORDS="$words" COMP_CWORD="$word" git-mile \
        | string replace --regex '^plain,' ''
end
complete --no-files --command git --condition '__fish_seen_subcommand_from mile' \
    --arguments '(_git_mile_through_git)'
"""

_GIT_SUBCOMMAND_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def completion_command(group: click.Group, program: str) -> click.Command:
    """Return the command that prints a program's completion script for a shell."""

    def show(shell: str | None) -> int:
        write(script(group, shell, program))
        return 0

    shell = click.Argument(
        ["shell"], required=False, metavar="|".join(SHELLS), shell_complete=complete_from(SHELLS)
    )
    return handwritten_command("completion", _HELP.format(program=program), [shell], show)


def script(group: click.Group, shell: str | None, program: str) -> str:
    """Return the completion script of a program; raise unless the shell is one of `SHELLS`."""
    completer = _completer(group, shell, program)
    source = completer.source()
    return source + _GIT_SUBCOMMAND_SCRIPTS[completer.name] if program == "git-mile" else source


def write_completions(group: click.Group, program: str) -> int:
    """Write the completions for the words that a shell passed in the environment."""
    shell, _, instruction = os.environ[completion_variable(program)].partition("_")
    completer = _completer(group, shell, program)
    write(completer.source() if instruction == "source" else f"{completer.complete()}\n")
    return 0


def _completer(group: click.Group, shell: str | None, program: str) -> ShellComplete:
    if shell is None:
        raise Invalid("Name the shell to complete for.", hint=f"One of: {', '.join(SHELLS)}.")
    if shell not in SHELLS:
        raise Invalid(f'There is no completion for the shell "{shell}".', hint=did_you_mean(shell, SHELLS))
    return SHELLS[shell](group, {}, program, completion_variable(program))
