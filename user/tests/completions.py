#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""completions.py CAUSEWAY FOLDER: tests that real shells, with the scripts of this folder, offer
every verb, every option and the names of files."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

BASH = """
source {script}
ask() {{
	COMP_LINE=$1 COMP_POINT=${{#1}}
	read -ra COMP_WORDS <<<"$1"
	[[ $1 == *" " ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
	_causeway
	printf '%s\\n' "${{COMPREPLY[@]}}"
	echo .
}}
while IFS= read -r line; do ask "$line"; done
"""

FISH = """
source {script}
while read line
    complete -C "$line"
    echo .
end
"""

# Replaces zsh's own functions: prints the candidates instead.
ZSH = """
_describe() {{ local -a all; all=("${{(@P)@[-1]}}"); print -rl -- "${{(@)all%%:*}}" }}
_files() {{ if [[ $1 == -/ ]]; then print -rl -- $words[CURRENT]*(N/); else print -rl -- $words[CURRENT]*(N); fi }}
_call_program() {{ shift; eval "$@" }}
autoload_script() {{ source {script} "$@" }}
while IFS= read -r line; do
	words=("${{(@s: :)line}}")
	CURRENT=$#words
	autoload_script >/dev/null 2>&1
	_causeway
	print .
done
"""


def answers(shell, source, script, lines, folder, env):
    """Return the candidates for each line, from one shell for all lines."""
    program = source.format(script=shlex.quote(str(script)))
    done = subprocess.run(shell + ["-c", program], input="".join(line + "\n" for line in lines), cwd=folder, env=env,
                          capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise SystemExit(f"completions: {shell[0]} says: {done.stderr.strip() or done.returncode}")
    blocks = re.split(r"^\.\n", done.stdout, flags=re.M)
    found = [{line.split("\t")[0].strip().removeprefix("./") for line in block.splitlines()} for block in blocks]
    return dict(zip(lines, found))


def main():
    command, scripts = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    verbs = json.loads(subprocess.run([command, "help", "--json"], capture_output=True, check=True).stdout)["verbs"]
    wanted = {}
    for verb in verbs:
        words = verb["verb"].split()
        for i, word in enumerate(words):
            wanted.setdefault(" ".join(["causeway"] + words[:i] + [""]), set()).add(word)
        options = {f"--{option['name']}" for option in verb["options"]} | {"--help"}
        wanted[f"causeway {verb['verb']} --"] = options
    wanted["causeway export add a --file /etc/host"] = {"/etc/hostname"}
    wanted["causeway nfs serve sub"] = {"subfolder/"}
    wanted["causeway soft add r"] = {"rxe"}
    wanted["causeway metrics --format=p"] = {"--format=prometheus"}
    lines = list(wanted)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "subfolder").mkdir()
        (Path(folder) / "bin").mkdir()
        (Path(folder) / "bin/causeway").symlink_to(command)
        env = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": folder, "TERM": "dumb", "LC_ALL": "C"}
        for shell, source, script in ((["bash", "--norc"], BASH, "causeway.bash"), (["fish"], FISH, "causeway.fish"),
                                      (["zsh", "-f"], ZSH, "_causeway")):
            told = answers(shell, source, scripts / script, lines, folder, env)
            for line in lines:
                have = {word.rstrip("/") for word in told.get(line, set())}
                missing = {word for word in wanted[line]
                           if word.rstrip("/") not in have and word.split("=")[-1] not in have}
                if missing:
                    faults.append(f"{shell[0]}: \"{line}\" is not offered {' '.join(sorted(missing))}")
    for fault in faults:
        print(f"completions: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
