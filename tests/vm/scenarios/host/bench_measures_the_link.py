# SPDX-License-Identifier: GPL-2.0-or-later
"""causeway bench measures by RDMA, and by TCP, how much a link between two machines carries. It
prints the results as a table, as JSON and as a page. Without a server it reports the command to
start there."""

from using import causeway, stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"

PAGE = "/tmp/report.html"


def scenario(rig):
    server, client = rig.server, rig.client
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
