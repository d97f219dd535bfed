# SPDX-License-Identifier: GPL-2.0-or-later
"""The server answers small reads and flushes while large reads keep the link full."""
import json

from using import causeway

TIER = "long"
KERNELS = ("stock", "lockdep")
DISK = "/dev/causeway/10.0.0.1/m"
LONGEST = 2             # s that a small command may take


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    # The wire is slower than the disk, so answers wait behind the data of other commands.
    server.run("modprobe sch_netem && tc qdisc add dev eth0 root netem rate 50mbit limit 10000")
    large = client.start(f"exec fio --thread --name=large --filename={DISK} --direct=1 --ioengine=libaio --rw=randread --bs=64k "
                         "--iodepth=16 --time_based --runtime=600 --status-interval=1 >/tmp/large 2>&1")
    client.wait_for("grep -q IOPS /tmp/large")
    # Earlier commands go before later ones: a small command waits for the megabyte that was on its
    # way before it, which takes 0.2 s on this wire, but not for later requests of the large load.
    said = client.run(f"fio --name=small --filename={DISK} --direct=1 --ioengine=libaio --rw=randrw --fsync=4 --bs=4k "
                      "--number_ios=64 --output-format=json", timeout=60).out
    small, = json.loads(said[said.index("{"):])["jobs"]
    longest = max(small[kind]["lat_ns"]["max"] for kind in ("read", "write", "sync")) / 1e9
    print(f"the longest of the small commands took {longest:.3f} s")
    assert rig.kernel_name != "stock" or longest < LONGEST, longest
    server.run("tc qdisc del dev eth0 root")
    large.kill()
    large.wait(check=False)
    session, = causeway.connections(client)
    assert session["state"] == "live" and session["reconnects"] == 0, session
    client.run("udevadm settle && causeway detach 10.0.0.1/m")
    server.run("causeway export remove m")
