# SPDX-License-Identifier: GPL-2.0-or-later
"""The command refuses to detach a disk in use. A forced detach ends the disk's I/O with errors: at
once if the path is there or known to be lost, otherwise after the client has detected the loss."""
from using import causeway

TIER = "long"
KERNELS = ("stock", "lockdep")
LEAVES = ("export",)
DISK = "/dev/causeway/10.0.0.1/m"
# The rate leaves processor time for the command, whose duration is measured. Without a path the
# queue fills up all the same.
FIO = (f"fio --name=f --filename={DISK} --direct=1 --ioengine=libaio --rw=randrw --bs=32k --iodepth=8 --size=32M "
       "--rate=512k,512k --time_based --runtime=600 --status-interval=1")
AT_ONCE = 5000
# The client detects silence after 5 s, or earlier by the queue pair's retries. It then waits 1 s for GOODBYE in vain.
AFTER_SILENCE = 5000 + 1000 + AT_ONCE


def detach(client, bound):
    took = int(client.run("began=$(date +%s%N); causeway detach 10.0.0.1/m --force >/dev/null 2>&1; echo $((($(date +%s%N) - began) / 1000000))").out)
    print(f"detached in {took} ms")
    assert took < bound * client.agent.scale, took


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    for path, bound in ("there", AT_ONCE), ("lost just now", AFTER_SILENCE), ("lost", AT_ONCE):
        client.run("causeway attach 10.0.0.1/m")
        events = causeway.watch(client)
        fio = client.start(FIO)
        fio.wait_for("IOPS", timeout=60)
        client.fails("causeway detach 10.0.0.1/m", r"fio \(process \d+\) has /dev/causeway\d+ open")
        if path != "there":
            client.link_down()
        if path == "lost":
            events.wait_for("down 10.0.0.1/m", timeout=60)
        detach(client, bound)
        result = fio.wait(timeout=15, check=False)
        assert "error" in result.out, result.out
        if path != "there":
            client.link_up()
        events.kill()
        assert client.run("ls /dev/causeway/10.0.0.1 2>/dev/null || true").out.strip() == ""
