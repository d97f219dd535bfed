# SPDX-License-Identifier: GPL-2.0-or-later
"""Two machines, one of which writes to a disk of the other while paths of the disk are lost and come back.

All times are those of the client's clock. Both machines keep a heartbeat, which shows whether a machine stood still."""

import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Callable

SERVERS = ("10.0.0.1", "10.1.0.1")      # of the server, on each network
TRIES = 4           # rounds that are tried for each one that counts
LOG = "/tmp/writes_lat.1.log"


@dataclass(frozen=True)
class Cause:
    """A way to lose one of the networks, and to bring it back."""
    host: str               # the machine to which it happens
    lose: Callable          # of this machine and the number of the network
    bring_back: Callable

    def on(self, machines):
        return {"client": machines.client, "server": machines.server}[self.host]


def by_commands(host, lose, bring_back):
    """Return a cause that is a command on a machine."""
    def run(command):
        return lambda host, link: host.run(command.format(dev=f"eth{link}", rdma=f"rxe{link}", address=host.address(link)))

    return Cause(host, run(lose), run(bring_back))


def by_cable(host):
    """Return the cut of the cable of a machine. The emulator shows the loss to this machine, as a cable would."""
    return Cause(host, lambda host, link: host.link_down(link), lambda host, link: host.link_up(link))


CABLES = {"port": by_cable("client"), "silence": by_cable("server")}
# Over TCP the client has no notice of what happens to the server's interface.
NOTICES = {"departure": by_commands("server", "ip link set {dev} down", "ip link set {dev} up"),
           "removal": by_commands("client", "rdma link del {rdma}", "rdma link add {rdma} type rxe netdev {dev}"),
           "address": by_commands("client", "ip addr del {address}/24 dev {dev}", "ip addr add {address}/24 dev {dev}")}


def causes(transports):
    """Return the causes that end a path of these transports otherwise than by silence, and silence."""
    return {**CABLES, **{name: cause for name, cause in NOTICES.items() if "rdma" in transports or name == "address"}}


def now(host):
    return float(host.run("date +%s.%N").out)


def at(events, word, timeout=60):
    """Wait for an event that begins with this; return its time in seconds, by the client's clock."""
    stamp = events.wait_for(rf"^(\S+)Z {word}\b.*\n", timeout=timeout).group(1)
    return datetime.fromisoformat(stamp).replace(tzinfo=timezone.utc).timestamp()


def first_after(writes, when):
    """Return the end of the first write that ended after this time. The log of the writes has milliseconds."""
    found = next((end for _, end in writes if end >= when - 0.001), None)
    if found is None:
        raise RuntimeError(f"fio ended no write after {when:.3f}")
    return found


def longest(writes, begin, end):
    """Return the begin and end of the longest write that ended in this time."""
    return max((write for write in writes if begin <= write[1] <= end), key=lambda write: write[1] - write[0])


class Machines:
    def __init__(self, rig, stall, say):
        self.server, self.client, self.stall, self.say = rig.server, rig.client, stall, say
        self.beats = [host.start("ping -D -i 0.02 127.0.0.1 >/tmp/beat") for host in (self.server, self.client)]
        # The clocks of the two machines differ, so each has its own marks of a round.
        self.begun = []
        self.events = None
        # These take the place of the rig's slow timeouts.
        for host in (self.server, self.client):
            host.run("modprobe causeway ack_timeout=17 fast_probe_ms=100 attempt_ms=500")

    def begin(self):
        self.begun = [now(host) for host in (self.server, self.client)]
        return self.begun[1]

    def stood_still(self):
        """Return the longest time between two beats since begin()."""
        most = 0
        for host, begun in zip((self.server, self.client), self.begun):
            # A beat takes 20 ms and 80 bytes.
            lines = 1000 + int(60 * (now(host) - begun))
            out = host.run(f"tail -n {lines} /tmp/beat | awk -F'[][]' -v b={begun} "
                           "'$2 > b { if (l && $2 - l > m) m = $2 - l; l = $2 } END { print m + 0 }'").out
            most = max(most, float(out))
        return most

    def attach(self, name, transports):
        """Attach a disk by a path of each of these transports, each over a network of its own. I/O goes by the first one."""
        self.events = self.client.start("causeway watch")
        self.events.wait_for("watching")
        for number, (transport, server) in enumerate(zip(transports, SERVERS)):
            if number == 0:
                # By this policy, one path is known to carry all commands.
                self.client.run(f"causeway attach {SERVERS[0]}/{name} --path {server} --transport {transport} --policy single --no-persist")
            else:
                self.client.run(f"causeway path add {SERVERS[0]}/{name} --path {server} --transport {transport}")
                at(self.events, "path-up")

    def detach(self):
        # udev reads a disk after each writer, and a disk that is open cannot be detached.
        self.client.run("udevadm settle && causeway detach --all")
        self.events.kill()

    def write(self, name):
        """Start to write to a disk, one block at a time, for ever."""
        writes = self.client.start(
            f"fio --name=writes --filename=/dev/causeway/{SERVERS[0]}/{name} --direct=1 --rw=randwrite --bs=4k --size=16M --time_based "
            "--runtime=24h --thinktime=2ms --log_unix_epoch=1 --write_lat_log=/tmp/writes --eta=never --status-interval=1")
        writes.wait_for("IOPS", timeout=60)
        return writes

    def end(self, writes):
        """End the writes; return the begin and end of each, in order."""
        writes.kill(2)
        writes.wait(check=False)
        rows = [line.split(", ") for line in self.client.run(f"cat {LOG}").lines]
        return [(int(row[0]) / 1000 - int(row[1]) / 1e9, int(row[0]) / 1000) for row in rows]

    def rounds(self, count, what, one, after):
        """Return the times of the rounds that count, and how many others there were. one() returns the begin and end of what a
        round times; after(times) readies the next round and returns more times."""
        found, tried = [], 0
        while len(found) < count and tried < TRIES * count:
            tried += 1
            times = one()
            still = self.stood_still()
            times += after(times)
            verdict = "" if still <= self.stall else f", does not count: a machine stood still for {1000 * still:.0f} ms"
            self.say(f"{what} {len(found) + 1}: {1000 * (times[1] - times[0]):.0f} ms{verdict}")
            if still <= self.stall:
                found.append(times)
        return found, tried - len(found)


