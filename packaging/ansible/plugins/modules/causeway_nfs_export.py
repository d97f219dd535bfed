# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders that a machine serves by NFS over RDMA."""

from __future__ import absolute_import, division, print_function
__metaclass__ = type

DOCUMENTATION = r"""
module: causeway_nfs_export
short_description: Serve a folder by NFS over RDMA
description:
  - Serves a folder by C(causeway nfs serve), or ends that by C(causeway nfs unserve).
  - The command decides whether a folder is served with these settings already. It refuses other
    settings for a folder that is served; the module then fails with the reason and the fix.
options:
  path:
    description: The folder.
    type: path
    required: true
  to:
    description: Networks that may mount the folder.
    type: list
    elements: str
  allow_any:
    description: Every host may mount the folder.
    type: bool
    default: false
  port:
    description: RDMA port of nfsd.
    type: int
  read_only:
    description: Refuse writes.
    type: bool
    default: false
  options:
    description: More export options, such as C(sec=krb5p,no_root_squash).
    type: str
extends_documentation_fragment: causeway.causeway.command
"""

EXAMPLES = r"""
- name: Serve home directories
  causeway.causeway.causeway_nfs_export:
    path: /srv/home
    to: [10.0.0.0/24]
"""

RETURN = r"""
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

SERVE = (("to", "--to"), ("port", "--port"), ("read_only", "--read-only"), ("options", "--options"))


def main():
    module = AnsibleModule(
        argument_spec=dict(
            path=dict(type="path", required=True),
            to=dict(type="list", elements="str"), allow_any=dict(type="bool", default=False),
            port=dict(type="int"), read_only=dict(type="bool", default=False), options=dict(type="str"),
            **COMMON),
        supports_check_mode=True)
    causeway = Causeway(module)
    wanted = module.params
    if wanted["state"] == "absent":
        causeway.change(["nfs", "unserve", wanted["path"]])
    else:
        causeway.change(["nfs", "serve", wanted["path"]] + words_of(wanted, SERVE) +
                        (["--allow", "any"] if wanted["allow_any"] else []))
    causeway.exit()


if __name__ == "__main__":
    main()
