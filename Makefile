# SPDX-License-Identifier: GPL-2.0-or-later
# `make help` says what there is.

MAKEFLAGS += --no-print-directory
SHELL := /bin/bash
KCSAN_SCENARIOS := ^(link_lost_mid_write|disk_survives_device_removal|each_cpu_has_its_queue|polled_io|client_and_server_interoperate.causeway-causeway)
# kbuild has an O= of its own, and must not get the O= of this Makefile.
MAKEOVERRIDES =

# The kernel to build modules for: the running one when its headers are here,
# else the one Debian's header package is for.
default_kdir = $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) \
	$(shell dpkg-query -W -f '$${Depends}' linux-headers-amd64 2>/dev/null | \
		sed -n 's,.*\(linux-headers-[^ ,]*\).*,/usr/src/\1,p'))

# AUTOBUILD is the file with the administrator's settings for builds of the modules: causeway-autobuild and DKMS pass it.
# A variable of the command line overrides a setting.
ifneq ($(AUTOBUILD),)
build_args := $(shell sed -n 's/^buildArgs=//p' $(AUTOBUILD) 2>/dev/null)
$(foreach given,$(filter OFED_INCLUDE_PATH=% KDIR=% KSRCDIR=% DEBUG=%,$(build_args)),$(eval $(given)))
JOBS ?= $(patsubst -j%,%,$(lastword $(filter -j%,$(build_args))))
KDIR ?= $(or $(KSRCDIR),$(default_kdir))
endif
ifeq ($(JOBS),)
JOBS := $(shell nproc)
endif
KDIR ?= $(default_kdir)

# An RDMA stack beside the kernel's own (OFED): its headers and the versions of its symbols.
OFED_INCLUDE_PATH ?= $(firstword $(wildcard /usr/src/ofa_kernel/$(shell uname -m)/$(KRELEASE)/include \
	/usr/src/ofa_kernel/default/include))
export OFED_INCLUDE_PATH
OFED_SYMBOLS = $(if $(OFED_INCLUDE_PATH),$(wildcard $(OFED_INCLUDE_PATH)/../Module.symvers))

KRELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
O ?= build/modules/$(KRELEASE)
KBUILD = $(MAKE) -C $(KDIR) $(if $(DEBUG),KCFLAGS=-g) $(if $(W),W=$(W)) $(if $(C),C=$(C) CF='$(CF)')

.PHONY: all help deps modules test-modules guest-modules tools test-tools install-check kdir clean
.PHONY: unit fuzz lint harness-check scenarios check check-ci check-long check-debug check-kernels demo bench bench-two bench-paths bench-scale bench-failover bench-stale debug-kernels kcsan

all: modules tools

include packaging/install.mk

help:
	@echo "make demo            two emulated machines share a disk over RDMA, from nothing"
	@echo "make check           unit tests, fuzzers, lint and the most important scenarios, in half an hour;"
	@echo "                     ONLY=pattern runs the scenarios whose name matches,"
	@echo "                     KERNEL=stock|kasan|lockdep on that kernel"
	@echo "make check-ci        and more scenarios, with a tenth of those that take long: ten commits take all"
	@echo "make check-long      all scenarios, on every kernel they are good for"
	@echo "make check-debug     the scenarios of check-ci on both debug kernels"
	@echo "make check-kernels   modules and packages on Debian 11, 12, 13 and unstable; docs/KERNELS.md"
	@echo "make scenarios       only the scenarios; ONLY=, KERNEL=stock|kasan|lockdep"
	@echo "make unit fuzz lint harness-check"
	@echo "                     the other parts of check; fuzz takes SECONDS=48"
	@echo "make modules tools   what gets installed; KDIR= the kernel's build folder, DEBUG=1"
	@echo "make install         DESTDIR=, PREFIX=/usr; make uninstall takes it away"
	@echo "make dkms-install    the modules under DKMS; make dkms-uninstall"
	@echo "make dist            the sources as one file"
	@echo "make bench           what an I/O costs, of Causeway and its peers, in counted machines;"
	@echo "                     about two hours, or ONLY=pattern of SYSTEM/TRANSPORT/CASE"
	@echo "make bench-two       Causeway against its peers between two machines, by the clock: ratios only;"
	@echo "                     ONLY=pattern of CONTEST"
	@echo "make bench-paths     a disk with two paths against a disk with one, in a counted machine;"
	@echo "                     ONLY=pattern of TRANSPORT/CASE; SLOW=30 delays the second path by so many ms"
	@echo "make bench-scale     what sessions and their links hold at server and client"
	@echo "make bench-failover  how soon a lost network is noticed, and for how long I/O stands still"
	@echo "make bench-stale     how often an old write undoes a newer one when a path is lost, of Causeway and its peers"
	@echo "make debug-kernels   builds the two debug kernels, about an hour of CPU time each"
	@echo "                     (DEBUG_KERNELS=folder names ready packages)"
	@echo "make kcsan           builds the kernel that finds data races, and runs scenarios on it; ONLY=pattern"
	@echo "make deps            installs the Debian packages all this needs"