def lose_one_of_two(machines, name, transports, count, outage):
    """Lose the network of the path that carries the commands; it comes back when I/O goes on by the other one. Yield what was
    timed, the cause, the times, and how many rounds were repeated."""
    machines.attach(name, transports)
    carries = 0

    for cause, way in causes(transports).items():
        host = way.on(machines)

        def lose():
            lost = machines.begin()
            way.lose(host, carries)
            return lost, at(machines.events, rf"path-down \S+ path {carries}")

        def join_again(_):
            nonlocal carries
            way.bring_back(host, carries)
            at(machines.events, rf"path-up \S+ path {carries}", timeout=90)
            carries = 1 - carries
            return ()

        writes = machines.write(name)
        losses, repeated = machines.rounds(count, f"{name}: loss, {cause}", lose, join_again)
        yield "noticed", cause, [noticed - lost for lost, noticed in losses], repeated
        # The path that is lost answers no write, and the event comes before a write is sent by the other path.
        done = machines.end(writes)
        yield "failover", cause, [first_after(done, noticed) - lost for lost, noticed in losses], repeated
    machines.detach()


def lose_the_better(machines, name, transports, count, outage):
    """Lose the network of the path of the better rank for some time. Each round has a disk that was attached anew: the client
    waits longer before it uses a path again that was lost before. Yield as lose_one_of_two()."""
    writes = None

    for cause, cut in CABLES.items():
        host = cut.on(machines)

        def lose():
            nonlocal writes
            machines.attach(name, transports)
            writes = machines.write(name)
            lost = machines.begin()
            cut.lose(host, 0)
            fell_back = at(machines.events, "fallback")
            time.sleep(outage)      # the time of the outage is what the figure is about
            back = now(machines.client)
            cut.bring_back(host, 0)
            return back, at(machines.events, "return", timeout=120), lost, fell_back

        def look_back(times):
            back, returned, lost, fell_back = times
            time.sleep(1)           # the writes of the second that follows the return count
            done = machines.end(writes)
            machines.detach()
            begin, end = longest(done, back, returned + 1)
            return first_after(done, fell_back) - lost, end - begin

        found, repeated = machines.rounds(count, f"{name}: return, {cause}", lose, look_back)
        yield "failover", cause, [times[4] for times in found], repeated
        yield "rank", cause, [returned - back for back, returned, *_ in found], repeated
        yield "longest", cause, [times[5] for times in found], repeated


def lose_all(machines, name, transports, count, outage):
    """Lose all networks for some time; the last one comes back first. Yield as lose_one_of_two()."""
    machines.attach(name, transports)
    *others, first_back = range(len(transports))
    for cause, cut in CABLES.items():
        host = cut.on(machines)

        def lose():
            for link in (*others, first_back):
                cut.lose(host, link)
            at(machines.events, "down")
            time.sleep(outage)      # the time of the outage is what the figure is about
            back = machines.begin()
            cut.bring_back(host, first_back)
            return back, at(machines.events, "up")

        def bring_others_back(_):
            for link in others:
                cut.bring_back(host, link)
                at(machines.events, rf"path-up \S+ path {link}", timeout=90)
            return ()

        writes = machines.write(name)
        returns, repeated = machines.rounds(count, f"{name}: return, {cause}", lose, bring_others_back)
        done = machines.end(writes)
        yield "return", cause, [longest(done, back, up + 5)[1] - back for back, up in returns], repeated
    machines.detach()
