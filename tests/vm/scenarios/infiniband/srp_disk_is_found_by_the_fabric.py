# SPDX-License-Identifier: GPL-2.0-or-later
"""On InfiniBand, the subnet administrator names the ports with an SRP target. A client attaches a
disk by the GID of such a port, without an IP address of the server and without --target: it logs in
by the connection manager of InfiniBand. The disk goes on after the cable was pulled."""
from using import causeway, simhca, stock, verified

TOPOLOGY = simhca.topology(("srptools",))
TIER = "long"
REQUIRES = stock.REQUIRES["srp"]

GID = "fe80::b8ce:f603:0:2"         # of the second port
OTHER_GID = "fe80::b8ce:f603:0:1"


def scenario(rig):
    host = rig.host
    manager = simhca.begin(host)
    store = host.disk("store")
    host.run(f"causeway export add scratch --device {store} --via srp --initiator {simhca.guid(1):016x} "
             f"--target fe80000000000000{simhca.guid(2):016x}", timeout=120)
    # ib_srpt is on each port, and the export on one.
    target, = causeway.answer(host, f"discover {GID} --via srp")["targets"]
    assert {each["portal"] for each in target["portals"]} == {GID, OTHER_GID}, target
    assert target["target"] == f"{simhca.guid(0):#018x}", target

    host.fails("causeway attach localhost/scratch --via srp", "in place of localhost, the GID")
    host.fails("causeway attach fe80::7/scratch --via srp", "no SRP target of the fabric has the GID fe80::7")
    host.fails(f"causeway attach {OTHER_GID}/scratch --via srp", "cannot attach", timeout=120)
    host.fails(f"causeway attach {GID}/other --via srp", "cannot attach", timeout=120)
    assert not stock.listed(host)

    device = host.run(f"causeway attach {GID}/scratch --via srp", timeout=180).out.splitlines()[-1]
    # ib_srp has a dgid only if it logged in by the connection manager of InfiniBand.
    dgid = host.run("cat /sys/class/scsi_host/host*/dgid 2>/dev/null", check=False).out.strip()
    assert int(dgid.replace(":", ""), 16) == 0xfe80 << 112 | simhca.guid(2), dgid
    stock.io(host, host, device, store)
    fio = verified.start(host, device, "--rw=randrw --bs=16k --iodepth=8 --size=16M --loops=4")
    simhca.lose_cable(host)
    verified.passes(fio)

    host.run(f"causeway detach {GID}/scratch", timeout=120)
    assert not stock.listed(host)
    host.run("causeway undo --last", timeout=180)
    disk, = stock.listed(host)
    stock.io(host, host, disk["disks"][0]["device"], store)
    host.run(f"causeway detach {GID}/scratch && causeway export remove scratch", timeout=120)
    assert not host.run(stock.CONFIGURED).out.split()
    simhca.end(host, manager)
