# SPDX-License-Identifier: GPL-2.0-or-later
"""A host of a scenario: actions on it and queries of its state."""

import re
import shlex
import subprocess
import time

from .agent import Agent, HostGone, TooSlow
from .console import Console
from .kernel import DEBUG, SUITES, release_of
from .network import mac
from .qemu import Machine

# An emulated processor is slow, and debug kernels are slower: every timeout is multiplied by this.
SCALE = {"stock": 1, "kasan": 3, "lockdep": 3, "kcsan": 4, **dict.fromkeys(SUITES, 1)}

CMDLINE = """
    console=ttyS0 loglevel=5 panic=-1 oops=panic net.ifnames=0 mitigations=off nokaslr tsc=reliable
    no_timer_check rcupdate.rcu_cpu_stall_timeout=60 sysctl.kernel.watchdog_thresh=60
    sysctl.kernel.softlockup_panic=1 sysctl.kernel.hung_task_timeout_secs=120
""".split()


class Host:
    def __init__(self, rig, spec, number):
        self.rig, self.spec, self.number, self.name = rig, spec, number, spec.name
        self.log = rig.log
        self.machine = None
        self.agent = None
        self.held = None        # the things that it held before its first scenario; None: not known yet
        self.console = Console(rig.folder / f"{self.name}.console")
        self.disks = []
        for disk in spec.disks:
            self._make_disk(disk.serial, disk.size)
        for index, _ in enumerate(spec.keep):
            path = self._make_disk(f"keep{index}", "16M")
            subprocess.run(["mkfs.ext4", "-q", "-F", str(path)], check=True)

    def _make_disk(self, serial, size):
        path = self.rig.folder / f"{self.name}-{serial}.disk"
        subprocess.run(["truncate", "-s", size, str(path)], check=True)
        self.disks.append((path.name, serial, True))
        return path

    # --- power ---

    def _cmdline(self):
        topology = self.rig.topology
        network = [self.name, self.number, topology.links, topology.rdma]
        for number, spec in enumerate(topology.hosts, 1):
            network += [spec.name, number]
        words = CMDLINE + [self.spec.cmdline, f"tsc_early_khz={1000000 if self.spec.icount else self.rig.tsc_khz}",
                           "rig.network=" + ",".join(map(str, network))]
        if self.spec.init == "systemd":
            words.append("rig.init=/lib/systemd/systemd systemd.show_status=0 systemd.journald.forward_to_console=0")
        words += [f"rig.keep=keep{i}:{path}" for i, path in enumerate(self.spec.keep)]
        if self.rig.kernel_name == "lockdep" and topology.leaks:
            words.append("kmemleak=on")
        if self.rig.kernel_name == "kasan":
            words.append("kasan_multi_shot")    # KASAN goes on after a known complaint
        return " ".join(word for word in words if word)

    def power_on(self):
        rig = self.rig
        memory = self.spec.memory * (3 if rig.kernel_name == "kasan" else 2) // 2 \
            if rig.kernel_name != "stock" else self.spec.memory
        disks = [(rig.root_image, "root", False), (rig.kit_image, "kit", False), *self.disks]
        nics = [(link.netdev(self.name), mac(link.number, self.number)) for link in rig.links]
        self.machine = Machine(rig.folder, self.name, self.spec.processors(rig.kernel_name in DEBUG), memory,
                               rig.kernel / "vmlinux", rig.kernel / "initrd", self._cmdline(), disks, nics, self.spec.icount,
                               self.spec.emulator)
        self.agent = Agent(self.name, self.machine.agent_socket, self.log, SCALE[rig.kernel_name])

    def wait_up(self):
        """Wait for the agent, then bring the links up."""
        began = time.monotonic()
        if not self.agent.wait_hello(120 * self.agent.scale):
            raise HostGone(f"{self.name} did not boot\n{self.console_text()[-2000:]}")
        agent_up = time.monotonic() - began
        # If systemd runs, this waits for systemd's own run of it, which competes with the rest of
        # the boot.
        self.run("/usr/lib/rig/network", timeout=180)
        self.run("echo 8 >/proc/sys/kernel/printk")
        self.log(f"[{self.name}] agent after {agent_up:.1f} s, links after {time.monotonic() - began:.1f} s")

    def boot(self):
        self.power_on()
        self.wait_up()

    def power_cut(self):
        """Stop the machine at once. Its disks keep what was written, and boot() starts it again."""
        self.log(f"[{self.name}] power cut")
        self.machine.kill()
        self.machine = None

    def shutdown(self):
        """Shut the machine down. systemd stops its units first, a quick guest only syncs."""
        self.log(f"[{self.name}] shutdown")
        how = "systemctl --no-block poweroff" if self.spec.init == "systemd" else "sync; poweroff -ff"
        self.agent.start(how)
        if not self.machine.wait_off(90 * self.agent.scale):
            self.machine.kill()
            raise TooSlow(f"{self.name} did not shut down")
        self.machine = None

    def reboot(self):
        self.shutdown()
        self.boot()

    def starved(self):
        """Return the seconds that this machine waited for a processor of the real one. A difference
        shows a stall of the rig."""
        return self.machine.starved()

    @property
    def up(self):
        return self.machine is not None and self.machine.running and not self.agent.gone

    # --- commands ---

    def start(self, command, has_input=False):
        """Start a bash command; return a Job."""
        return self.agent.start(command, has_input)

    def run(self, command, timeout=60, check=True):
        """Run a command to its end; return a Result."""
        return self.start(command).wait(timeout, check)

    def fails(self, command, saying="", timeout=60):
        """Run a command that has to fail and whose output has to match the pattern."""
        result = self.run(command, timeout, check=False)
        if result.rc == 0:
            raise AssertionError(f"{self.name}: succeeded but should not have: {command}\n{result.out}")
        if not re.search(saying, result.out):
            raise AssertionError(f"{self.name}: failed without saying /{saying}/: {command}\n{result.out}")
        return result

    def wait_for(self, condition, timeout=60):
        """Wait until a bash command succeeds. Use it for a condition that sends no event."""
        loop = f"until ( {condition} ) >/dev/null 2>/tmp/rig-condition; do read -rt 0.2 <> <(:) || :; done"
        try:
            return self.run(loop, timeout)
        except TooSlow as error:
            last = self.run(f"( {condition} ) 2>&1", check=False)
            raise TooSlow(f"{self.name}: never true: {condition}\nat last: {last.rc}\n{last.out[-2000:]}") from error

    def write(self, path, text):
        job = self.start(f"mkdir -p $(dirname {shlex.quote(path)}); cat >{shlex.quote(path)}", has_input=True)
        job.send(text)
        job.end_input()
        job.wait()

    def read(self, path):
        return self.run(f"cat {shlex.quote(path)}").out

    def uptime(self):
        """Return the seconds since the machine booted, by its own clock."""
        return float(self.read("/proc/uptime").split()[0])

    def fill_kept(self, *folders):
        """Fill folders of "keep", which are empty disks at first, with the content that packages
        installed below them."""
        self.run("mkdir -p /run/under && mount --bind / /run/under && "
                 f"for folder in {' '.join(folders)}; do cp -a -n /run/under$folder/. $folder/ || exit; done && "
                 "umount /run/under")

    def disk(self, serial):
        """Return the device node of a virtual disk."""
        return self.run(f"for d in /sys/block/vd*; do [ \"$(cat $d/serial)\" != {serial} ] || "
                        f"echo /dev/${{d##*/}}; done").out.strip()

    # --- links ---

    def address(self, link=0, version=4):
        return f"10.{link}.0.{self.number}" if version == 4 else f"fd00:{link}::{self.number}"

    def link_down(self, link=0):
        self.log(f"[{self.name}] link {link} down")
        self.machine.set_link(link, False)

    def link_up(self, link=0):
        self.log(f"[{self.name}] link {link} up")
        self.machine.set_link(link, True)

    # Only if a switch joins the hosts (a topology of three, or one that is switched).

    def hold_frames(self, link=0):
        """Make the switch hold the frames that this host sends from now on."""
        self.log(f"[{self.name}] frames on link {link} are held")
        self.rig.links[link].switch.hold(self.name)

    def overtake_frames(self, link=0):
        """Forward the frames that this host sends from now on, which overtake those that are held.
        """
        self.log(f"[{self.name}] frames on link {link} overtake {self.frames_held(link)} that are held")
        self.rig.links[link].switch.overtake(self.name)

    def release_frames(self, link=0):
        """Make the switch send the frames of this host that it holds, in order; return their
        number."""
        count = self.rig.links[link].switch.release(self.name)
        self.log(f"[{self.name}] {count} frames on link {link} are released")
        return count

    def frames_held(self, link=0, holding=b""):
        """Return how many frames of this host the switch holds. Counts only those that contain the
        bytes "holding"."""
        return self.rig.links[link].switch.count(self.name, holding)

    def held_frames(self, link=0, holding=b""):
        """Return the frames of this host that the switch holds and that contain the bytes "holding"."""
        return self.rig.links[link].switch.frames(self.name, holding)

    def wait_frames_held(self, link=0, holding=b"", timeout=60):
        """Wait until the switch holds a frame of this host that contains these bytes."""
        deadline = time.monotonic() + timeout * self.agent.scale
        while not self.frames_held(link, holding):
            if time.monotonic() > deadline:
                raise TooSlow(f"{self.name} never sent a frame on link {link} that holds {holding[:8]!r}")
            time.sleep(0.05)

    def qmp(self, command, **arguments):
        """Send any other command to QEMU."""
        return self.machine.monitor.ask(command, **arguments)

    # --- console ---

    def console_text(self, start=0):
        """Return the output of the console from that byte of its file on."""
        return self.console.text(start)

    def console_end(self):
        """Return the byte of its file that the console writes next: a start for wait_console()."""
        return self.console.size()

    def wait_console(self, pattern, timeout=60, start=None):
        """Wait for a line on the console, from the start of the scenario or from this byte of its
        file on; return the match."""
        start = self.console.scanned if start is None else start
        deadline = time.monotonic() + timeout * self.agent.scale
        while time.monotonic() < deadline:
            match = re.search(pattern, self.console_text(start), re.M)
            if match:
                return match
            time.sleep(0.1)
        raise TooSlow(f"{self.name}: the console never said /{pattern}/")

    @property
    def release(self):
        return release_of(self.rig.kernel)
