# SPDX-License-Identifier: GPL-2.0-or-later
"""causeway bench measures by RDMA, and by TCP, how much a link between two machines carries. It
prints the results as a table, as JSON and as a page. Without a server it reports the command to
start there. With --disk it measures reads of an attached disk and of the disk behind an export, and
writes nothing."""

from using import causeway, stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"

PAGE = "/tmp/report.html"


def judge_disk(told, device):
    """Check the figures of bench --disk."""
    assert told["device"] == device, told
    assert [(point["kind"], point["block_bytes"], point["depth"]) for point in told["points"]] == [
        ("sequential", 1 << 20, 8), ("latency", 4096, 1), ("rate", 4096, 32)], told
    for point in told["points"]:
        assert 0 < point["median_ns"] <= point["p99_ns"], point
        assert abs(point["bytes_per_s"] / (point["reads_per_s"] * point["block_bytes"]) - 1) < 0.1, point


def written(host, disk):
    """Return how many sectors of the disk were written."""
    return int(host.read(f"/sys/class/block/{disk}/stat").split()[6])


def disks(server, client):
    store = server.disk("store")
    server.run(f"causeway export add d --device {store} --allow any")
    client.run("causeway attach 10.0.0.1/d")
    before = written(client, "causeway0")
    told = causeway.answer(client, f"bench --disk 10.0.0.1/d --time 1 --report {PAGE}", timeout=200)
    judge_disk(told, "/dev/causeway0")
    assert (told["server"], told["name"], told["link"]) == ("10.0.0.1", "d", "rxe0/1"), told
    # The rate that a software device reports is meaningless.
    assert told["usable_bytes_per_s"] is None, told
    assert "<h1>Disk 10.0.0.1/d</h1>" in client.read(PAGE)
    said = client.run("causeway bench --disk 10.0.0.1/d --time 1", timeout=200).out
    assert "the disk by itself, on 10.0.0.1: causeway bench --disk d\n" in said, said
    told = causeway.answer(server, "bench --disk d --time 1", timeout=200)
    judge_disk(told, store)
    assert told["export"] == "d", told
    said = server.run(f"causeway bench --disk {store} --dry-run").out
    assert said.count("run fio --readonly ") == 3, said
    client.fails(f"causeway bench --disk {PAGE}", "is a file, not a block device")
    assert written(client, "causeway0") == before
    client.run("causeway detach 10.0.0.1/d")
    server.run("causeway export remove d")


def scenario(rig):
    server, client = rig.server, rig.client
    disks(server, client)
    client.run(f"rm {PAGE}")
    client.fails("causeway bench 10.0.0.1 --time 1", "causeway bench --serve", timeout=120)
    client.run(f"[ ! -e {PAGE} ]")

    serving = server.start("causeway bench --serve")
    serving.wait_for("serving measurements")
    server.wait_for("ss -ltn | grep -q :19765")
    told = causeway.answer(client, f"bench 10.0.0.1 --time 1 --report {PAGE}", timeout=400)
    assert told["device"] == "rxe0/1" and told["server"] == "10.0.0.1", told
    # The rate that a software device reports is meaningless, so the command omits it.
    assert told["usable_bytes_per_s"] is None, told
    kinds = [point["kind"] for point in told["points"]]
    assert {kind: kinds.count(kind) for kind in kinds} == {"one_way": 5, "two_way": 3, "latency": 4, "messages": 1}, kinds
    for point in told["points"]:
        value, = (point[unit] for unit in ("bytes_per_s", "ns", "messages_per_s") if unit in point)
        assert value > 0, point
    page = client.read(PAGE)
    assert page.count("<svg") >= 2 and "10.0.0.1" in page and "http://" not in page.replace("http://www.w3.org", ""), page[:2000]
    by_tcp = causeway.answer(client, "bench 10.0.0.1 --tests tcp --time 1", timeout=200)
    assert {point["test"] for point in by_tcp["points"]} == {"tcp"}, by_tcp
    assert all(point["local_cpu_percent"] > 0 for point in by_tcp["points"]), by_tcp
    serving.kill()
