# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs of both hosts go offline and come back during verified I/O on all of them, and no connection
is lost. If a CPU goes offline while the path is down and I/O is held, it waits until the path is
back or the I/O timeout has ended the I/O."""

from machine.topology import pair
from using import causeway

TOPOLOGY = pair(server={"cpus": 2}, client={"cpus": 4})
KERNELS = ("kasan",)
TIER = "long"
LEAVES = ("attachment", "export")

DISK = "/dev/causeway/10.0.0.1/m"
CPU = "/sys/devices/system/cpu/cpu{}/online"
# The write is held, and the thread that takes its CPU offline waits for the write.
WRITES = "grep -q blkdev_write_iter /proc/$(pgrep -x dd)/stack"
WAITS = "grep -q blk_mq_hctx_notify_offline /proc/$(pgrep -x cpuhp/3)/stack"


def state(client):
    connection, = causeway.connections(client)
    return connection["state"], connection["reconnects"]


def switch(host, cpus, online):
    for cpu in cpus:
        host.run(f"echo {online} >{CPU.format(cpu)}")


def goes_on(load):
    load.skip()
    for _ in range(2):
        load.wait_for("verified", timeout=120)


def all_come_and_go(server, client):
    load = client.start(
        f"until [ -e /tmp/enough ]; do fio --name=each --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite "
        "--bssplit=4k/60:64k/40 --iodepth=8 --numjobs=4 --size=1M --offset_increment=1M --verify=crc32c --verify_fatal=1 "
        "--minimal >/tmp/fio.out 2>&1 || { cat /tmp/fio.out; exit 1; }; echo verified; done")
    goes_on(load)
    switch(client, (3, 2, 1), 0)
    switch(server, (1,), 0)
    goes_on(load)
    switch(client, (1, 2, 3), 1)
    switch(server, (1,), 1)
    goes_on(load)
    client.run("touch /tmp/enough")
    load.wait(timeout=120)
    assert state(client) == ("live", 0), state(client)


def held(client, events):
    """Take CPU 3 offline while the path is down and a write on that CPU is held; return the jobs of
    the write and of the switch."""
    client.link_down()
    events.wait_for("down", timeout=60)
    writer = client.start(f"taskset -c 3 dd if=/dev/zero of={DISK} bs=4k count=1 oflag=direct")
    client.wait_for(WRITES)
    return writer, client.start(f"echo 0 >{CPU.format(3)}")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 32M --allow any")
    client.run("causeway attach 10.0.0.1/m")
    events = causeway.watch(client)
    all_come_and_go(server, client)

    writer, taken = held(client, events)
    client.wait_for(WAITS)
    assert writer.running and taken.running
    client.link_up()
    events.wait_for("live over", timeout=90)
    writer.wait()
    taken.wait()
    assert client.read(CPU.format(3)) == "0\n"
    switch(client, (3,), 1)

    client.run("udevadm settle && causeway detach 10.0.0.1/m && causeway attach 10.0.0.1/m --io-timeout 15")
    writer, taken = held(client, events)
    result = writer.wait(timeout=60, check=False)
    assert result.rc != 0 and "Input/output error" in result.out, result.out
    taken.wait()
    assert client.read(CPU.format(3)) == "0\n"
    client.link_up()
    events.wait_for("live over", timeout=90)
    switch(client, (3,), 1)
    client.run(f"taskset -c 3 dd if=/dev/zero of={DISK} bs=4k count=1 oflag=direct")
