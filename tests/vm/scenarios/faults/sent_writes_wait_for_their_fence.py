# SPDX-License-Identifier: GPL-2.0-or-later
"""A write that was sent on a path which was lost waits outside of the block layer's lists until the server has nothing left of
that path. The block layer could merge such a write into another one, which may go out earlier. Reads wait in those lists."""
from using import causeway

TIER = "long"
KERNELS = ("stock",)
LEAVES = ("attachment", "export")
DISK = "/dev/causeway/10.0.0.1/m"
FIO = (f"fio --name=busy --filename={DISK} --direct=1 --ioengine=libaio --bs=4k --iodepth=4 --size=16M --time_based --runtime=1h "
       "--eta=never --status-interval=1")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    # The queue stays stopped while there is no path, so the lists do not change meanwhile.
    client.run("causeway attach 10.0.0.1/m --fast-fail off")
    node = client.run(f"basename $(readlink -f {DISK})").out.strip()
    lists = f"/sys/kernel/debug/block/{node}"
    events = causeway.watch(client)
    jobs = {kind: client.start(f"{FIO} --rw=rand{kind}") for kind in ("read", "write")}
    for kind, job in jobs.items():
        job.wait_for(f"{kind}: ")
    client.link_down()
    events.wait_for("down", timeout=60)
    client.wait_for(f"grep -q op=READ {lists}/requeue_list", timeout=30)
    waiting = client.run(f"cat {lists}/requeue_list").out
    assert "op=WRITE" not in waiting, waiting
    started = client.run(f"cat {lists}/hctx*/busy").lines
    writes = [line for line in started if "op=WRITE" in line]
    assert writes and all("state=in_flight" in line for line in writes), started
    client.link_up()
    events.wait_for("live over", timeout=90)
    for job in jobs.values():
        job.kill()
        assert "err= 0" in job.wait(check=False).out
    assert client.run(f"cat {lists}/requeue_list").out == ""
