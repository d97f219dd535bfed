# SPDX-License-Identifier: GPL-2.0-or-later
"""A client lets no transfer end, and seems alive otherwise. It keeps the server's memory for
transfers, and the reserve of an export, not much longer than twice dead_ms."""
import re

from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "long"
LONG_KERNELS = ("kasan",)

USED = "/sys/module/causeway_target/parameters/bulk_used_kib"
BUDGET = 8          # MiB
# The server checks four times in that time, and up to ten times before it is sure. Beside other
# machines a link of the kasan kernel was silent for more than 5 s, and the honest client has to
# keep its link.
DEAD_MS = {"stock": 4000, "kasan": 8000, "lockdep": 8000}
READ = "dd if=/dev/causeway/10.0.0.1/m of=/dev/null bs=1M count=16 iflag=direct status=none"
SERVED_IN = 25      # s: less than a command may take, and much more than twice dead_ms


def given_up(rig, job, case):
    dead_ms = DEAD_MS[rig.kernel_name]
    ms = int(re.search(rf"^{case}: closed after (\d+) ms$", job.wait(timeout=SERVED_IN).out, re.M).group(1))
    print(f"{case}: given up after {ms} ms")
    longest = 2.5 * dead_ms + 1000 if rig.kernel_name == "stock" else SERVED_IN * 1000
    assert 2 * dead_ms - 100 <= ms <= longest, job.out


def greedy(host, case, links):
    job = host.start(f"causeway-peer 10.0.0.1 m {case} {links}", has_input=True)
    job.wait_for(f"asked for {32 * links} MiB")
    return job


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"modprobe causeway dead_ms={DEAD_MS[rig.kernel_name]} && modprobe causeway_target bulk_mib={BUDGET} bulk_share=100")
    server.run(f"causeway export add m --device {server.disk('store')} --allow any")
    # The honest client is on the server's own machine.
    server.run("causeway attach 10.0.0.1/m")
    # hoard posts no receives for answers. drip posts none either, but gives credit. withhold
    # receives a few answers and gives no credit. unread writes, and its adapter answers no RDMA
    # READ.
    for case in ("hoard", "drip", "withhold", "unread"):
        jobs = [greedy(client, case, 2)]
        server.wait_for(f"[ $(cat {USED}) = {BUDGET * 1024} ]")
        # A greedy client with the address of the honest client takes the reserve of the export,
        # which the honest client then cannot have.
        jobs.append(greedy(server, "hoard", 1))
        server.run(READ, timeout=SERVED_IN)
        for job, what in zip(jobs, (case, "hoard")):
            given_up(rig, job, what)
        server.wait_for(f"[ $(cat {USED}) = 0 ]")
    # The honest client never had to connect again.
    mine = [each for each in causeway.connections(server) if "reconnects" in each]
    assert mine and all(each["reconnects"] == 0 for each in mine), mine
    server.run("causeway detach 10.0.0.1/m && causeway export remove m")
