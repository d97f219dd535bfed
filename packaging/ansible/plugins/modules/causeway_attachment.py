# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks that a machine has attached by Causeway."""

from __future__ import absolute_import, division, print_function
__metaclass__ = type

DOCUMENTATION = r"""
module: causeway_attachment
short_description: Attach a disk of a Causeway server
description:
  - Attaches a disk by C(causeway attach), changes its settings, or detaches it.
  - Options that are not given keep their value for a disk that is attached.
  - C(io_timeout), C(fast_fail) and C(policy) of an attached disk are changed by C(causeway attach
    set). C(queues), C(poll_queues) and C(depth) cannot be changed. The module fails if they differ.
    The paths of an attached disk are changed by C(causeway path add) and C(causeway path remove).
options:
  disk:
    description: C(SERVER/NAME) or C(SERVER:PORT/NAME).
    type: str
    required: true
  path:
    description: Addresses of the server, one for each path, or C(auto). Only used by the attach.
    type: list
    elements: str
  from_address:
    description: Addresses of this machine, one for each path. Only used by the attach.
    type: list
    elements: str
  transport:
    description: By RDMA, over TCP, or both. Only used by the attach.
    type: str
    choices: [rdma, tcp, 'rdma,tcp']
  policy:
    description: How commands are given to the paths.
    type: str
    choices: [auto, round-robin, single]
  queues:
    description: Connections for data.
    type: int
  poll_queues:
    description: More connections for data, which are polled.
    type: int
  depth:
    description: Commands in flight on each connection.
    type: int
  io_timeout:
    description: Seconds to hold I/O without a server before the I/O fails; 0 is for ever.
    type: int
  fast_fail:
    description: Seconds without a server after which I/O that is marked so fails, or C(off).
    type: str
  key_file:
    description:
      - File with the pre-shared key on the managed host. Only used by the attach.
    type: path
  host_uuid:
    description: UUID by which the server knows this machine. Only used by the attach.
    type: str
  background:
    description: Do not wait for the server.
    type: bool
    default: false
  persist:
    description: Attach the disk at boot too. Only used by the attach.
    type: bool
    default: true
  force:
    description: With I(state=absent), detach a disk that is open; its I/O fails.
    type: bool
    default: false
extends_documentation_fragment: causeway.causeway.command
"""

EXAMPLES = r"""
- name: Attach a disk and mount its file system
  causeway.causeway.causeway_attachment:
    disk: storage1/scratch
  register: scratch

- ansible.posix.mount:
    src: "{{ scratch.link }}"
    path: /mnt/scratch
    fstype: ext4
    opts: _netdev,nofail,x-systemd.device-timeout=5min
    state: mounted
"""

RETURN = r"""
device:
  description: Node of the disk, such as C(/dev/causeway0). Null in check mode for a new disk.
  returned: with state=present
  type: str
link:
  description: The link that udev makes, with the same name after a reboot.
  returned: with state=present
  type: str
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

ATTACH = (("path", "--path"), ("from_address", "--from"), ("transport", "--transport"), ("policy", "--policy"),
          ("queues", "--queues"), ("poll_queues", "--poll-queues"), ("depth", "--depth"),
          ("io_timeout", "--io-timeout"), ("fast_fail", "--fast-fail"), ("key_file", "--key-file"),
          ("host_uuid", "--host-uuid"), ("background", "--background"))
DEFAULT_PORT = ":4793"


def name_of(disk):
    """Return SERVER/NAME as the command shows it: without the default port."""
    server, slash, name = disk.rpartition("/")
    if server.endswith(DEFAULT_PORT) and (server.count(":") == 1 or server.startswith("[")):
        server = server[:-len(DEFAULT_PORT)]
    return server + slash + name


def unchangeable(wanted, there):
    return [option for option in ("queues", "poll_queues", "depth")
            if wanted[option] is not None and wanted[option] != there[option]]


def differing(wanted, there):
    """Return the words of "attach set" for the given options that differ."""
    words = []
    if wanted["io_timeout"] is not None and wanted["io_timeout"] != (there["io_timeout"] or 0):
        words += ["--io-timeout", str(wanted["io_timeout"])]
    fast_fail = "off" if there["fast_fail"] is None else str(there["fast_fail"])
    if wanted["fast_fail"] is not None and wanted["fast_fail"] != fast_fail:
        words += ["--fast-fail", wanted["fast_fail"]]
    if wanted["policy"] is not None and wanted["policy"] != there["policy"]:
        words += ["--policy", wanted["policy"]]
    return words


def adjust(causeway, wanted, there):
    names = unchangeable(wanted, there)
    if names:
        causeway.module.fail_json(
            msg="{0} is attached with another value of: {1} -- detach the disk with state=absent, then "
                "attach it".format(wanted["disk"], ", ".join(names)),
            differs=names, attachment=there, **causeway.result)
    words = differing(wanted, there)
    if words:
        causeway.change(["attach", "set", wanted["disk"]] + words)


def main():
    module = AnsibleModule(
        argument_spec=dict(
            disk=dict(type="str", required=True),
            path=dict(type="list", elements="str"), from_address=dict(type="list", elements="str"),
            transport=dict(type="str", choices=["rdma", "tcp", "rdma,tcp"]),
            policy=dict(type="str", choices=["auto", "round-robin", "single"]),
            queues=dict(type="int"), poll_queues=dict(type="int"), depth=dict(type="int"),
            io_timeout=dict(type="int"), fast_fail=dict(type="str"),
            key_file=dict(type="path", no_log=False), host_uuid=dict(type="str"),
            background=dict(type="bool", default=False), persist=dict(type="bool", default=True),
            force=dict(type="bool", default=False), **COMMON),
        supports_check_mode=True)
    causeway = Causeway(module)
    wanted = module.params
    if wanted["state"] == "absent":
        causeway.change(["detach", wanted["disk"]] + words_of(wanted, [("force", "--force")]))
        causeway.exit()
    there = next((each for each in causeway.ask(["list"])["attachments"]
                  if each["server"] + "/" + each["name"] == name_of(wanted["disk"])), None)
    if there is None:
        there = causeway.change(["attach", wanted["disk"]] + words_of(wanted, ATTACH) +
                                ([] if wanted["persist"] else ["--no-persist"]))
    else:
        adjust(causeway, wanted, there)
    causeway.exit(device=there.get("device"), link=there.get("link"))


if __name__ == "__main__":
    main()
