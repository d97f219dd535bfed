# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A machine in a folder for causeway-autobuild: a kernel with its headers, and sources whose make gives out modules that
# were built before, and does what a test wants before that.

root=${root:?} # the folder of the test
kdir=$(make -s kdir)
kernel=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$kdir/include/generated/utsrelease.h")
built=$PWD/build/modules/$kernel
place=$root/lib/modules/$kernel/updates/causeway
source=$root/usr/src/causeway-9
mkdir -p "$root/etc/causeway" "$root/lib/modules/$kernel" "$source" "$root/bin"
ln -s "$kdir" "$root/lib/modules/$kernel/build"
cp autobuild.conf "$root/etc/causeway"
touch "$source/dkms.conf"
cat >"$source/Makefile" <<END
modules:
	@. ./before
	@mkdir -p \$(O)
	@cd "$built" && find kmod -name '*.ko' | cpio -pdL \$(O) 2>&1
END
before() {
	echo "$*" >"$source/before"
}
before "echo built >>$root/times"

autobuild() {
	packaging/causeway-autobuild --root "$root" --kernel "$kernel" "$@"
}

# How often make was run.
times() {
	if [ -e "$root/times" ]; then wc -l <"$root/times"; else echo 0; fi
}

# Succeeds if modprobe would find all modules of the build, and no build has left files behind.
whole() {
	local name
	for name in causeway causeway_disk causeway_target causeway_rpcrdma; do
		modinfo -b "$root" -k "$kernel" -F filename "$name" | grep -q "^$place/" || return
	done
	[ -z "$(find "$root/lib/modules" "$root/var/cache/causeway" -name '.causeway-*' -o -name 'build-*')" ]
}

# Refused with this exit code, saying this.
refuses() {
	local code=$1 saying=$2 said status=0
	shift 2
	said=$("$@" 2>&1) || status=$?
	if [ "$status" != "$code" ] || ! grep -qE "$saying" <<<"$said"; then
		echo "exit $status, not $code, or not saying '$saying': $said"
		return 1
	fi
}
