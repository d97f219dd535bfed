# SPDX-License-Identifier: GPL-2.0-or-later
"""The second image of a guest: the modules of its kernel, and what this project builds.

It is mounted over the root image. It has our modules where modprobe finds them, the
command in /usr/sbin, the udev rules, the systemd units, test programs in
/usr/local/bin and the rig's own files in /usr/lib/rig. If packages have installed
everything in the root image, it only has the rig's own files.
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
    """Return our modules for a kernel, as kbuild lists them."""
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
    """Return the path of a small C program of the rig. Compiles it if its source is newer."""
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


def enabled_at_boot():
    """The units that packages enable."""
    return re.findall(r"^enable (\S+)$", (TOP / "packaging/causeway.preset").read_text(), re.M)


def install_unit(unit, units, enabled=True):
    """Install a unit, and enable it, as a package would."""
    install(unit, units / unit.name, 0o644)
    if not enabled:
        return
    for target in re.findall(r"^WantedBy=(.*)$", unit.read_text(), re.M):
        wants = units / f"{target}.wants"
        wants.mkdir(parents=True, exist_ok=True)
        (wants / unit.name).symlink_to(f"../{unit.name}")


def install_rig(tree, options):
    """Install the rig's own files. "options" is the folder for the configuration of modprobe."""
    rig = tree / "usr/lib/rig"
    install(compiled(GUEST / "agent.c", "-static"), rig / "agent")
    for name in ("start", "cleanup", "network", "files", "holdings"):
        install(GUEST / name, rig / name)
    install(GUEST / "modprobe.conf", tree / options / "rig.conf", 0o644)
    for unit in sorted(GUEST.glob("*.service")):
        install_unit(unit, tree / "usr/lib/systemd/system")


def install_built(tree, kernel, modules):
    """Install what this project builds, and the kernel modules of scenarios, as packages would."""
    release = release_of(kernel)
    shutil.copytree(kernel / "modules", tree, dirs_exist_ok=True)
    for module in [*built_modules(release), *modules]:
        install(module, tree / "usr/lib/modules" / release / "updates/causeway" / module.name, 0o644)
    subprocess.run(["depmod", "-b", str(tree / "usr"), release], check=True)
    enabled = enabled_at_boot()
    for unit in sorted((TOP / "systemd").glob("*.*")):
        install_unit(unit, tree / "usr/lib/systemd/system", unit.name in enabled)
    install(TOP / "packaging/causeway.preset", tree / "usr/lib/systemd/system-preset/85-causeway.preset", 0o644)

    command = BUILD / "user/causeway"
    if not command.exists():
        raise FileNotFoundError(f"{command} is missing: make tools test-tools")
    install(command, tree / "usr/sbin/causeway")
    (tree / "usr/sbin/mount.nfs-causeway").symlink_to("causeway")
    for rules in sorted((TOP / "udev").glob("*.rules")):
        install(rules, tree / "usr/lib/udev/rules.d" / rules.name, 0o644)
    for tool in sorted((BUILD / "tools").glob("*")):
        if os.access(tool, os.X_OK) and tool.is_file():
            install(tool, tree / "usr/local/bin" / tool.name)


def make_kit(kernel, folder, modules=(), installed=False):
    """Pack the kit for a kernel's folder into folder/kit.squashfs, with these additional modules;
    return the path.

    For a root image in which everything else is installed, the kit has only the rig's own files,
    and the simulated HCA if it is built for that kernel, because no package has it.
    """
    tree = folder / "kit.d"
    # modprobe of Debian 11 does not search below /usr.
    install_rig(tree, "etc/modprobe.d" if installed else "usr/lib/modprobe.d")
    if installed:
        for module in built_modules(release_of(kernel)):
            if module.name == "simhca.ko":
                install(module, tree / "usr/lib/rig" / module.name, 0o644)
    else:
        install_built(tree, kernel, modules)
    image = folder / "kit.squashfs"
    squash(tree, image)
    shutil.rmtree(tree)
    return image
