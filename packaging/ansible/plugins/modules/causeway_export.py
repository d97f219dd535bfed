# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports of a Causeway server."""

from __future__ import absolute_import, division, print_function
__metaclass__ = type

DOCUMENTATION = r"""
module: causeway_export
short_description: Offer a disk to other machines by Causeway
description:
  - Adds, changes or removes an export of C(causeway export).
  - Options that are not given keep their value in an export that is there.
  - C(allow), C(key_file), C(read_only), C(tcp) and C(takeover_after) of an export that is there are changed
    by C(causeway export set). The backend, the identity, the ledger's folder, C(exclusive)
    and C(write_through) cannot be changed. The module fails if they differ.
options:
  name:
    description: Name of the export.
    type: str
    required: true
  device:
    description: Block device to offer. One of I(device), I(file) and I(ram) is needed for a new export.
    type: path
  file:
    description: Regular file to offer.
    type: path
  ram:
    description: Size of memory to offer, such as C(512M).
    type: str
  allow:
    description: Networks that may attach the disk, or C(any) alone.
    type: list
    elements: str
  key_file:
    description:
      - File with the pre-shared key on the managed host.
      - The module does not compare the content of the key. If the export has a key, this option
        changes nothing.
    type: path
  read_only:
    description: Refuse writes.
    type: bool
  exclusive:
    description: One host at a time owns the disk.
    type: bool
  write_through:
    description: Put every write on stable storage before its completion.
    type: bool
  tcp:
    description: Serve the disk over TCP too.
    type: bool
  uuid:
    description: Identity of the disk.
    type: str
  takeover_after:
    description: Seconds of silence of the owner after which another machine may take the disk.
    type: int
  state_folder:
    description: Folder for the ledger of the disk's owners.
    type: path
  address:
    description:
      - Addresses of this machine that the server names to clients, or C(none) alone.
      - Only used when the export is added.
    type: list
    elements: str
  persist:
    description: Bring the export back at boot. Only used when the export is added.
    type: bool
    default: true
  force:
    description: With I(state=absent), end the export even while clients have it attached.
    type: bool
    default: false
extends_documentation_fragment: causeway.causeway.command
"""

EXAMPLES = r"""
- name: Offer a volume to one network
  causeway.causeway.causeway_export:
    name: scratch
    device: /dev/vg0/scratch
    allow: [10.0.0.0/24]

- name: End the export
  causeway.causeway.causeway_export:
    name: scratch
    state: absent
"""

RETURN = r"""
export:
  description: The export as C(causeway export list --json) has it before the changes of this task.
  returned: if the export was there
  type: dict
changes:
  description: The changes of the command, made or (in check mode) planned.
  returned: if a verb that changes the host was run
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

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.causeway.causeway.plugins.module_utils.command import COMMON, Causeway, words_of

ADD = (("device", "--device"), ("file", "--file"), ("ram", "--ram"), ("read_only", "--read-only"),
       ("exclusive", "--exclusive"), ("write_through", "--write-through"), ("tcp", "--tcp"),
       ("allow", "--allow"), ("key_file", "--key-file"), ("uuid", "--uuid"),
       ("takeover_after", "--takeover-after"), ("state_folder", "--state-folder"),
       ("address", "--address"))
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def size_of(text):
    """Return the bytes of a size such as 512M, or None if it is written in another way."""
    unit = UNITS.get(text[-1:].upper())
    digits = text[:-1] if unit else text
    return int(digits) * (unit or 1) if digits.isdigit() else None


def backend_differs(wanted, there):
    if wanted["ram"]:
        size = size_of(wanted["ram"])
        return there["backend"] != "ram" or (size is not None and size != there["size"])
    for kind in ("device", "file"):
        if wanted[kind]:
            return there["backend"] != kind or wanted[kind] != there["path"]
    return False


def unchangeable(wanted, there):
    """Return the names of given options that differ and that no verb changes."""
    names = ["device, file or ram"] if backend_differs(wanted, there) else []
    for option in ("exclusive", "write_through"):
        if wanted[option] is not None and wanted[option] != there[option]:
            names.append(option)
    if wanted["uuid"] and wanted["uuid"].lower() != (there["identity"] or "").lower():
        names.append("uuid")
    if wanted["state_folder"] and wanted["state_folder"] != there["state_folder"]:
        names.append("state_folder")
    return names


def differing(wanted, there):
    """Return the words of "export set" for the given options that differ."""
    words = []
    # The kernel knows "any" as a rule without networks.
    allow = None if wanted["allow"] is None else [each for each in wanted["allow"] if each != "any"]
    if allow is not None and sorted(allow) != sorted(each for each in there["allow"] if each != "any"):
        words += ["--allow"] + wanted["allow"]
    if wanted["key_file"] and not there["has_key"]:
        words += ["--key-file", wanted["key_file"]]
    if wanted["read_only"] is not None and wanted["read_only"] != there["read_only"]:
        words.append("--read-only" if wanted["read_only"] else "--read-write")
    if wanted["tcp"] is not None and wanted["tcp"] != there["tcp"]:
        words.append("--tcp" if wanted["tcp"] else "--no-tcp")
    if wanted["takeover_after"] is not None and wanted["takeover_after"] != there["takeover_after"]:
        words += ["--takeover-after", str(wanted["takeover_after"])]
    return words


def add(causeway, wanted):
    causeway.change(["export", "add", wanted["name"]] + words_of(wanted, ADD) +
                    ([] if wanted["persist"] else ["--no-persist"]))


def adjust(causeway, wanted, there):
    names = unchangeable(wanted, there)
    if names:
        causeway.module.fail_json(
            msg="the export {0} is there with another value of: {1} -- remove the export with "
                "state=absent, then add it; its clients have to detach and attach".format(
                    wanted["name"], ", ".join(names)),
            differs=names, export=there, **causeway.result)
    words = differing(wanted, there)
    if words:
        causeway.change(["export", "set", wanted["name"]] + words)


def main():
    module = AnsibleModule(
        argument_spec=dict(
            name=dict(type="str", required=True),
            device=dict(type="path"), file=dict(type="path"), ram=dict(type="str"),
            allow=dict(type="list", elements="str"), key_file=dict(type="path", no_log=False),
            read_only=dict(type="bool"), exclusive=dict(type="bool"), write_through=dict(type="bool"),
            tcp=dict(type="bool"), uuid=dict(type="str"), takeover_after=dict(type="int"),
            state_folder=dict(type="path"), address=dict(type="list", elements="str"),
            persist=dict(type="bool", default=True), force=dict(type="bool", default=False),
            **COMMON),
        mutually_exclusive=[("device", "file", "ram")],
        supports_check_mode=True)
    causeway = Causeway(module)
    wanted = module.params
    if wanted["state"] == "absent":
        causeway.change(["export", "remove", wanted["name"]] + words_of(wanted, [("force", "--force")]))
        causeway.exit()
    there = next((each for each in causeway.ask(["export", "list"])["exports"]
                  if each["name"] == wanted["name"] and not each["ending"]), None)
    if there is None:
        add(causeway, wanted)
        causeway.exit()
    adjust(causeway, wanted, there)
    causeway.exit(export=there)


if __name__ == "__main__":
    main()
