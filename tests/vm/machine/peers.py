# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules of Linux that Debian's kernel does not have: RTRS, RNBD and siw.

They come from Debian's package of the kernel's sources, are built unchanged by their own Makefiles
against the headers of the stock kernel, and are kept in the cache.
"""

import os
import subprocess
import tarfile
from pathlib import Path

from . import cache
from .kernel import headers_of_stock

SOURCE = Path("/usr/src/linux-source-6.1.tar.xz")
INSIDE = "linux-source-6.1/"
RTRS = "drivers/infiniband/ulp/rtrs"
FOLDERS = (RTRS, "drivers/block/rnbd", "drivers/infiniband/sw/siw")
CONFIG = "INFINIBAND_RTRS INFINIBAND_RTRS_CLIENT INFINIBAND_RTRS_SERVER BLK_DEV_RNBD_CLIENT BLK_DEV_RNBD_SERVER RDMA_SIW".split()


def version_of_source():
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "linux-source-6.1"],
                          check=True, capture_output=True, text=True).stdout


def make_peers(folder, headers):
    wanted = tuple(f"{INSIDE}{name}/" for name in FOLDERS)
    with tarfile.open(SOURCE, "r|xz") as archive:
        for member in archive:
            if member.isfile() and member.name.startswith(wanted):
                member.name = member.name.removeprefix(INSIDE)
                archive.extract(member, folder)
    (folder / "Kbuild").write_text("".join(f"obj-m += {name}/\n" for name in FOLDERS))
    with open(folder / "log", "w", encoding="utf-8") as log:
        subprocess.run(["make", "-C", str(headers), f"M={folder}", f"-j{os.cpu_count()}", f"KCFLAGS=-I{folder}/{RTRS}",
                        *(f"CONFIG_{name}=m" for name in CONFIG), "modules"], check=True, stdout=log, stderr=log)


def peers(say=print):
    """Return the paths of the modules for the stock kernel. Builds them if they are missing."""
    release, _ = headers_of_stock()
    headers = Path("/usr/src") / f"linux-headers-{release}"
    key = cache.digest(Path(__file__), version_of_source(), release, headers / "Module.symvers")
    made = cache.folder("peers", key, lambda folder: make_peers(folder, headers), say)
    cache.forget_old("peers")
    return sorted(made.rglob("*.ko"))
