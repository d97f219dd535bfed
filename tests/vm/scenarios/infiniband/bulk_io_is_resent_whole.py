# SPDX-License-Identifier: GPL-2.0-or-later
"""Large verified writes and reads, whose data goes through registered memory, keep their content
when messages are lost and sent again, and when all of them are sent again after the cable was
pulled."""
from using import causeway, simhca

TOPOLOGY = simhca.TOPOLOGY
TIER = "ci"
LEAVES = ("export",)

DISK = "/dev/causeway/10.20.0.2/m"
FIO = (f"fio --name=bulk --filename={DISK} --direct=1 --ioengine=libaio --rw=randrw --bssplit=128k/40:512k/30:1M/30 --iodepth=8 "
       "--size=48M --verify=crc32c --verify_fatal=1 --status-interval=1")
LOSS = 20       # one of that many messages is lost


def lost(host):
    return sum(int(host.read(f"{simhca.PORTS}/{port}/counters/port_xmit_discards")) for port in (1, 2))


def reconnects(host):
    return simhca.connections(host)[0]["reconnects"]


def scenario(rig):
    host = rig.host
    manager = simhca.begin(host)
    # The adapter sends a lost message again after 67 ms: this adapter is not in another emulated
    # machine, which might stall.
    host.run("modprobe causeway && echo 14 >/sys/module/causeway/parameters/ack_timeout")
    host.run("causeway export add m --ram 64M --allow any && causeway attach 10.20.0.2/m")
    events = causeway.watch(host)

    before, reconnected = lost(host), reconnects(host)
    for port in (1, 2):
        simhca.fault(host, "drop_rc", LOSS, port)
    assert "err= 0" in host.run(FIO, timeout=240).out
    for port in (1, 2):
        simhca.fault(host, "drop_rc", 0, port)
    assert lost(host) - before >= 10, (before, lost(host))
    # The adapter sent the messages again: the connection was never lost.
    assert reconnects(host) == reconnected

    fio = host.start(FIO + " --loops=2")
    fio.wait_for("IOPS")
    simhca.fault(host, "cable", 0)
    simhca.wait_state(host, "DOWN")
    events.wait_for("down", timeout=120)
    simhca.fault(host, "cable", 1)
    events.wait_for("live over", timeout=120)
    assert "err= 0" in fio.wait(timeout=240).out
    assert reconnects(host) > reconnected

    host.run("causeway detach --all && causeway stop --force")
    simhca.end(host, manager)
