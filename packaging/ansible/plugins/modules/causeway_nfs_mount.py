# SPDX-License-Identifier: GPL-2.0-or-later
"""Mounts by NFS over RDMA."""

from __future__ import absolute_import, division, print_function
__metaclass__ = type

DOCUMENTATION = r"""
module: causeway_nfs_mount
short_description: Mount a folder of a server by NFS over RDMA
description:
  - Mounts by C(causeway nfs mount), by TCP where RDMA fails, or unmounts by C(causeway nfs umount).
  - The command decides whether the folder is mounted with these settings already. It refuses other
    settings for a folder that is mounted; the module then fails with the reason and the fix.
options:
  src:
    description: C(SERVER:PATH). Needed with I(state=present).
    type: str
  path:
    description: The folder on which to mount.
    type: path
    required: true
  require_rdma:
    description: Fail where RDMA fails, and do not use TCP.
    type: bool
    default: false
  options:
    description: Options of mount.nfs.
    type: str
  persist:
    description: Mount at boot too, by a systemd unit.
    type: bool
    default: true
  force:
    description: With I(state=absent), unmount even if the server does not answer.
    type: bool
    default: false
  lazy:
    description: With I(state=absent), unmount even while files are open.
    type: bool
    default: false
extends_documentation_fragment: causeway.causeway.command
"""

EXAMPLES = r"""
- name: Mount home directories
  causeway.causeway.causeway_nfs_mount:
    src: storage1:/srv/home
    path: /home
"""

RETURN = r"""
transport:
  description: C(rdma) or C(tcp). Null in check mode.
  returned: with state=present
  type: str
reason:
  description: Why the mount does not go by RDMA.
  returned: with state=present
  type: str
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

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.causeway.causeway.plugins.module_utils.command import COMMON, Causeway, words_of

MOUNT = (("options", "--options"),)
UNMOUNT = (("force", "--force"), ("lazy", "--lazy"))


def main():
    module = AnsibleModule(
        argument_spec=dict(
            src=dict(type="str"), path=dict(type="path", required=True),
            require_rdma=dict(type="bool", default=False), options=dict(type="str"),
            persist=dict(type="bool", default=True), force=dict(type="bool", default=False),
            lazy=dict(type="bool", default=False), **COMMON),
        required_if=[("state", "present", ["src"])],
        supports_check_mode=True)
    causeway = Causeway(module)
    wanted = module.params
    if wanted["state"] == "absent":
        causeway.change(["nfs", "umount", wanted["path"]] + words_of(wanted, UNMOUNT))
        causeway.exit()
    answer = causeway.change(["nfs", "mount", wanted["src"], wanted["path"]] + words_of(wanted, MOUNT) +
                             (["--require", "rdma"] if wanted["require_rdma"] else []) +
                             ([] if wanted["persist"] else ["--no-persist"]))
    causeway.exit(transport=answer.get("transport"), reason=answer.get("reason"))


if __name__ == "__main__":
    main()
