# SPDX-License-Identifier: GPL-2.0-or-later
"""The second image of a guest: its kernel's modules and what this project builds.

Laid over the root image it puts our modules where modprobe finds them, the
command in /usr/sbin, the udev rules, the systemd units, test programs in
/usr/local/bin and the rig's own files in /usr/lib/rig.
"""

import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

from .image import squash
from .kernel import GUEST, release_of

TOP = Path(__file__).resolve().parents[3]
BUILD = TOP / "build"


def built_modules(release):
    """Our modules for a kernel, as kbuild lists them."""
    found = []
    for order in sorted((BUILD / "modules" / release).rglob("modules.order")):
        base = order.parent
        for line in order.read_text().split():
            path = Path(line)
            path = (path if path.is_absolute() else base / path).with_suffix(".ko")
            if path.exists() and path not in found:
                found.append(path)
    return found


def compiled(source, *flags):
    """The path of a small C program of the rig, compiled when it is older than its source."""
    binary = BUILD / "vm" / source.stem
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        binary.parent.mkdir(parents=True, exist_ok=True)
        temporary = binary.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", *flags, "-o", str(temporary), str(source)], check=True)
        temporary.rename(binary)
    return binary


def tsc_khz():
    program = compiled(Path(__file__).with_name("tsc_khz.c"))
    return int(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout)


def install(source, target, mode=0o755):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    target.chmod(mode)


def install_unit(unit, units):
    """Install a unit and enable it, as a package would."""
    install(unit, units / unit.name, 0o644)
    for target in re.findall(r"^WantedBy=(.*)$", unit.read_text(), re.M):
        wants = units / f"{target}.wants"
        wants.mkdir(exist_ok=True)
        (wants / unit.name).symlink_to(f"../{unit.name}")


def make_kit(kernel, folder, modules=()):
    """Pack the kit for a kernel's folder, with more modules when given, into folder/kit.squashfs; return that path."""
    tree = folder / "kit.d"
    release = release_of(kernel)
    shutil.copytree(kernel / "modules", tree)
    for module in [*built_modules(release), *modules]:
        install(module, tree / "usr/lib/modules" / release / "updates/causeway" / module.name, 0o644)
    subprocess.run(["depmod", "-b", str(tree / "usr"), release], check=True)

    rig = tree / "usr/lib/rig"
    install(compiled(GUEST / "agent.c", "-static"), rig / "agent")
    for name in ("start", "cleanup", "network"):
        install(GUEST / name, rig / name)
    install(GUEST / "modprobe.conf", tree / "usr/lib/modprobe.d/rig.conf", 0o644)
    units = tree / "usr/lib/systemd/system"
    for unit in [*sorted(GUEST.glob("*.service")), *sorted((TOP / "systemd").glob("*.*"))]:
        install_unit(unit, units)

    if (BUILD / "user/causeway").exists():
        install(BUILD / "user/causeway", tree / "usr/sbin/causeway")
        (tree / "usr/sbin/mount.nfs-causeway").symlink_to("causeway")
    for rules in sorted((TOP / "udev").glob("*.rules")):
        install(rules, tree / "usr/lib/udev/rules.d" / rules.name, 0o644)
    for tool in sorted((BUILD / "tools").glob("*")):
        if os.access(tool, os.X_OK) and tool.is_file():
            install(tool, tree / "usr/local/bin" / tool.name)

    image = folder / "kit.squashfs"
    squash(tree, image)
    shutil.rmtree(tree)
    return image
