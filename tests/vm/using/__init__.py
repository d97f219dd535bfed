# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions that several scenarios use. The machinery (tests/vm/machine) does not depend on them.
"""
