# SPDX-License-Identifier: GPL-2.0-or-later
"""An adapter whose regions have pages of 4 KiB only carries large I/O. I/O that the DMA layer never
maps fails after 10 s, and other I/O of its queue does not wait for it. A server whose adapter
cannot make a queue pair refuses the login and logs the reason."""
import re

from machine.needs import module
from using import adapters

TIER = "long"
REQUIRES = (module("adapter_limits"), module("picky_adapter"))
LEAVES = ("export",)

DISK = "/dev/causeway/10.0.0.1/m"
KNOB = "/sys/module/picky_adapter/parameters"


def scenario(rig):
    server, client = rig.server, rig.client
    adapters.load(server)
    server.run("causeway export add m --ram 32M --allow any")
    client.run("modprobe -a rdma_rxe && modprobe picky_adapter")
    client.run("causeway attach 10.0.0.1/m")
    client.run(f"fio --name=large --filename={DISK} --direct=1 --ioengine=libaio --rw=randwrite --bsrange=4k-1M "
               "--iodepth=4 --size=16M --verify=crc32c --verify_fatal=1 --minimal >/dev/null", timeout=180)
    assert int(client.read(f"{KNOB}/pages_seen")) > 0
    assert client.read(f"{KNOB}/pages_refused") == "0\n"

    client.run(f"echo 65536 >{KNOB}/map_limit; dmesg -C")
    large = client.start(f"dd if={DISK} of=/dev/null bs=256k count=1 iflag=direct")
    client.run(f"until [ $(cat {KNOB}/maps_refused) -gt 1 ]; do :; done; echo causeway-test begun >/dev/kmsg; "
               f"dd if=/dev/urandom of={DISK} bs=64k count=16 oflag=direct conv=notrunc && echo causeway-test written >/dev/kmsg")
    result = large.wait(timeout=60, check=False)
    assert result.rc != 0 and "Input/output error" in result.out, result.out
    said = client.run("dmesg").out
    begun, written, failed = (float(re.search(rf"\[ *([\d.]+)\] {what}", said).group(1)) for what in (
        "causeway-test begun", "causeway-test written", "causeway: causeway[0-9]+: the DMA layer does not map 262144 bytes"))
    print(f"refused {client.read(f'{KNOB}/maps_refused').strip()} times, failed {failed - begun:.3f} s after it was seen, "
          f"others written after {written - begun:.3f} s")
    assert written < failed and 5 < failed - begun < 13, said
    client.run(f"echo $((1 << 30)) >{KNOB}/map_limit")
    client.run(f"dd if={DISK} of=/dev/null bs=256k count=1 iflag=direct")
    client.run("causeway detach 10.0.0.1/m && modprobe -r picky_adapter")
    cannot(server, client)


def cannot(server, client):
    """The client's error points to the server's log, and that log names the client, what failed and the errno."""
    adapters.take("one-entry", server)
    start = server.console_end()
    result = client.run("causeway attach 10.0.0.1/m --no-persist", timeout=60, check=False)
    assert result.rc != 0 and "the server ran out of memory or queue pairs; its log says more" in result.out, result.out
    server.wait_console(r"causeway: 10\.0\.0\.2 is refused: making a protection domain or a queue pair failed \(-95\)", start=start)
    server.run("udevadm settle; causeway stop --force && modprobe -r causeway_target && rmmod adapter_limits")
