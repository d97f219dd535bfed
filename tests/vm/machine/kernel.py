# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernels of guests: Debian's stock kernel, debug kernels, and those of other releases of Debian.

Each kernel becomes a folder in the cache:

  vmlinux     the file that QEMU starts
  initrd      busybox, the modules for the disks, and guest/init
  modules/    usr/lib/modules/<release>: the modules that scenarios may load
  release     the name of the kernel, as uname -r prints it
  headers     (debug kernels) the folder against which modules are built
"""

import lzma
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

from . import cache
from .image import host_sources

HERE = Path(__file__).resolve().parent
GUEST = HERE.parent / "guest"
BUSYBOX = Path("/bin/busybox")
SUITES = ("bullseye", "bookworm", "trixie", "sid")   # tests/kernels/suite provides their packages and modules
DEBUG = ("kasan", "lockdep", "kcsan")
NAMES = ("stock", "kasan", "lockdep", *SUITES)

FIRST = "virtio_pci virtio_blk virtio_console virtio_net squashfs overlay".split()
WANTED = FIRST + """
    ext4 xfs loop brd null_blk scsi_debug sd_mod
    dm_mod dm_flakey dm_log_writes dm_delay dm_dust dm_multipath dm_round_robin dm_thin_pool
    dm_crypt xts af_alg algif_skcipher raid1 md_mod
    ib_core ib_uverbs rdma_cm rdma_ucm ib_umad rdma_rxe siw rdmavt ib_ipoib
    ib_srp ib_srpt ib_iser ib_isert iscsi_tcp
    target_core_mod target_core_iblock target_core_file target_core_pscsi iscsi_target_mod
    nvmet nvmet_rdma nvmet_tcp nvme_rdma nvme_tcp nvme_fabrics nbd
    sunrpc rpcrdma nfs nfsv3 nfsv4 nfsd rpcsec_gss_krb5 cts cbc ecb cmac camellia_generic aesni_intel sha1_generic
    sch_netem sch_ingress act_mirred cls_u32 sch_tbf dummy veth bonding 8021q
    nf_tables nft_ct nft_limit nft_counter nf_conntrack tun
    crc32_generic crc32_pclmul hmac sha256_generic sha512_generic crc32c_generic crc32c_intel libcrc32c crc64_rocksoft
    virtio_rng configfs
