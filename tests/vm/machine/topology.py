# SPDX-License-Identifier: GPL-2.0-or-later
"""The request of a scenario for hosts, disks and links between them.

Two scenarios whose topologies are equal share a boot.
"""

from dataclasses import dataclass, field

# For HostSpec.cmdline: turns on some checks of a debug kernel in Debian's own. Boots in 8 s instead
# of 5.
SLUB_DEBUG = "slub_debug=FZPU page_poison=1"


@dataclass(frozen=True)
class Disk:
    """A virtual disk. host.disk(serial) returns its device node in the guest. It keeps its content
    over a power cut."""
    serial: str
    size: str = "256M"


@dataclass(frozen=True)
class HostSpec:
    name: str
    cpus: int = 0               # 0: two on a debug kernel, to detect races, and one on others
    memory: int = 768           # MiB; the kasan kernel gets half as much again
    disks: tuple = ()
    keep: tuple = ()            # folders that survive a reboot, on a small ext4 disk each
    init: str = "quick"         # or "systemd"
    cmdline: str = ""
    icount: bool = False        # virtual time follows the guest: one instruction takes one nanosecond
    emulator: tuple = ()        # additional arguments of QEMU


    def processors(self, debug):
        """Return the number of processors on a debug kernel, or on another one."""
        return self.cpus or (2 if debug and not self.icount else 1)


@dataclass(frozen=True)
class Topology:
    hosts: tuple = field(default=(HostSpec("server"), HostSpec("client")))
    links: int = 1              # networks that join all the hosts: eth0, eth1, eth2
    switched: bool = False      # a switch also joins two hosts: Host.hold_frames
    rdma: str = "rxe"           # rxe, siw or none, on every interface
    leaks: bool = False         # turns kmemleak on, if the kernel has it
    packages: tuple = ()        # additional Debian packages in the image
    modules: tuple = ()         # modules of the kernel; scenarios are skipped without them


def pair(server=None, client=None, **rest):
    """Return a server and a client. server= and client= are dicts of the values that differ from a
    plain HostSpec."""
    return Topology(hosts=(HostSpec("server", **(server or {})), HostSpec("client", **(client or {}))), **rest)


def trio(third="client2", **rest):
    """Return a server, a client and a third host."""
    return Topology(hosts=(HostSpec("server"), HostSpec("client"), HostSpec(third)), **rest)
