# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: the command itself says what may stand for the last word.

_causeway() {
	local line=${COMP_LINE:0:COMP_POINT} word kept
	local -a typed
	read -ra typed <<<"$line"
	[[ $line == *[[:space:]] ]] && typed+=("")
	local last=${typed[-1]}
	# bash takes what stands before the last ':' or '=' as a word of its own.
	kept=${last%"${last##*[:=]}"}
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		case $word in
		:files) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${last#"$kept"}") ;;
		:folders) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "${last#"$kept"}") ;;
		*) COMPREPLY+=("${word#"$kept"}") ;;
		esac
	done < <("${typed[0]}" complete -- "${typed[@]:1}" 2>/dev/null)
}
complete -o filenames -o bashdefault -F _causeway causeway
