# SPDX-License-Identifier: GPL-2.0-or-later
"""Emulated machines for tests. tests/README.md explains how scenarios use them."""
