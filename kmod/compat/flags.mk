# SPDX-License-Identifier: GPL-2.0-only
# Included by each module's Kbuild. The overlay headers come before the kernel's own, which they include; `probe` has
# written what they read, causeway_answers.h.
# An RDMA stack beside the kernel's own has its headers before the kernel's.
ifneq ($(OFED_INCLUDE_PATH),)
LINUXINCLUDE := -I$(OFED_INCLUDE_PATH) -I$(OFED_INCLUDE_PATH)/uapi \
	$(addprefix -include ,$(wildcard $(OFED_INCLUDE_PATH)/linux/compat-2.6.h)) $(LINUXINCLUDE)
endif
ifndef CAUSEWAY_PROBING
LINUXINCLUDE := -I$(src)/../compat/include -I$(src)/../compat/answers $(LINUXINCLUDE)
endif
ccflags-y += -I$(src)/../../include -Wall
