# SPDX-License-Identifier: GPL-2.0-or-later
"""A server cannot predict the next rkey of a memory region from the earlier ones: the low bytes of
successive rkeys differ by random numbers, for disks and for NFS."""
import re

from machine.cases import case, for_each
from using import nfs

TIER = "long"
TOPOLOGY = nfs.TOPOLOGY

MIB = 1 << 20
READS = 128     # reads of 64 KiB, each with one rkey
AT_LEAST = 100  # differences between successive rkeys of a region
DISTINCT = 10   # different values among them


def judge(out):
    """Check the differences of successive keys. Those of independent random keys are uniform random
    numbers from 1 to 255. The probability that a hundred of them have less than ten values is below
    255^9 * (9/255)^100, which is 10^-123."""
    last, differences = {}, []
    for rkey in map(int, re.findall(r"^rkey (\d+)$", out, re.M)):
        region, key = rkey >> 8, rkey & 0xff
        if region in last:
            differences.append((key - last[region]) % 256)
        last[region] = key
    values = len(set(differences))
    print(f"{len(last)} regions, {len(differences)} differences, {values} values")
    assert len(differences) >= AT_LEAST and values >= DISTINCT, \
        f"{len(last)} regions, differences of successive rkeys: {differences}"


def disk(rig):
    server, client = rig.server, rig.client
    host = server.start("causeway-peer host")
    host.wait_for("listening", timeout=30)
    client.run("causeway attach --no-persist 10.0.0.1/prints-rkeys")
    for _ in range(READS // 16):
        client.run(f"dd if=/dev/causeway/10.0.0.1/prints-rkeys of=/dev/null bs=64k skip={3 * MIB >> 16} count=16 iflag=direct")
    client.run("causeway detach --force 10.0.0.1/prints-rkeys")
    host.wait_for("prints-rkeys: over", timeout=60)
    host.kill()
    host.wait(check=False)
    return host.out


def mount(rig):
    server, client = rig.server, rig.client
    nfs.start(rig, nfs.CAUSEWAY, nfs.CAUSEWAY)
    # The relay listens on the port of RDMA; the server behind it has TCP alone.
    nfs.not_serving(server)
    server.run("rpc.nfsd 8")
    server.run(f"head -c {MIB} /dev/urandom >{nfs.EXPORTED}/data")
    relay = server.start("causeway-peer nfs relay", has_input=True)
    relay.wait_for("listening", timeout=30)
    nfs.mount(client, "3", "nolock,rsize=65536")
    relay.send("print-rkeys\n")
    relay.wait_for("ready to print-rkeys", timeout=30)
    for _ in range(READS // 16):
        client.run(f"dd if={nfs.MOUNTED}/data of=/dev/null bs=64k iflag=direct")
    relay.send("serve\n")
    relay.wait_for("ready to serve", timeout=30)
    nfs.unmount(client)
    nfs.free(client)
    relay.end_input()
    nfs.stop(server)
    nfs.free(server)
    return relay.out


@for_each([case("disk", disk), case("nfs", mount)])
def scenario(rig, name, rkeys):
    judge(rkeys(rig))
