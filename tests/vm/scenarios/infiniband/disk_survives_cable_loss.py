# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk over InfiniBand keeps its data when the cable is pulled during I/O. A restart of the
subnet manager does not interrupt it. The traffic crosses the cable."""
import json

from using import causeway, simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "long"
LONG_KERNELS = ("kasan",)
LEAVES = ("export",)

DISK = "/dev/causeway/10.20.0.2/m"
FIO = (f"fio --name=over --filename={DISK} --direct=1 --ioengine=libaio --rw=randrw --bs=16k --iodepth=8 "
       "--size=16M --verify=crc32c --verify_fatal=1 --status-interval=1")


def bytes_sent(host, port):
    return 4 * int(host.read(f"{simhca.PORTS}/{port}/counters/port_xmit_data"))


def reconnects(host):
    return [each["reconnects"] for each in json.loads(host.run("causeway net --json").out)["connections"]]


def scenario(rig):
    host = rig.host
    simhca.load(host)
    manager = simhca.start_sm(host, config=simhca.SWEEPING)
    simhca.wait_state(host, "ACTIVE")
    crosses = simhca.attach_ipoib(host)
    host.run("causeway export add m --ram 64M --allow any && causeway attach 10.20.0.2/m")
    events = causeway.watch(host)

    before = bytes_sent(host, 1), bytes_sent(host, 2)
    assert "err= 0" in host.run(FIO, timeout=120).out
    # Both ends are this machine: written data crosses the cable one way, read data the other.
    sent = [bytes_sent(host, port) - before[port - 1] for port in (1, 2)]
    assert min(sent) > 4 << 20 if crosses else sent[1] > 8 << 20, sent
    if not crosses:
        rig.say("     both ends on one port: this kernel has no rules of routing")

    fio = host.start(FIO + " --loops=4")
    fio.wait_for("IOPS")
    simhca.fault(host, "cable", 0)
    simhca.wait_state(host, "DOWN")
    events.wait_for("down", timeout=120)
    simhca.fault(host, "cable", 1)
    events.wait_for("live over", timeout=120)
    assert "err= 0" in fio.wait(timeout=240).out

    fio = host.start(FIO + " --loops=4")
    fio.wait_for("IOPS")
    lost = reconnects(host)
    manager = simhca.restart_sm(host, manager)
    assert "err= 0" in fio.wait(timeout=240).out
    assert reconnects(host) == lost

    host.run("causeway detach --all && causeway stop --force")
    simhca.unload(host)
    manager.kill(9)
