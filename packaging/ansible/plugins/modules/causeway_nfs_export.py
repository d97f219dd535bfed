# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders that a machine serves by NFS over RDMA."""

from __future__ import absolute_import, division, print_function
__metaclass__ = type

DOCUMENTATION = r"""
module: causeway_nfs_export
short_description: Serve a folder by NFS over RDMA
description:
  - Serves a folder by C(causeway nfs serve), changes how it is served by C(causeway nfs set), or ends
    that by C(causeway nfs unserve).
  - Options that are not given keep their value for a folder that is served. Clients that may still
    mount the folder go on.
  - The command refuses another C(fsid) for a folder that is served. The module then fails with the
    reason and the fix.
options:
  path:
    description: The folder.
    type: path
    required: true
  to:
    description:
      - Networks that may mount the folder.
      - A new folder needs this option or I(allow_any).
    type: list
    elements: str
  allow_any:
    description: Every host may mount the folder.
    type: bool
    default: false
  port:
    description: RDMA port of nfsd, for all folders.
    type: int
  read_only:
    description: Refuse writes. A new folder accepts writes unless this option is true.
    type: bool
  options:
    description:
      - More export options, such as C(sec=krb5p,no_root_squash).
      - They replace all options that an earlier task or command gave. An empty text removes them.
    type: str
extends_documentation_fragment: causeway.causeway.command
"""

EXAMPLES = r"""
- name: Serve home directories
  causeway.causeway.causeway_nfs_export:
    path: /srv/home
    to: [10.0.0.0/24]

- name: Admit another network, and refuse writes
  causeway.causeway.causeway_nfs_export:
    path: /srv/home
    to: [10.0.0.0/24, 10.1.0.0/24]
    read_only: true
"""

RETURN = r"""
served:
  description: The folder as C(causeway nfs list --json) has it before the changes of this task.
  returned: if the folder was served
  type: dict
changes:
  description: The changes of the command, made or (in check mode) planned.
  returned: always
  type: list
  elements: dict
journal:
  description: Number of the change for C(causeway undo).
  returned: if something was changed
  type: int
commands:
  description: The command lines that were run.
  returned: always
  type: list
  elements: str
fix:
  description: The command or action that ends the error.
  returned: on failure
  type: str
"""

import os
import re

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.causeway.causeway.plugins.module_utils.command import COMMON, Causeway, words_of

SERVE = (("to", "--to"), ("port", "--port"), ("read_only", "--read-only"), ("options", "--options"))
# Every export of the command has these options, behind "rw" or "ro".
OF_EVERY_EXPORT = ["sync", "no_subtree_check"]
# The command adds an option of this form where exportfs needs one.
FSID = re.compile(r"^fsid=[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")


def served_now(causeway, path):
    """Return the folder, and the whole answer of "nfs list". The command resolves links in the path."""
    answer = causeway.ask(["nfs", "list"])
    names = (os.path.normpath(path), os.path.realpath(path))
    return next((each for each in answer["served"] if each["path"] in names), None), answer


def is_read_only(there):
    return there["options"].split(",")[0] == "ro"


def options_of(there):
    """Return the options that were given for a folder that is served: with the fsid that the command adds, and without."""
    words = there["options"].split(",")[1:]
    if words[:len(OF_EVERY_EXPORT)] == OF_EVERY_EXPORT:
        words = words[len(OF_EVERY_EXPORT):]
    return ",".join(words), ",".join(words[:-1] if words and FSID.match(words[-1]) else words)


def differing(wanted, there, port):
    """Return the words of "nfs set" for the given options that differ.

    A network may be written in another way than the command writes it, and "nfs list" does not say whether
    the file has the mark that every host is meant. In both cases the command decides.
    """
    words = []
    if wanted["to"] and sorted(wanted["to"]) != sorted(there["to"]):
        words += ["--to"] + wanted["to"]
    if wanted["allow_any"]:
        words += ["--allow", "any"]
    if wanted["read_only"] is not None and wanted["read_only"] != is_read_only(there):
        words.append("--read-only" if wanted["read_only"] else "--read-write")
    if wanted["options"] is not None and wanted["options"] not in options_of(there):
        words += ["--options", wanted["options"]]
    if wanted["port"] is not None and wanted["port"] != port:
        words += ["--port", str(wanted["port"])]
    return words


def serve(causeway, wanted):
    causeway.change(["nfs", "serve", wanted["path"]] + words_of(wanted, SERVE) +
                    (["--allow", "any"] if wanted["allow_any"] else []))


def serve_again(causeway, wanted):
    """Start nfsd, and open its port, for a folder that is served and keeps its settings."""
    there, _ = served_now(causeway, wanted["path"])
    if there["to"] == ["*"] and not wanted["allow_any"]:
        causeway.module.fail_json(msg=f"{wanted['path']} is served to every host, and the task does not say that this is meant: "
                                      "give to, or allow_any: true")
    kept = dict(wanted, read_only=is_read_only(there), port=None, options=options_of(there)[1] or None,
                allow_any=there["to"] == ["*"])
    kept["to"] = None if kept["allow_any"] else there["to"]
    serve(causeway, kept)


def adjust(causeway, wanted, there, answer):
    words = differing(wanted, there, answer["port"])
    if words:
        causeway.change(["nfs", "set", wanted["path"]] + words)
    # In check mode the changes of "nfs set" are not there, so "nfs serve" would compare with the old settings.
    if not answer["listening"] and not (words and causeway.module.check_mode):
        serve_again(causeway, wanted)


def main():
    module = AnsibleModule(
        argument_spec=dict(
            path=dict(type="path", required=True),
            to=dict(type="list", elements="str"), allow_any=dict(type="bool", default=False),
            port=dict(type="int"), read_only=dict(type="bool"), options=dict(type="str"),
            **COMMON),
        supports_check_mode=True)
    causeway = Causeway(module)
    wanted = module.params
    if wanted["state"] == "absent":
        causeway.change(["nfs", "unserve", wanted["path"]])
        causeway.exit()
    there, answer = served_now(causeway, wanted["path"])
    if there is None:
        serve(causeway, wanted)
        causeway.exit()
    adjust(causeway, wanted, there, answer)
    causeway.exit(served=there)


if __name__ == "__main__":
    main()
