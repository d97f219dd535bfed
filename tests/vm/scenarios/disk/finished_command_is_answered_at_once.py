# SPDX-License-Identifier: GPL-2.0-or-later
"""The server answers each command when it is done, even if the disk takes one command at a time and
has not got all commands of a batch yet."""
import json

from machine.needs import module

TIER = "long"
REQUIRES = (module("null_blk"),)

DISK = "/dev/causeway/10.0.0.1/one"
EACH, COUNT = 300, 8        # ms that the disk takes for each command, and the commands of a batch


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"modprobe null_blk nr_devices=1 gb=1 queue_mode=2 submit_queues=1 hw_queue_depth=1 irqmode=2 "
               f"completion_nsec={EACH * 1000000} && causeway export add one --device /dev/nullb0 --allow any")
    client.run("causeway attach 10.0.0.1/one", timeout=120)
    client.run("udevadm settle", timeout=120)
    client.run(f"fio --name=all --filename={DISK} --direct=1 --ioengine=libaio --rw=randread --bs=4k --iodepth={COUNT} "
               f"--iodepth_batch={COUNT} --number_ios={COUNT} --output-format=json --output=/tmp/fio.json", timeout=120)
    took = json.loads(client.read("/tmp/fio.json"))["jobs"][0]["read"]["clat_ns"]
    first, last = took["min"] / 1e6, took["max"] / 1e6
    assert EACH <= first < 3 * EACH, (first, last)
    assert (COUNT - 1) * EACH < last < 5 * COUNT * EACH, (first, last)
    client.run("causeway detach 10.0.0.1/one")
    server.run("causeway export remove one && modprobe -r null_blk")