# Once: what this make runs inherits DEPS.
ifndef DEPS
deps:
	@tests/deps
else
deps: ;
endif
export DEPS := installed

# Sources are linked into a folder per kernel, so that several kernels' objects live side by side. A folder that is gone from
# kmod/ goes there too: kbuild would have left a module in it, which the test machines would load.
define link_sources
	@mkdir -p $(O)
	@find $(O) -xtype l -delete
	@for folder in $(O)/kmod/*/; do [ -d "kmod/$$(basename "$$folder")" ] || rm -rf "$$folder"; done
	@find $(1) -type f -not \( -name '.*' -o -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name modules.order -o -name Module.symvers \) | while read -r file; do \
		[ -L "$(O)/$$file" ] || { mkdir -p "$(O)/$${file%/*}" && ln -sf "$(CURDIR)/$$file" "$(O)/$$file"; }; \
	done
endef

# STRICT_DMA=yes, for tests: modules whose mappings for DMA have buffers of their own (tests/modules/strict_dma), which
# are built with the kernel's own rdma_rw.
strict = $(abspath $(O))/tests/modules/strict_dma
rw_source = drivers/infiniband/core/rw.c
source_package = $(wildcard /usr/src/linux-source-$(shell echo $(KRELEASE) | cut -d. -f1,2).tar.xz)
strict_flags = $(if $(filter yes,$(STRICT_DMA)),NOSTDINC_FLAGS='-nostdinc -I$(strict)/include' \
	KBUILD_EXTRA_SYMBOLS='$(strict)/Module.symvers $(OFED_SYMBOLS)')

$(O)/tests/modules/strict_dma/rw.c:
	@test -n "$(source_package)" || { echo "no source of this kernel in /usr/src: make deps" >&2; exit 1; }
	@mkdir -p $(@D) && tar -xOf $(source_package) --occurrence=1 \
		$(basename $(basename $(notdir $(source_package))))/$(rw_source) >$@.new && mv $@.new $@

.PHONY: strict-dma
strict-dma: $(O)/tests/modules/strict_dma/rw.c
	$(call link_sources,tests/modules/strict_dma)
	@$(KBUILD) M=$(strict) -j$(JOBS) modules

modules: $(if $(filter yes,$(STRICT_DMA)),strict-dma)
	@test -n "$(KRELEASE)" || { echo "no kernel headers: make deps, or KDIR=/path/to/headers" >&2; exit 1; }
	$(call link_sources,kmod include)
	@kmod/compat/probe $(KDIR) $(O)/kmod/compat/answers
	@echo "modules for $(KRELEASE)"
	@$(KBUILD) M=$(abspath $(O))/kmod -j$(JOBS) \
		$(or $(strict_flags),$(if $(OFED_SYMBOLS),KBUILD_EXTRA_SYMBOLS=$(OFED_SYMBOLS))) modules

# The folder that modules would be built with.
kdir:
	@echo $(abspath $(KDIR))

test-modules:
	$(call link_sources,tests/modules)
	@$(KBUILD) M=$(abspath $(O))/tests/modules -j$(JOBS) modules \
		KBUILD_EXTRA_SYMBOLS="$(wildcard $(abspath $(O))/kmod/Module.symvers)"

# The modules for every kernel that guests run, but for debug kernels that are not at hand: those take an hour to build,
# and scenarios are skipped without them. Those of the kasan kernel see wrong mappings for DMA too, unless
# STRICT_DMA=no.
guest-modules: deps
	@headers=$$(tests/vm/run --headers $(or $(KERNEL),stock kasan lockdep)) || exit; \
	while read -r kernel release folder; do \
		for part in modules test-modules; do \
			STRICT=yes $(MAKE) $$part KDIR=$$folder O=build/modules/$$release \
				STRICT_DMA=$$([ $$kernel != kasan ] || echo '$(or $(STRICT_DMA),yes)') </dev/null || exit; \
		done; \
	done < <([ -z "$$headers" ] || echo "$$headers")

tools:
	@$(MAKE) -C user O=$(CURDIR)/build/user VERSION=$(VERSION) -j$(JOBS) all man

test-tools:
	@for tools in peer judge netlink; do $(MAKE) -C tests/vm/$$tools O=$(CURDIR)/build/tools || exit; done

unit: deps
	@$(MAKE) -C user O=$(CURDIR)/build/user -j$(JOBS) unit
	@$(MAKE) -C tests/unit
	@$(MAKE) -C tests/owners

fuzz: deps
	@$(MAKE) -C tests/fuzz -j$(JOBS) SECONDS=$(or $(SECONDS),48)

# Installs and uninstalls in a folder of its own.
install-check:
	@tests/install/run

lint: deps
	@tests/lint/run

# The unit tests of what runs the tests.
harness-check:
	@tests/harness/run

scenarios: guest-modules tools test-tools
	@tests/vm/run $(if $(ONLY),--only '$(ONLY)') $(addprefix --kernel ,$(KERNEL)) $(addprefix --tier ,$(TIER))

check: deps
	@TIER='$(TIER)' ONLY='$(ONLY)' KERNEL='$(KERNEL)' tests/check

check-ci: deps
	@TIER=ci ONLY='$(ONLY)' KERNEL='$(KERNEL)' tests/check

check-long: deps
	@TIER=long ONLY='$(ONLY)' KERNEL='$(KERNEL)' tests/check

# The modules and the packages on four releases of Debian, with their compilers, and a few scenarios on their kernels.
check-kernels: deps
	@tests/kernels/check

check-debug: deps
	@TIER=ci ONLY='$(ONLY)' KERNEL='lockdep kasan' tests/check

demo: deps
	@$(MAKE) guest-modules KERNEL=stock
	@$(MAKE) tools
	@tests/vm/demo.py

# All of it, and docs/PERFORMANCE.md; or with ONLY=pattern a part, which is added to the results that are there.
bench: deps
	@$(MAKE) guest-modules KERNEL=stock
	@$(MAKE) tools
	@tests/bench/run $(if $(ONLY),--keep --only '$(ONLY)') && \
		tests/bench/report.py $(if $(ONLY),,--document docs/PERFORMANCE.md)

bench-two: deps
	@$(MAKE) guest-modules KERNEL=stock
	@$(MAKE) tools
	@tests/bench/two $(if $(ONLY),--keep --only '$(ONLY)',--document docs/SCALE.md)

bench-paths: deps
	@$(MAKE) guest-modules KERNEL=stock
	@$(MAKE) tools
	@tests/bench/paths $(if $(SLOW),--slow '$(SLOW)') $(if $(ONLY),--keep --only '$(ONLY)',$(if $(SLOW),,--document docs/PERFORMANCE.md))

bench-scale: deps
	@$(MAKE) guest-modules KERNEL=stock
	@$(MAKE) tools
	@tests/bench/scale --document docs/SCALE.md

debug-kernels: deps
	@tests/kernels/build

bench-failover: deps
	@$(MAKE) guest-modules KERNEL=stock
	@$(MAKE) tools
	@tests/bench/failover --document docs/RELIABILITY.md

bench-stale: deps
	@$(MAKE) guest-modules KERNEL=stock
	@$(MAKE) tools test-tools
	@tests/bench/stale --document docs/RELIABILITY.md

# Data races of the modules: builds its kernel when it is not there, and runs scenarios on it; ONLY=pattern.
kcsan: deps
	@tests/kernels/build kcsan
	@$(MAKE) guest-modules KERNEL=kcsan
	@$(MAKE) tools test-tools
	@tests/vm/run --kernel kcsan --tier long --only '$(or $(ONLY),$(KCSAN_SCENARIOS))'

clean:
	rm -rf build
