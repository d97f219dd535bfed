# SPDX-License-Identifier: GPL-2.0-only
# Included by each module's Kbuild. Overlay headers that fill a gap of an older or newer kernel go to
# compat/include, found by compile probes; for Linux 6.1 there is no gap.
ccflags-y += -I$(src)/../compat/include -I$(src)/../../include -Wall