""".split()


def headers_of_stock():
    """Return the release and version for which linux-headers-amd64 builds modules on this machine.
    """
    depends = subprocess.run(["dpkg-query", "-W", "-f", "${Depends}", "linux-headers-amd64"],
                             check=True, capture_output=True, text=True).stdout
    release = re.search(r"linux-headers-(\S+)", depends).group(1)
    version = re.search(r"\(= ([^)]+)\)", depends)
    return release, version.group(1) if version else None


def unpack(package, tree):
    subprocess.run(["dpkg-deb", "-x", str(package), str(tree)], check=True)


def write_vmlinux(bzimage, vmlinux):
    """Unpack the kernel here if it can be started unpacked (PVH): xz takes long on an emulated
    processor."""
    image = bzimage.read_bytes()
    sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (sectors + 1) * 512 + offset
    packed = image[start:start + length]
    if packed.startswith(b"\xfd7zXZ"):
        elf = lzma.LZMADecompressor().decompress(packed)
        # A Xen note of type 18 (PHYS32_ENTRY) holds the entry point that QEMU needs.
        if struct.pack("<III", 4, 8, 18) + b"Xen\0" in elf or struct.pack("<III", 4, 4, 18) + b"Xen\0" in elf:
            vmlinux.write_bytes(elf)
            return
    shutil.copy(bzimage, vmlinux)


def show_depends(tree, release, module):
    """Return the files to load for a module, in order; none if it is built in; None if it is
    unknown."""
    got = subprocess.run(["modprobe", "--show-depends", "-d", str(tree), "-S", release, module],
                         capture_output=True, text=True)
    if got.returncode:
        return None
    return [Path(line.split()[1]) for line in got.stdout.splitlines() if line.startswith("insmod ")]


def unpacked_module(path):
    """Return the content of a module, unpacked. Newer kernels have packed modules, which busybox
    does not load."""
    content = path.read_bytes()
    return lzma.decompress(content) if path.suffix == ".xz" else content


def load_list(tree, release, names, folder):
    """Copy the modules of these names to folder; return their paths there, in the order of loading.
    """
    order = []
    for name in names:
        for path in show_depends(tree, release, name) or []:
            inside = f"/modules/{path.name.removesuffix('.xz')}"
            if inside not in order:
                order.append(inside)
                (folder / "modules").mkdir(parents=True, exist_ok=True)
                (folder / inside.lstrip("/")).write_bytes(unpacked_module(path))
    return order


def make_initrd(tree, release, folder):
    root = folder / "initrd.d"
    for name in ("bin", "proc", "sys", "dev", "root", "kit", "cover", "new"):
        (root / name).mkdir(parents=True)
    shutil.copy(BUSYBOX, root / "bin/busybox")
    shutil.copy(GUEST / "init", root / "init")
    (root / "load").write_text("\n".join(load_list(tree, release, FIRST, root)) + "\n")
    (root / "load-ext4").write_text("\n".join(load_list(tree, release, ["ext4"], root)) + "\n")
    with open(folder / "initrd", "wb") as initrd:
        names = subprocess.run(["find", ".", "-print0"], cwd=root, check=True, capture_output=True).stdout
        subprocess.run(["cpio", "--null", "--create", "--format=newc", "--quiet", "--owner=0:0"],
                       cwd=root, input=names, stdout=initrd, check=True)
    shutil.rmtree(root)


def pick_modules(tree, release, folder):
    """Keep the modules that scenarios may use, and their dependencies."""
    source = tree / "lib/modules" / release
    target = folder / "modules/usr/lib/modules" / release
    for name in WANTED:
        for path in show_depends(tree, release, name) or []:
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        shutil.copy(source / name, target / name)


def make_from(folder, image_packages, headers_package=None):
    tree = folder / "tree"
    for package in image_packages:
        unpack(package, tree)
    if not (tree / "lib").exists():
        (tree / "lib").symlink_to("usr/lib")
    release = next((tree / "lib/modules").iterdir()).name
    subprocess.run(["depmod", "-b", str(tree), release], check=True)
    (folder / "release").write_text(release + "\n")
    images = (tree / "boot" / f"vmlinuz-{release}", tree / "lib/modules" / release / "vmlinuz")
    write_vmlinux(next(image for image in images if image.exists()), folder / "vmlinux")
    make_initrd(tree, release, folder)
    pick_modules(tree, release, folder)
    shutil.rmtree(tree)
    if headers_package:
        unpack(headers_package, folder / "unpacked")
        headers = next((folder / "unpacked/usr/src").glob("linux-headers-*"))
        (folder / "headers").symlink_to(os.path.relpath(headers, folder))


def make_stock(folder):
    host_sources()          # fetches the package lists if there are none
    release, version = headers_of_stock()
    package = f"linux-image-{release}" + (f"={version}" if version else "")
    subprocess.run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", package],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    image = next(folder.glob("*.deb"))
    make_from(folder, [image])
    image.unlink()
    (folder / "headers").symlink_to(f"/usr/src/linux-headers-{release}")


def find_debug_packages(name):
    """Return the image and headers packages of a debug kernel. Searches a given folder first, then
    our own builds."""
    places = [Path(p) for p in [os.environ.get("DEBUG_KERNELS")] if p]
    places += sorted(cache.root().glob("debug-kernels-*"), key=lambda p: p.stat().st_mtime, reverse=True)
    for place in places:
        image = sorted(place.glob(f"linux-image-*-{name}_*.deb"))
        headers = sorted(place.glob(f"linux-headers-*-{name}_*.deb"))
        if image and headers:
            return image[-1], headers[-1]
    return None


def kernel(name, say=print):
    """Return the folder of a kernel, and make it if it is missing. None if there is no debug
    package."""
    scripts = [Path(__file__), GUEST / "init", BUSYBOX]
    if name == "stock":
        made = cache.folder("kernel-stock", cache.digest(*headers_of_stock(), *scripts), make_stock, say)
    elif name in SUITES:
        packages = sorted((cache.root() / f"suite-{name}").glob("linux-*.deb"))
        if not packages:
            return None
        made = cache.folder(f"kernel-{name}", cache.digest(*packages, *scripts),
                            lambda folder: make_from(folder, packages), say)
    else:
        packages = find_debug_packages(name)
        if not packages:
            return None
        key = cache.digest(*packages, *scripts)
        made = cache.folder(f"kernel-{name}", key, lambda folder: make_from(folder, [packages[0]], packages[1]), say)
    cache.forget_old(f"kernel-{name}")
    return made


def release_of(folder):
    return (folder / "release").read_text().strip()
