# SPDX-License-Identifier: GPL-2.0-or-later
"""Emulated machines for tests; tests/README.md tells how scenarios use them."""
