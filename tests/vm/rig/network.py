# SPDX-License-Identifier: GPL-2.0-or-later
"""The links: unix datagram sockets between QEMU processes.

Two hosts are joined directly. For three, a thread here stands between them
as a switch that learns which host has which MAC address. The sockets lie in
the run's folder, which is also QEMU's working directory, so that their
names stay short.
"""

import os
import selectors
import socket
import threading


def mac(link, host):
    return f"52:54:00:00:{link:02x}:{host:02x}"


class Link:
    """One network; knows what each host's QEMU has to be told."""

    def __init__(self, number, hosts, folder):
        self.number, self.hosts = number, hosts
        self.switch = Switch(number, hosts, folder) if len(hosts) > 2 else None

    def netdev(self, host):
        local = f"link{self.number}-{host}"
        if self.switch:
            remote = f"switch{self.number}-{host}"
        else:
            remote = f"link{self.number}-{next(h for h in self.hosts if h != host)}" \
                if len(self.hosts) == 2 else f"link{self.number}-nobody"
        return (f"dgram,id=net{self.number},local.type=unix,local.path={local},"
                f"remote.type=unix,remote.path={remote}")

    def close(self):
        if self.switch:
            self.switch.close()


class Switch:
    def __init__(self, number, hosts, folder):
        self.folder = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        self.ports = {}
        self.learnt = {}
        self.selector = selectors.DefaultSelector()
        for host in hosts:
            port = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            port.bind(self._path(f"switch{number}-{host}"))
            self.ports[host] = (port, self._path(f"link{number}-{host}"))
            self.selector.register(port, selectors.EVENT_READ, host)
        self.stopped = False
        self.thread = threading.Thread(target=self._forward, daemon=True)
        self.thread.start()

    def _path(self, name):
        return f"/proc/self/fd/{self.folder}/{name}"

    def _forward(self):
        while not self.stopped:
            for key, _ in self.selector.select(timeout=0.5):
                frame = key.fileobj.recv(65536)
                self.learnt[frame[6:12]] = key.data
                target = None if frame[0] & 1 else self.learnt.get(frame[:6])
                for host in [target] if target else self.ports:
                    if host != key.data:
                        self._deliver(host, frame)

    def _deliver(self, host, frame):
        port, path = self.ports[host]
        try:
            port.sendto(frame, path)
        except OSError:
            pass            # that host is off: a real switch drops it too

    def close(self):
        self.stopped = True
        self.thread.join()
        for port, _ in self.ports.values():
            port.close()
        os.close(self.folder)
