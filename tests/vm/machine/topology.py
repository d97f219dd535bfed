# SPDX-License-Identifier: GPL-2.0-or-later
"""What a scenario asks for: hosts, disks and the links between them.

Two scenarios whose topologies are equal share a boot.
"""

from dataclasses import dataclass, field

# For HostSpec.cmdline: half a debug kernel out of Debian's own; boots in 8 s instead of 5.
SLUB_DEBUG = "slub_debug=FZPU page_poison=1"


@dataclass(frozen=True)
class Disk:
    """A virtual disk; found in the guest by host.disk(serial), kept over a power cut."""
    serial: str
    size: str = "256M"


@dataclass(frozen=True)
class HostSpec:
    name: str
    cpus: int = 0               # 0: two on a debug kernel, where races are looked for, and one on others
    memory: int = 768           # MiB; the kasan kernel gets half as much again
    disks: tuple = ()
    keep: tuple = ()            # folders that outlive a reboot, on a small ext4 disk each
    init: str = "quick"         # or "systemd"
    cmdline: str = ""
    icount: bool = False        # virtual time is what the guest executes: one instruction, one nanosecond
    emulator: tuple = ()        # more arguments of QEMU


    def processors(self, debug):
        """How many processors the host has on a debug kernel, or on another one."""
        return self.cpus or (2 if debug and not self.icount else 1)


@dataclass(frozen=True)
class Topology:
    hosts: tuple = field(default=(HostSpec("server"), HostSpec("client")))
    links: int = 1              # networks that join all the hosts: eth0, eth1, eth2
    switched: bool = False      # two hosts have a switch between them too: Host.hold_frames
    rdma: str = "rxe"           # rxe, siw or none, on every interface
    leaks: bool = False         # kmemleak on, where the kernel has it
    packages: tuple = ()        # Debian packages in the image beside the usual ones
    modules: tuple = ()         # of the kernel, without which it is not: its scenarios are skipped


def pair(server=None, client=None, **rest):
    """A server and a client; server= and client= are dicts of what differs from a plain HostSpec."""
    return Topology(hosts=(HostSpec("server", **(server or {})), HostSpec("client", **(client or {}))), **rest)


def trio(third="client2", **rest):
    """A server, a client and a third host."""
    return Topology(hosts=(HostSpec("server"), HostSpec("client"), HostSpec(third)), **rest)
