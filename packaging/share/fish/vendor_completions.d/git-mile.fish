function _git_mile_completion;
    set -l response (env _GIT_MILE_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) COMP_CWORD=(commandline -t) git-mile);

    for completion in $response;
        set -l metadata (string split "," $completion);

        if test $metadata[1] = "dir";
            __fish_complete_directories $metadata[2];
        else if test $metadata[1] = "file";
            __fish_complete_path $metadata[2];
        else if test $metadata[1] = "plain";
            echo $metadata[2];
        end;
    end;
end;

complete --no-files --command git-mile --arguments "(_git_mile_completion)";

function _git_mile_through_git
    set -l words (commandline --cut-at-cursor --current-process)
    set -l words (string replace --regex '^.*?\bmile\b' git-mile -- $words)
    set -l word (commandline --current-token)
    env _GIT_MILE_COMPLETE=fish_complete COMP_WORDS="$words" COMP_CWORD="$word" git-mile \
        | string replace --regex '^plain,' ''
end
complete --no-files --command git --condition '__fish_seen_subcommand_from mile' \
    --arguments '(_git_mile_through_git)'
