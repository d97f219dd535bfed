# SPDX-License-Identifier: GPL-2.0-or-later
"""The policy of a disk says which of its paths carry commands: single uses one, round-robin each of them, and auto both
if there is much to do. It leaves a path that is 30 ms slower, and returns to it when it is fast again. The policy is
shown, and survives a stop."""
import json

from using import causeway, paths

TIER = "ci"
KERNELS = ("stock",)
TOPOLOGY = paths.topology()
LEAVES = ("attachment", "export")
NAME = "10.0.0.1/m"
CLIENTS = ("10.0.0.2", "10.1.0.2")      # the addresses of the client, on each link
STALL = 0.1     # seconds of a run of three
SLOW = "tc qdisc replace dev eth0 root netem delay 30ms limit 100000"


def commands(server):
    """Return the reads that have come by each path. The server has a session for each path."""
    stats = [each for each in causeway.answer(server, "stat")["stats"] if each["role"] == "server"]
    reads = {each["peer"].rsplit(":", 1)[0]: each["counters"]["reads"] for each in stats}
    return [reads[client] for client in CLIENTS]


def read(client, depth, bounds):
    """Read blocks of 4 KiB, and return how many a second."""
    out = client.run(f"fio --name=r --filename=/dev/causeway/{NAME} --direct=1 --ioengine=libaio --rw=randread --bs=4k "
                     f"--iodepth={depth} --size=16M --time_based {bounds} --output-format=json", timeout=120).out
    return json.loads(out[out.index("{"):])["jobs"][0]["read"]["iops"]


def shares(rig, depth):
    """Return the part of the reads that went by each path, and the reads a second."""
    before = commands(rig.server)
    rate = read(rig.client, depth, "--runtime=3")
    used = [after - earlier for after, earlier in zip(commands(rig.server), before)]
    return [count / sum(used) for count in used], rate


def beside_a_slow_path(rig, depth):
    """Most reads go by the fast path. A machine that stands still makes that path look silent: such a run is repeated."""
    for _ in range(4):
        starved = -rig.client.starved() - rig.server.starved()
        used, rate = shares(rig, depth)
        starved += rig.client.starved() + rig.server.starved()
        rig.log(f"depth {depth}: {rate:.0f} reads a second beside a slow path, {used} of them by each; starved for {starved:.2f} s")
        if used[1] >= 0.95 or starved < STALL:
            break
    assert used[1] >= 0.95, (depth, used)


def attach(client, events, policy):
    paths.attach(client, "m", events, options=policy and f"--policy {policy}")
    shown = {path["policy"] for path in causeway.answer(client, f"path list {NAME}")["paths"]}
    assert shown == {policy or "auto"} and causeway.attachment(client)["policy"] in shown, shown


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    client.run("modprobe sch_netem")
    events = causeway.watch(client)

    attach(client, events, "single")
    used, alone = shares(rig, 16)
    assert used == [1, 0], used
    assert [path["carries_io"] for path in causeway.answer(client, "path list")["paths"]] == [True, False]
    client.run(f"causeway detach {NAME}")

    attach(client, events, "round-robin")
    for depth in 1, 16:
        used, _ = shares(rig, depth)
        assert min(used) > 0.4, used
    client.run("causeway stop --all && causeway restore")
    events.wait_for("path 1 is live", timeout=60)
    assert causeway.attachment(client)["policy"] == "round-robin"
    client.run(f"causeway detach {NAME}")

    # With less to do, the commands stay together while answers come soon: tests/unit/path_choice_test.cpp.
    attach(client, events, None)
    used, both = shares(rig, 64)
    rig.log(f"{alone:.0f} reads a second by one path, {both:.0f} by two, {used} of them by each")
    assert min(used) > 0.02, used       # both carry commands; how many is for tests/unit/path_choice_test.cpp
    client.run(SLOW)
    # The probes that measure a path without commands come every second.
    read(client, 16, "--runtime=3")
    for depth in 1, 4:
        beside_a_slow_path(rig, depth)
    client.run("tc qdisc del dev eth0 root")
    read(client, 64, "--runtime=3")
    used, _ = shares(rig, 64)
    assert min(used) > 0.02, used       # both carry commands; how many is for tests/unit/path_choice_test.cpp
    client.run(f"causeway detach {NAME}")
