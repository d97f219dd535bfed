# SPDX-License-Identifier: GPL-2.0-or-later
# Flags with which the compiler writes what an object $@ below $(O) needs into a .d beside it. The target there holds the
# variable $(O): ccache makes paths relative, and make would know the object by another name.
needs = -MMD -MP -MT '$$(O)$(@:$(O)%=%)'
