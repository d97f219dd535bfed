# SPDX-License-Identifier: GPL-2.0-or-later
"""A forced detach does not wait for an attempt to connect. The module refuses an ACK timeout that
no adapter supports."""
from using import causeway

TIER = "check"
LEAVES = ("attachment", "export")

# No host answers for the server's IP address: each attempt to resolve it takes ten seconds.
LOST = 10_000   # ms


def detach(client):
    """Detach the disk by force; return how many ms that took."""
    out = client.run("before=$(date +%s%N); causeway detach 10.0.0.1/m --force >/dev/null && "
                     "echo $((($(date +%s%N) - before) / 1000000))", timeout=60).lines
    return int(out[-1])


def scenario(rig):
    server, client = rig.server, rig.client
    timeout = "/sys/module/causeway/parameters/ack_timeout"
    client.run("modprobe causeway")
    before = client.read(timeout)
    for value in "32", "255", "-1", "none":
        client.fails(f"echo {value} > {timeout}", "Invalid argument|out of range")
    assert client.read(timeout) == before
    client.run(f"echo 31 > {timeout} && echo {before.strip()} > {timeout}")

    server.run("causeway export add m --ram 16M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    events = causeway.watch(client)
    # The client's own cable is plugged in: the client tries to resolve the server's address and
    # gets no answer.
    server.link_down()
    client.run("ip neigh flush dev eth0")
    reader = client.start("dd if=/dev/causeway/10.0.0.1/m of=/dev/null bs=4k count=1 iflag=direct")
    events.wait_for("attempt-failed", timeout=90)
    client.run("ip neigh flush dev eth0")
    client.wait_for("causeway --json net | grep -q '\"connecting\"'", timeout=30)
    assert reader.running
    starved = client.starved()
    took = detach(client)
    starved = 1000 * (client.starved() - starved)
    assert 0 < took < LOST // 4 + starved, f"detaching took {took} ms, for {starved:.0f} of which the client had no processor"
    result = reader.wait(timeout=30, check=False)
    assert result.rc != 0 and "Input/output error" in result.out, result.out
    server.link_up()
    client.run("causeway attach 10.0.0.1/m", timeout=60)
    client.run("dd if=/dev/causeway/10.0.0.1/m of=/dev/null bs=4k count=1 iflag=direct")
