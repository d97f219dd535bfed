# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's root file system: a read-only image of Debian bookworm."""

import subprocess
import tempfile
from pathlib import Path

from . import cache

PACKAGES = """
    bash coreutils util-linux mount kmod procps udev systemd systemd-sysv dbus
    iproute2 iputils-ping nftables
    rdma-core ibverbs-providers ibverbs-utils rdmacm-utils
    fio e2fsprogs xfsprogs dmsetup
    libboost-program-options1.74.0 libfmt9 libnl-3-200 libnl-genl-3-200 libnl-route-3-200 libgcrypt20
""".split()

# Files that no scenario reads.
LEFT_OUT = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*",
            "/usr/lib/udev/hwdb.d/*", "/usr/share/i18n/*"]


def package_lists():
    """Return the mirrors, suites and components of Debian bookworm that apt knows, as lines of
    sources.list."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(COMPONENT) $(CODENAME)",
         "Created-By: Packages", "Origin: Debian"],
        check=True, capture_output=True, text=True).stdout
    entries = [line.split() for line in listed.splitlines()]
    return [f"deb {uri} {codename} {component}" for uri, component, codename in entries
            if codename.startswith("bookworm") and component == "main"]


def host_sources():
    """Return the lines of sources.list that name Debian bookworm on this machine's own mirror."""
    lines = package_lists()
    if not lines:
        subprocess.run(["apt-get", "-q", "update"], check=True, stdout=subprocess.DEVNULL)
        lines = package_lists()
    if not lines:
        raise RuntimeError("apt knows no Debian bookworm package list on this machine")
    return list(dict.fromkeys(lines))


def proxy_options():
    """Return the proxy settings of this machine's apt as options of mmdebstrap."""
    dump = subprocess.run(["apt-config", "dump"], check=True, capture_output=True, text=True).stdout
    return [f"--aptopt={line}" for line in dump.splitlines()
            if line.lower().startswith("acquire::http") and "proxy" in line.lower()]


def squash(tree, image):
    """Pack a folder without compression: unpacking would take time of the emulated processor."""
    subprocess.run(["mksquashfs", str(tree), str(image), "-noI", "-noD", "-noF", "-noX",
                    "-all-root", "-no-xattrs", "-no-progress", "-quiet", "-noappend"], check=True)


def unpack_from(suite, package, tree):
    """Unpack a package of another release into the tree. Its dependencies have to be there already.
    """
    mirror = host_sources()[0].split()[1]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "lists/partial").mkdir(parents=True)
        (work / "sources.list").write_text(f"deb {mirror} {suite} main\n")
        apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourcelist={work}/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null",
               "-o", f"Dir::State::lists={work}/lists", "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
               "-o", "APT::Sandbox::User=root"]
        for command in (["update"], ["download", package]):
            subprocess.run([*apt, *command], check=True, cwd=work, stdout=subprocess.DEVNULL)
        archive, = work.glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", str(archive), str(tree)], check=True)


def make_root(folder, more):
    tree = folder / "tree"
    # Packages of other releases have the form that apt uses: "nfstest/trixie".
    foreign = [package.split("/") for package in more if "/" in package]
    more = [package for package in more if "/" not in package]
    command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=essential", "--format=directory",
               "--include=" + ",".join([*PACKAGES, *more]), *proxy_options(),
               *(f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT),
               "bookworm", str(tree), *host_sources()]
    subprocess.run(command, check=True)
    for package, suite in foreign:
        unpack_from(suite, package, tree)
    (tree / "etc/hostname").unlink(missing_ok=True)
    (tree / "etc/machine-id").write_text("")
    (tree / "etc/fstab").write_text("")
    # The rig itself brings the interfaces up and gives them the kernel's names.
    for unit in ("systemd-networkd", "systemd-timesyncd", "e2scrub_all.timer", "fstrim.timer",
                 "apt-daily.timer", "apt-daily-upgrade.timer", "getty@", "serial-getty@", "systemd-firstboot",
                 "e2scrub_reap", "systemd-logind", "systemd-update-utmp", "systemd-update-utmp-runlevel",
                 "dpkg-db-backup.timer"):
        name = unit if "." in unit else f"{unit}.service"
        link = tree / "etc/systemd/system" / name
        link.unlink(missing_ok=True)
        link.symlink_to("/dev/null")
    squash(tree, folder / "root.squashfs")
    cache.remove(tree)


def root_image(say=print, more=()):
    """Return the path of the image, with these additional packages."""
    made = cache.folder("root", cache.digest(Path(__file__), *more), lambda folder: make_root(folder, more), say)
    cache.forget_old("root")
    return made / "root.squashfs"
