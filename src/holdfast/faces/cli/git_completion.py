"""What `git mile completion` adds for a shell, so that `git mile …` is completed as `git-mile …` is.

git's own completion looks for a function named after the subcommand: `_git_mile` in bash, `_git-mile` in zsh.
Each of these asks `git-mile` with the words behind `mile`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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

THROUGH_GIT: Mapping[str, str] = MappingProxyType({"bash": _BASH, "zsh": _ZSH, "fish": _FISH})
