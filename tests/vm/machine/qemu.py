# SPDX-License-Identifier: GPL-2.0-or-later
"""One emulated machine: the QEMU process and its monitor."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path


# Without ERMS and FSRM the kernel copies whole words. With them it uses rep movsb, for which TCG
# takes eight times as long, because TCG copies one byte after another. With -icount each byte even
# counts as an instruction.
CPU_WITH_ICOUNT = "max,erms=off,fsrm=off"
# Page tables have four levels, because with five the KASAN kernel sometimes fails while it patches
# itself at boot.
CPU = CPU_WITH_ICOUNT + ",la57=off"


class Monitor:
    """The QMP monitor: sends a command and returns its answer. Discards events."""

    def __init__(self, sock):
        self.sock = sock
        sock.settimeout(60)
        self.file = sock.makefile("r")
        self.lock = threading.Lock()
        self._read()                        # the greeting
        self.ask("qmp_capabilities")

    def _read(self):
        line = self.file.readline()
        if not line:
            raise OSError("QEMU closed its monitor")
        return json.loads(line)

    def ask(self, command, **arguments):
        with self.lock:
            self.sock.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
            while True:
                answer = self._read()
                if "error" in answer:
                    raise RuntimeError(f"{command}: {answer['error']['desc']}")
                if "return" in answer:
                    return answer["return"]


class Machine:
    def __init__(self, folder, name, cpus, memory, kernel, initrd, cmdline, disks, nics, icount=False, more=()):
        """Start QEMU. disks: (path, serial, writable); nics: (netdev, mac); more: arguments. Names
        are relative to folder."""
        ours, theirs = zip(*(socket.socketpair() for _ in range(2)))
        command = [
            "qemu-system-x86_64", "-name", name, "-nodefaults", "-no-user-config", "-no-reboot",
            "-machine", "q35", "-accel", f"tcg,thread={'multi' if cpus > 1 else 'single'}",
            "-cpu", CPU_WITH_ICOUNT if icount else CPU, *(("-icount", "shift=0,sleep=off") if icount else ()),
            "-smp", str(cpus), "-m", str(memory), "-display", "none", "-nic", "none",
            "-kernel", str(kernel), "-initrd", str(initrd), "-append", cmdline,
            "-chardev", f"file,id=console,path={name}.console,append=on", "-serial", "chardev:console",
            "-chardev", f"socket,id=monitor,fd={theirs[0].fileno()}", "-mon", "chardev=monitor,mode=control",
            "-device", "virtio-serial-pci", "-chardev", f"socket,id=agent,fd={theirs[1].fileno()}",
            "-device", "virtserialport,chardev=agent,name=rig", "-device", "virtio-rng-pci",
        ]
        command += more
        for path, serial, writable in disks:
            access = "cache=writeback,discard=unmap" if writable else "readonly=on"
            command += ["-drive", f"if=none,id={serial},file={path},format=raw,{access}",
                        "-device", f"virtio-blk-pci,drive={serial},serial={serial}"]
        for number, (netdev, mac) in enumerate(nics):
            # Receiving with merged buffers can stop for good in QEMU 7.2: if the ring has some
            # buffers but too few for a packet, the host waits for a kick, which the guest owes only
            # after the ring was empty. QEMU 7.2 also leaves out the barriers of a guest with one
            # processor although its devices run in parallel, so a kick is sometimes lost. With an
            # event index the guest then owes no further kick (transmit queue timed out); with a
            # flag, the next packet makes up for it.
            command += ["-netdev", netdev,
                        "-device", f"virtio-net-pci,netdev=net{number},mac={mac},id=nic{number},host_mtu=9000,romfile=,"
                                   "mrg_rxbuf=off,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off,"
                                   "rx_queue_size=1024,event_idx=off"]
        self.stderr_path = folder / f"{name}.qemu"
        with open(self.stderr_path, "a") as stderr:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=stderr,
                                            stderr=stderr, pass_fds=[s.fileno() for s in theirs],
                                            start_new_session=True)
        for sock in theirs:
            sock.close()
        self.monitor_socket, self.agent_socket = ours
        try:
            self.monitor = Monitor(self.monitor_socket)
        except OSError as error:
            self.kill()
            raise RuntimeError(f"QEMU did not start: {self.stderr_path.read_text()}") from error

    def set_link(self, number, up):
        self.monitor.ask("set_link", name=f"nic{number}", up=up)

    @property
    def running(self):
        return self.process.poll() is None

    def starved(self):
        """Return the seconds that the threads of QEMU, added up, were ready to run and waited for a
        processor; 0 if the kernel does not count them."""
        waited = 0
        for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
            try:
                waited += int((thread / "schedstat").read_text().split()[1])
            except OSError:
                pass        # the thread has ended
        return waited / 1e9

    def wait_off(self, timeout):
        deadline = time.monotonic() + timeout
        try:
            self.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        self._close()
        return True

    def kill(self):
        """Cut the power."""
        if self.running:
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._close()

    def _close(self):
        self.monitor_socket.close()
        self.agent_socket.close()
