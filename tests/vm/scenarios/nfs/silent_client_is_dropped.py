# SPDX-License-Identifier: GPL-2.0-or-later
"""The server keeps the connection of an idle client, and soon ends that of a client whose cable is
pulled."""
from using import nfs

TOPOLOGY = nfs.TOPOLOGY
TIER = "long"
LONG_KERNELS = ("kasan",)

KEEPALIVE = 2       # s
TRACING = "/sys/kernel/tracing"


def scenario(rig):
    server, client = rig.server, rig.client
    nfs.start(rig, server_parameters={"server_keepalive": KEEPALIVE})
    # A client of version 3 sends nothing while no process uses the mount.
    nfs.mount(client, "3")
    client.run(f"echo before >{nfs.MOUNTED}/file && sync")
    server.run(f"{{ mountpoint -q {TRACING} || mount -t tracefs tracefs {TRACING}; }} && "
               f"echo 1 >{TRACING}/events/causeway_nfs_server/enable")
    server.wait_for(f"[ $(grep -c 'cwrs_probed:.* error 0$' {TRACING}/trace) -ge 3 ]", timeout=60)
    server.fails(f"grep cwrs_down {TRACING}/trace")

    began = server.uptime()
    client.link_down()
    server.wait_for(nfs.DISCONNECTED, timeout=60)
    took = server.uptime() - began
    rig.say(f"a client whose cable was pulled is given up after {took:.1f} s")
    assert KEEPALIVE / 2 <= took < (2 * KEEPALIVE + 6) * server.agent.scale, took
    server.run(f"grep cwrs_down {TRACING}/trace")
    client.link_up()
    client.run(f"echo after >>{nfs.MOUNTED}/file", timeout=120)
    assert server.read(f"{nfs.EXPORTED}/file") == "before\nafter\n"
    nfs.finish(rig)
