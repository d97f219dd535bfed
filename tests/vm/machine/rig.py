# SPDX-License-Identifier: GPL-2.0-or-later
"""A booted topology, which a scenario gets as `rig`."""

import re
import threading
import time

from . import holdings, image, kernel, kit, splat
from .agent import HostGone
from .host import Host
from .network import Link


class Splat(AssertionError):
    """A kernel reported a fault."""


class Rig:
    """The hosts of a topology under one kernel, from boot to power-off."""

    def __init__(self, topology, kernel_name, kernel_folder, kit_image, folder, say=print, installed=None):
        self.topology, self.kernel_name, self.folder = topology, kernel_name, folder
        self.kernel, self.kit_image = kernel_folder, kit_image
        self.say = say
        self.root_image = installed or image.root_image(say, topology.packages)
        self.tsc_khz = kit.tsc_khz()
        self.log_file = None
        self.known = ()         # complaints that the last scenario was allowed to provoke
        self.leaves = set()     # kinds of things that this scenario leaves to the rig; shared code may add some
        names = [spec.name for spec in topology.hosts]
        self.links = [Link(number, names, folder, topology.switched) for number in range(topology.links)]
        self.hosts = {spec.name: Host(self, spec, number) for number, spec in enumerate(topology.hosts, 1)}

    def __getattr__(self, name):
        hosts = self.__dict__.get("hosts", {})
        if name in hosts:
            return hosts[name]
        raise AttributeError(f"no host {name} in this topology")

    def log(self, text):
        if self.log_file:
            self.log_file.write(f"{time.strftime('%H:%M:%S')} {text}\n")
            self.log_file.flush()

    def _each(self, work, hosts=None):
        """Do the same on all hosts at once; raise the first failure."""
        failures = []

        def guarded(host):
            try:
                work(host)
            except Exception as error:              # raised again by the caller below
                failures.append(error)

        threads = [threading.Thread(target=guarded, args=(host,))
                   for host in (self.hosts.values() if hosts is None else hosts)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def boot(self):
        began = time.monotonic()
        self._each(Host.power_on)
        self._each(Host.wait_up)
        self.log(f"{self.kernel_name}: all hosts up after {time.monotonic() - began:.1f} s")
        return time.monotonic() - began

    def power_off(self):
        for host in self.hosts.values():
            if host.machine and host.machine.running:
                host.machine.kill()
        for link in self.links:
            link.close()
        for path in self.folder.glob("*.disk"):
            path.unlink(missing_ok=True)

    # --- between scenarios ---

    def begin(self, name, known=(), leaves=()):
        """Mark on the consoles where a scenario begins, and check that they have no complaint before the mark. known: complaints
        that the scenario provokes. leaves: kinds of things that it leaves to the rig.

        This detects complaints that a kernel prints after the check at the end of a scenario.
        Complaints that the earlier scenario provoked on purpose do not count against this one.
        """
        mark = f"rig: scenario {name} begins"
        for host in self.hosts.values():
            if not host.up:
                continue
            host.run(f"echo '{mark}' >/dev/kmsg")
            host.wait_console(re.escape(mark))
            found = splat.find(host.console.take(until=host.console.line_with(mark)), self.known)
            if found:
                raise Splat(f"{host.name}: kernel complaint before {name} began\n{found}")
        self.known = known
        self.leaves = set(leaves)
        self._each(self._note_holdings, [host for host in self.hosts.values() if host.up and host.held is None])

    @staticmethod
    def _note_holdings(host):
        host.held = holdings.of(host)

    def judge_holdings(self, leaves=()):
        """Raise LeftBehind if a host holds more than before its first scenario. Ignore the kinds in "leaves"."""
        self._each(lambda host: holdings.judge(host, host.held, holdings.of(host), leaves),
                   [host for host in self.hosts.values() if host.up and host.held is not None])

    def reset(self, last=False):
        """Remove every attachment and export, set the links up, unload our modules, and look for leaks. Raise an error if a host is
        gone, a module does not unload, something is left, lockdep is off, or memory leaked.

        After the last use of the boot, a host without power is not started again, and only files of Causeway count as left.
        """
        up = [host for host in self.hosts.values() if host.up]
        off = [host for host in self.hosts.values() if host.machine is None]
        for host in self.hosts.values():
            if host not in up and host not in off:
                raise HostGone(f"{host.name} is gone\n{host.console_text()[-2000:]}")
        if off and not last:
            self._each(Host.boot, off)
        for host in up:
            for link in self.links:
                host.machine.set_link(link.number, True)
                if link.switch:
                    link.switch.release(host.name)
        # Clients come first: a server's exports are free when no client holds them.
        for host in reversed(up):
            host.run("/usr/lib/rig/cleanup" + (" last" if last else ""), timeout=120)
        if not last:
            self.judge_holdings()
        if self.kernel_name == "lockdep":
            self._each(self._check_lockdep, up)
            if self.topology.leaks:
                self._each(self._scan_leaks, up)

    @staticmethod
    def _check_lockdep(host):
        # lockdep turns itself off after its first finding, or when a table is full.
        if not re.search(r"debug_locks:\s+1", host.read("/proc/lockdep_stats")):
            raise Splat(f"{host.name}: lockdep is off")

    @staticmethod
    def _scan_leaks(host):
        # kmemleak ignores objects that are younger than five seconds, and reports an object only if
        # a second scan finds it unchanged.
        found = host.run("cd /sys/kernel/debug && sleep 5.5 && for i in 1 2; do echo scan >kmemleak || exit; done; "
                         "cat kmemleak && echo clear >kmemleak", timeout=240).out
        if "unreferenced object" in found:
            raise Splat(f"{host.name}: kmemleak\n{found[:6000]}")

    def meets(self, need, *hosts):
        """Return whether the hosts (default: all) have what a part of a scenario requires. If not,
        print the reason."""
        for host in hosts or self.hosts.values():
            if host.run(need.condition, check=False).rc:
                self.say(f"     a part is skipped: {need.reason} on {host.name}")
                return False
        return True

    def scan(self, allowed=()):
        """Raise Splat if a console has a complaint that was not there at the last scan."""
        for host in self.hosts.values():
            found = splat.find(host.console.take(rest=not host.up), allowed)
            if found:
                raise Splat(f"{host.name}: kernel complaint\n{found}")


def prepare(kernel_name, folder, say=print, modules=(), installed=None):
    """Return the kernel and a kit to boot it with, with these additional modules; None if there is
    no such kernel.

    "installed" is a root image in which everything is installed already.
    """
    made = kernel.kernel(kernel_name, say)
    if made is None:
        return None
    place = folder / f"kit-{kernel_name}"
    place.mkdir(parents=True, exist_ok=True)
    return made, kit.make_kit(made, place, modules, installed is not None)


