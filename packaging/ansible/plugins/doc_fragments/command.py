# SPDX-License-Identifier: GPL-2.0-or-later
"""The documentation of the options in COMMON of module_utils/command.py, which every module has."""

from __future__ import absolute_import, division, print_function
__metaclass__ = type


class ModuleDocFragment(object):
    DOCUMENTATION = r"""
options:
  state:
    description: C(present) makes or keeps what the other options describe. C(absent) ends it.
    type: str
    choices: [present, absent]
    default: present
  executable:
    description: Path of the command causeway on the managed host.
    type: path
attributes:
  check_mode:
    description: The module runs C(causeway) with C(--dry-run), and changes nothing.
    support: full
  diff_mode:
    description: The module shows the changes that the command lists.
    support: full
author: Causeway maintainers
"""
