# SPDX-License-Identifier: GPL-2.0-or-later
# Installed files and their places: make install, uninstall, dkms-install, dkms-uninstall, dist, deb. DESTDIR precedes every path.

PREFIX ?= /usr
DESTDIR ?=
UNITS ?= /usr/lib/systemd/system
PRESETS ?= /usr/lib/systemd/system-preset
UDEV_RULES ?= /usr/lib/udev/rules.d
TMPFILES ?= /usr/lib/tmpfiles.d
# firewalld reads this folder on every machine, and not PREFIX.
FIREWALLD ?= /usr/lib/firewalld/services
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/vendor-completions
# Files that other programs read: rules for Prometheus, a dashboard for Grafana, and the modules for Ansible. ansible-core searches
# this folder for collections.
SHARED := $(PREFIX)/share/causeway
ANSIBLE := $(PREFIX)/share/ansible/collections/ansible_collections/causeway/causeway
CONFIGURATION := /etc/causeway/autobuild.conf
# mount(8) searches /sbin for its helpers, and not PREFIX.
MOUNT_HELPER := /usr/sbin/mount.nfs-causeway

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
SOURCE := /usr/src/causeway-$(VERSION)
SOURCE_FILES := Makefile dkms.conf kmod include packaging/install.mk autobuild.conf LICENSES

ansible_files := galaxy.yml README.md $(patsubst packaging/ansible/%,%,$(sort $(wildcard packaging/ansible/meta/*.yml \
	packaging/ansible/plugins/*/*.py)))

