# SPDX-License-Identifier: GPL-2.0-or-later
"""A client refuses a list of exports with an address that the protocol forbids, and a list that never ends. It connects to no
address that it cannot use, or that leads to another network."""
from using import causeway
from using.resources import RESOURCES

TIER = "long"
KERNELS = ("stock", "kasan")

ONE = "10.0.0.1"
MALFORMED = ("none-v4", "none-v6", "of-link-v4", "of-link-v6", "multicast-v4", "multicast-v6", "mapped", "twice", "no-port", "gap",
             "reserved")
# The client asks for each of these lists once.
VALID = ("later-transport", "elsewhere", "endless", "endless")
ELSEWHERE = "attach 10.0.0.1/one --path auto --dry-run"


def malformed_lists_are_refused(client):
    for name in MALFORMED:
        said = client.run(f"causeway discover {ONE}", check=False)
        assert said.rc == 1 and "the server's list of exports is malformed (-71)" in said.out, (name, said)


def unknown_transports_are_left_out(client):
    [found] = causeway.answer(client, f"discover {ONE}")["exports"]
    assert found["addresses"] == [{"transport": "rdma", "address": ONE, "port": 4793}], found


def other_hosts_are_left_out(client):
    found = causeway.answer(client, ELSEWHERE)
    assert [each["address"] for each in found["paths"]] == [ONE], found
    assert [each["address"] for each in found["left_out"]] == ["127.0.0.1", ONE, ONE, "192.0.2.77"], found
    for each, reason in zip(found["left_out"], ("loopback", "by RDMA only", "its port is 1")):
        assert reason in each["reason"], found


def endless_lists_end(client, host):
    said = client.run(f"causeway discover {ONE}", timeout=60, check=False)
    assert said.rc == 1 and "the server offers more exports than one answer holds" in said.out, said
    client.fails(f"causeway attach {ONE}/one --path auto", f"{ONE} offers no disk 'one' to this machine", timeout=60)
    # 4096 exports, with 14 in each answer.
    host.wait_for("endless: asked 293 times", timeout=30)


def scenario(rig):
    server, client = rig.server, rig.client
    host = server.start(f"causeway-peer exports {' '.join([*MALFORMED, *VALID])}")
    host.wait_for("listening", timeout=30)
    client.run("modprobe causeway_disk")
    before = client.run(RESOURCES).out
    malformed_lists_are_refused(client)
    unknown_transports_are_left_out(client)
    other_hosts_are_left_out(client)
    endless_lists_end(client, host)
    client.wait_for(f"[ \"$({RESOURCES})\" = '{before.strip()}' ]", timeout=30)
    assert causeway.attachments(client) == []
