# SPDX-License-Identifier: GPL-2.0-or-later
"""With Causeway's modules at both ends, nfstest finds no fault in the behaviour that POSIX requires
of files, and none in the messages and chunk lists that it captures from the wire."""
import re

from using import nfs
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "256M"),), "keep": ("/var/lib/nfs",)}, client={"memory": 1024},
                packages=(*nfs.PACKAGES, "python3", "tcpdump", "nfstest/trixie"))
TIER = "long"

# These tests of nfstest_rdma also pass between the kernel's own ends. In the others, nfstest 3.2
# does not always find its messages among the packets, with any transport.
MESSAGES = "basic01,basic02,read01"
# These are all tests of nfstest_posix except open, which expects more of O_EXCL with O_CREAT than
# Linux 6.1 supports, over TCP as well.
CALLS = "^open"

COMMON = ("--server 10.0.0.1 --client-ipaddr 10.0.0.2 --interface eth0 --port 20049 --proto rdma --mtpoint /mnt/t "
          "--notimestamps --verbose none --tmpdir /tmp --tbsize 8k")


def scenario(rig):
    client = rig.client
    nfs.start(rig)
    # The suite uses the route to find its own address.
    client.run("ip route add default via 10.0.0.1")
    passes(client, f"nfstest_rdma --runtest {MESSAGES}", "4.2", "/")
    passes(client, f"nfstest_posix --runtest {CALLS}", "4.2", "/")
    passes(client, f"nfstest_posix --runtest {CALLS}", "3", nfs.EXPORTED)
    client.run("ip route del default")
    nfs.stop(rig.server)
    nfs.free(client, rig.server)


def passes(client, suite, version, export):
    said = client.run(f"mkdir -p /mnt/t && PYTHONDONTWRITEBYTECODE=1 {suite} {COMMON} --nfsversion {version} --export {export}",
                      timeout=1800, check=False)
    counts = re.search(r"(\d+) tests \((\d+) passed, (\d+) failed", said.out)
    assert counts and int(counts[1]) > 20 and counts[3] == "0", said.out[-6000:]
