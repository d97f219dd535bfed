# SPDX-License-Identifier: GPL-2.0-or-later
"""When a connection is lost, the client drains all its queue pairs before it takes the memory of
any request back."""
from using import causeway

TIER = "ci"
LEAVES = ("export",)

QUEUES = 2
TRACE = "/sys/kernel/tracing"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    client.run(f"causeway attach 10.0.0.1/m --queues {QUEUES}")
    events = causeway.watch(client)
    client.run(f"cd {TRACE} && echo 0 > tracing_on && echo ib_drain_qp cw_disk_take_back > set_ftrace_filter && "
               "echo function > current_tracer && echo > trace && echo 1 > tracing_on")
    # This is bulk I/O: its memory is registered for the server.
    fio = client.start("fio --name=f --filename=/dev/causeway/10.0.0.1/m --direct=1 --ioengine=libaio --rw=randwrite "
                       "--bs=256k --iodepth=4 --size=32M --loops=20 --status-interval=1")
    fio.wait_for("IOPS", timeout=60)
    server.run("causeway export remove m --force")
    events.wait_for("down", timeout=60)
    client.wait_for(f"grep -q cw_disk_take_back {TRACE}/trace", timeout=30)
    client.run(f"cd {TRACE} && echo 0 > tracing_on && cat trace > /tmp/order && "
               "echo nop > current_tracer && echo > set_ftrace_filter && echo > trace && echo 1 > tracing_on")
    calls = [line.split(": ")[1].split(" ")[0] for line in client.read("/tmp/order").splitlines() if " <-" in line]
    drained = calls[:calls.index("cw_disk_take_back")].count("ib_drain_qp")
    assert drained == QUEUES + 1, calls      # one more, for the control link
    client.run("causeway detach 10.0.0.1/m --force", timeout=60)
    assert fio.wait(timeout=60, check=False).rc != 0
