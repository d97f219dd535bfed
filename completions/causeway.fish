# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for fish: the command itself says what may stand for the last word.

function __causeway_complete
    set -l typed (commandline -opc) (commandline -ct)
    set -l last $typed[-1]
    for line in (command $typed[1] complete -- $typed[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$last"
            case ':folders'
                __fish_complete_directories "$last" ''
            case '*'
                echo $line
        end
    end
end

complete -c causeway -f -a '(__causeway_complete)'
