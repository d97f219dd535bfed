# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the command causeway for the modules of this collection, and turns its JSON into results."""

from __future__ import absolute_import, division, print_function
__metaclass__ = type

import json

# The options of every module. plugins/doc_fragments/command.py describes them.
COMMON = {"state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
          "executable": {"type": "path"}}
# The lowest schema has all fields that the modules read. A field keeps its meaning within a schema.
SCHEMA = 2


def words_of(parameters, options):
    """Return the options of the command for the parameters that are given.

    @options: pairs of a parameter and its option. True gives the option alone, false gives nothing.
    """
    words = []
    for parameter, option in options:
        value = parameters.get(parameter)
        if value is None or value is False or value == []:
            continue
        words.append(option)
        if value is not True:
            words.extend(str(each) for each in (value if isinstance(value, list) else [value]))
    return words


class Causeway:
    """The command on the managed host."""

    def __init__(self, module):
        self.module = module
        self.program = module.params["executable"] or module.get_bin_path(
            "causeway", required=True, opt_dirs=["/usr/sbin", "/usr/local/sbin"])
        self.result = {"changed": False, "commands": []}

    def run(self, words):
        """Run the command with --json. Return its answer, and whether it succeeded."""
        line = [self.program] + words + ["--json"]
        self.result["commands"].append(" ".join(line))
        status, out, err = self.module.run_command(line)
        try:
            answer = json.loads(out)
            if not isinstance(answer, dict) or answer["schema"] != SCHEMA:
                raise ValueError("another schema than {0}".format(SCHEMA))
        except (ValueError, KeyError) as reason:
            self.module.fail_json(
                msg="{0} did not answer with the JSON that this collection reads ({1}): exit status {2}, {3}".format(
                    " ".join(line), reason, status, (err or out).strip() or "no output"),
                rc=status, **self.result)
        for warning in answer.get("warnings", []):
            self.module.warn(warning)
        return answer, status == 0 and "error" not in answer

    def fail(self, answer):
        """End the module with the error of an answer: what failed, and what to do."""
        error = answer.get("error") or {"what": "the command failed without an error", "fix": None}
        fix = error.get("fix")
        self.module.fail_json(
            msg=error["what"] + (" -- " + fix if fix else ""), what=error["what"], fix=fix,
            rc=error.get("exit", 1), **self.result)

    def ask(self, words):
        """Return the answer of a verb that changes nothing."""
        answer, good = self.run(words)
        if not good:
            self.fail(answer)
        return answer

    def change(self, words):
        """Run a verb that may change the host; with --dry-run in check mode. Return its answer."""
        answer, good = self.run(words + (["--dry-run"] if self.module.check_mode else []))
        if not good:
            self.fail(answer)
        # A dry run has changed nothing; the list of its changes says what it would change.
        changed = bool(answer.get("changes")) if answer.get("dry_run") else bool(answer.get("changed"))
        self.result["changed"] = self.result["changed"] or changed
        self.result.setdefault("changes", []).extend(answer.get("changes") or [])
        if answer.get("journal") is not None:
            self.result["journal"] = answer["journal"]
        return answer

    def exit(self, **more):
        self.result.update(more)
        if self.module._diff:
            self.result["diff"] = [diff_of(change) for change in self.result.get("changes", [])]
        self.module.exit_json(**self.result)


def text_of(state):
    """Return a state of a change as text: files have text or nothing, other changes have objects."""
    if state is None:
        return ""
    return state if isinstance(state, str) else json.dumps(state, indent=2, sort_keys=True) + "\n"


def diff_of(change):
    """Return one change of the command as Ansible shows it in diff mode."""
    if "path" in change and ("before" in change or "after" in change):
        return {"before_header": change["path"], "after_header": change["path"],
                "before": text_of(change.get("before")), "after": text_of(change.get("after"))}
    # The change makes or removes an object, such as an export in the kernel.
    made = change.get("added", change.get("attached", True))
    what = {key: value for key, value in change.items() if value not in (None, "", [], {})}
    header = str(change.get("kind", "change"))
    return {"before_header": header, "after_header": header,
            "before": "" if made else text_of(what), "after": text_of(what) if made else ""}
