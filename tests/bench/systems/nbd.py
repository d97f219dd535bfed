# SPDX-License-Identifier: GPL-2.0-or-later
"""NBD: nbd of the kernel, and Debian's nbd-server, a program that reads and writes through the page
cache."""

from .local import backing, no_scheduler

NAME = "nbd"
GROUNDS = ("tcp", "tcpwire")
CONFIG = "/tmp/nbd-server"


def start(server, client, ground, count):
    names = [f"b{number}" for number in ground.numbers(count)]
    # Without flush, the client's flushes would not reach the server.
    exports = "".join(f"[{name}]\\nexportname = {device}\\nflush = true\\n" for name, device in zip(names, backing(server, ground, count)))
    server.run(f"printf '[generic]\\nlistenaddr = {ground.server}\\n{exports}' >{CONFIG} && nbd-server -C {CONFIG}")
    server.wait_for(f"ss -tln | grep -q {ground.server}:10809")
    client.run("modprobe nbd")
    disks = [f"nbd{number}" for number in ground.numbers(count)]
    for name, disk in zip(names, disks):
        client.run(f"nbd-client -N {name} -C {ground.queues} {ground.server} /dev/{disk}", timeout=120)
    no_scheduler(client, disks)
    return [f"/dev/{disk}" for disk in disks]
