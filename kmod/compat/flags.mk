# SPDX-License-Identifier: GPL-2.0-only
# Included by the Kbuild of each module. The overlay headers come before the kernel's own, which they include, those of
# the newest release first: so the overlays of an older release lie closer to the kernel. `probe` has written what they
# read, causeway_answers.h.
causeway_compat := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
# An RDMA stack beside the kernel's own has its headers before the kernel's.
ifneq ($(OFED_INCLUDE_PATH),)
LINUXINCLUDE := -I$(OFED_INCLUDE_PATH) -I$(OFED_INCLUDE_PATH)/uapi \
	$(addprefix -include ,$(wildcard $(OFED_INCLUDE_PATH)/linux/compat-2.6.h)) $(LINUXINCLUDE)
endif
ifndef CAUSEWAY_PROBING
LINUXINCLUDE := $(addprefix -I,$(shell ls -dvr $(causeway_compat)/[0-9]*/include)) \
	-I$(causeway_compat)/include -I$(causeway_compat)/answers $(LINUXINCLUDE)
endif
ccflags-y += -I$(causeway_compat)/../../include -Wall