# mode, file, where it goes
define installed_files
755 build/user/causeway $(PREFIX)/sbin/causeway
755 packaging/causeway-autobuild $(PREFIX)/sbin/causeway-autobuild
644 build/user/causeway.8 $(PREFIX)/share/man/man8/causeway.8
644 build/causeway-autobuild.8 $(PREFIX)/share/man/man8/causeway-autobuild.8
644 completions/causeway.bash $(PREFIX)/share/bash-completion/completions/causeway
644 completions/_causeway $(ZSH_COMPLETIONS)/_causeway
644 completions/causeway.fish $(PREFIX)/share/fish/vendor_completions.d/causeway.fish
$(foreach rules,$(wildcard udev/*.rules),644 $(rules) $(UDEV_RULES)/$(notdir $(rules))
)$(foreach unit,$(wildcard systemd/*.service systemd/*.timer),644 $(unit) $(UNITS)/$(notdir $(unit))
)$(foreach file,$(ansible_files),644 packaging/ansible/$(file) $(ANSIBLE)/$(file)
)644 packaging/prometheus/causeway.rules.yml $(SHARED)/prometheus/causeway.rules.yml
644 packaging/grafana/causeway.json $(SHARED)/grafana/causeway.json
644 packaging/causeway.preset $(PRESETS)/85-causeway.preset
644 packaging/tmpfiles.conf $(TMPFILES)/causeway.conf
644 packaging/firewalld/causeway.xml $(FIREWALLD)/causeway.xml
644 packaging/firmware.conf /usr/share/causeway/firmware.conf
endef
export installed_files

.PHONY: install install-modules install-command uninstall uninstall-modules uninstall-command
.PHONY: dkms-install dkms-uninstall install-source uninstall-source dist

# The sources are installed too: causeway-autobuild builds the modules for the next kernel from them.
install: install-modules install-command install-source

# Without DESTDIR, depmod updates this machine's list of modules. With DESTDIR, the scripts of the package do that.
install-modules: modules
	@$(KBUILD) M=$(abspath $(O))/kmod INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates/causeway DEPMOD=true modules_install
	@$(if $(DESTDIR),,depmod -a $(KRELEASE))

build/causeway-autobuild.8: man/causeway-autobuild.8.scd
	@mkdir -p build
	@scdoc <$< >$@.part && mv $@.part $@

# Units contain the path of the command, which is changed to that below PREFIX.
install-command: tools build/causeway-autobuild.8
	@while read -r mode file place; do \
		install -D -m $$mode $$file "$(DESTDIR)$$place" || exit; \
		case $$file in systemd/*.service) sed -i 's,/usr/sbin/causeway,$(PREFIX)/sbin/causeway,' "$(DESTDIR)$$place" || exit ;; esac; \
	done <<<"$$installed_files"
	@mkdir -p "$(DESTDIR)$(dir $(MOUNT_HELPER))"
	@ln -sf $(if $(filter /usr,$(PREFIX)),causeway,$(PREFIX)/sbin/causeway) "$(DESTDIR)$(MOUNT_HELPER)"
	@ln -sf causeway.8 "$(DESTDIR)$(PREFIX)/share/man/man8/mount.nfs-causeway.8"
	@[ -e "$(DESTDIR)$(CONFIGURATION)" ] || install -D -m 644 autobuild.conf "$(DESTDIR)$(CONFIGURATION)"

uninstall: uninstall-modules uninstall-command uninstall-source

# A file of "nfs transport" of a former version lets neither rpcrdma nor causeway_rpcrdma be loaded once the modules are gone.
uninstall-modules:
	@if grep -qs '^# Written by "causeway ' "$(DESTDIR)/etc/modprobe.d/causeway-nfs.conf"; then \
		rm -f "$(DESTDIR)/etc/modprobe.d/causeway-nfs.conf"; fi
	@rm -rf "$(DESTDIR)/lib/modules/$(KRELEASE)/updates/causeway"
	$(call remove_empty,/lib/modules/$(KRELEASE)/updates)
	@$(if $(DESTDIR),,depmod -a $(KRELEASE))

# Configuration that was changed stays. A change of the network that waits for "causeway confirm" is reversed first, because only
# the command can do that.
uninstall-command:
	@$(if $(DESTDIR),,[ ! -e /var/lib/causeway/journal/unconfirmed ] || $(PREFIX)/sbin/causeway undo --unconfirmed now)
	@while read -r mode file place; do rm -f "$(DESTDIR)$$place" || exit; done <<<"$$installed_files"
	@rm -f "$(DESTDIR)$(MOUNT_HELPER)" "$(DESTDIR)$(PREFIX)/share/man/man8/mount.nfs-causeway.8"
	@if cmp -s autobuild.conf "$(DESTDIR)$(CONFIGURATION)"; then rm -f "$(DESTDIR)$(CONFIGURATION)"; fi
	@if [ -d "$(DESTDIR)/etc/causeway" ] && [ -n "$$(ls -A "$(DESTDIR)/etc/causeway")" ]; then \
		echo "kept: $(DESTDIR)/etc/causeway"; fi
	@while read -r mode file place; do echo "$${place%/*}"; done <<<"$$installed_files" | sort -u | \
		while read -r folder; do $(call rmdirs,$$folder); done
	$(call remove_empty,$(dir $(MOUNT_HELPER)))
	$(call remove_empty,$(dir $(CONFIGURATION)))

# Removes the folder and its parents up to the first that is not empty; never DESTDIR itself.
rmdirs = (cd "$(DESTDIR)/" && folder="$(1)" && folder=$${folder\#/} && [ ! -d "$$folder" ] || \
	rmdir -p --ignore-fail-on-non-empty "$${folder%/}")
remove_empty = @$(call rmdirs,$(1))

install-source:
	@rm -rf "$(DESTDIR)$(SOURCE)"
	@mkdir -p "$(DESTDIR)$(SOURCE)"
	@for part in $(SOURCE_FILES); do find $$part -type f -not \( -name '.*' -o -name '*.o' -o -name '*.ko' -o -name '*.mod*' \); done | \
		while read -r file; do install -D -m 644 $$file "$(DESTDIR)$(SOURCE)/$$file" || exit; done
	@find "$(DESTDIR)$(SOURCE)/kmod/compat" -name probe -exec chmod 755 {} +

uninstall-source:
	@rm -rf "$(DESTDIR)$(SOURCE)"
	$(call remove_empty,$(dir $(SOURCE)))

# DKMS builds the modules now for this kernel, and later for every new one. It signs them if it has a key.
dkms-install: dkms-uninstall install-source
	@[ -e "$(DESTDIR)$(CONFIGURATION)" ] || install -D -m 644 autobuild.conf "$(DESTDIR)$(CONFIGURATION)"
	@$(if $(DESTDIR),,dkms add causeway/$(VERSION) && dkms install causeway/$(VERSION) -k $(KRELEASE))

dkms-uninstall:
	@$(if $(DESTDIR),,if [ -n "$$(dkms status causeway/$(VERSION))" ]; then dkms remove causeway/$(VERSION) --all; fi)
	@$(MAKE) uninstall-source DESTDIR=$(DESTDIR)

dist:
	@mkdir -p build
	@git archive --prefix=causeway-$(VERSION)/ HEAD | xz -T0 >build/causeway-$(VERSION).tar.xz
	@echo build/causeway-$(VERSION).tar.xz

# Builds the packages of this Debian release from the last commit.
.PHONY: deb
deb:
	@rm -rf build/deb && mkdir -p build/deb
	@git archive --prefix=causeway-$(VERSION)/ HEAD | tar -x -C build/deb
	@cd build/deb/causeway-$(VERSION) && dpkg-buildpackage -b -us -uc
	@ls build/deb/*.deb
