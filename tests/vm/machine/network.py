# SPDX-License-Identifier: GPL-2.0-or-later
"""The links: unix datagram sockets between QEMU processes.

Two hosts are joined directly. Between three hosts, or two of a topology that is
switched, a thread of this program is a switch. It learns the MAC addresses of the
hosts, and holds the frames of a host for as long as a scenario wants. The sockets
are in the folder of the run, which is also QEMU's working directory, so that their
names stay short.
"""

import collections
import os
import selectors
import socket
import threading

# The most frames that wait for a host whose queue is full. Further frames are lost, as in a real
# switch.
QUEUED = 8192


def mac(link, host):
    return f"52:54:00:00:{link:02x}:{host:02x}"


class Link:
    """One network. It provides the network arguments of each host's QEMU."""

    def __init__(self, number, hosts, folder, switched=False):
        self.number, self.hosts = number, hosts
        self.switch = Switch(number, hosts, folder) if switched or len(hosts) > 2 else None

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
    """Forwards frames in a thread of its own. A host that reads nothing does not delay other hosts.

    The lock guards held and kept, which scenarios change. Only the thread uses the other fields.
    """

    def __init__(self, number, hosts, folder):
        self.folder = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        self.ports = {}
        self.learnt = {}
        self.lock = threading.Lock()
        self.held = set()       # hosts whose frames are held from now on
        self.kept = {host: [] for host in hosts}
        self.selector = selectors.DefaultSelector()
        self.waiting = {host: collections.deque(maxlen=QUEUED) for host in hosts}
        for host in hosts:
            port = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            port.bind(self._path(f"switch{number}-{host}"))
            port.setblocking(False)
            self.ports[host] = (port, self._path(f"link{number}-{host}"))
            self.selector.register(port, selectors.EVENT_READ, host)
        # A byte in it wakes the thread to send released frames, or to stop.
        self.wake, wakened = socket.socketpair()
        wakened.setblocking(False)
        self.selector.register(wakened, selectors.EVENT_READ, None)
        self.wakened = wakened
        self.released = collections.deque()
        self.stopped = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _path(self, name):
        return f"/proc/self/fd/{self.folder}/{name}"

    # --- for scenarios ---

    def hold(self, host):
        """Hold the frames that this host sends from now on."""
        with self.lock:
            self.held.add(host)

    def overtake(self, host):
        """Forward the frames that this host sends from now on, but continue to hold the earlier
        ones."""
        with self.lock:
            self.held.discard(host)

    def release(self, host):
        """Send the held frames of this host in order, before those that it sends from now on; return
        their number."""
        with self.lock:
            self.held.discard(host)
            frames, self.kept[host] = self.kept[host], []
            self.released.extend((host, frame) for frame in frames)
        self.wake.send(b"r")
        return len(frames)

    def frames(self, host, holding=b""):
        """Return the held frames of this host that contain these bytes."""
        with self.lock:
            return [frame for frame in self.kept[host] if holding in frame]

    def count(self, host, holding=b""):
        return len(self.frames(host, holding))

    # --- the thread ---

    def _run(self):
        while not self.stopped:
            behind = any(self.waiting.values())
            for key, _ in self.selector.select(timeout=0.001 if behind else 0.5):
                if key.data is None:
                    self.wakened.recv(64)
                else:
                    self._take(key.fileobj, key.data)
            self._let_go()
            for host in self.ports:
                self._drain(host)

    def _let_go(self):
        while True:
            with self.lock:
                if not self.released:
                    return
                host, frame = self.released.popleft()
            self._forward(host, frame)

    def _take(self, port, host):
        # Read a limited number of frames, so that no host occupies the switch alone.
        for _ in range(64):
            try:
                frame = port.recv(65536)
            except BlockingIOError:
                return
            with self.lock:
                if host in self.held:
                    self.kept[host].append(frame)
                    continue
            # Held frames that were released before this frame go first.
            self._let_go()
            self._forward(host, frame)

    def _forward(self, source, frame):
        self.learnt[frame[6:12]] = source
        target = None if frame[0] & 1 else self.learnt.get(frame[:6])
        for host in [target] if target else self.ports:
            if host != source:
                self.waiting[host].append(frame)

    def _drain(self, host):
        port, path = self.ports[host]
        queue = self.waiting[host]
        while queue:
            try:
                port.sendto(queue[0], path)
            except BlockingIOError:
                return          # that host is slow: the next round tries again
            except OSError:
                pass            # that host is off: a real switch drops the frame too
            queue.popleft()

    def close(self):
        self.stopped = True
        self.wake.send(b"s")
        self.thread.join()
        for port, _ in self.ports.values():
            port.close()
        self.wake.close()
        self.wakened.close()
        os.close(self.folder)
