# SPDX-License-Identifier: GPL-2.0-or-later
"""What scenarios have in common. The machinery (tests/vm/machine) knows nothing of it."""
