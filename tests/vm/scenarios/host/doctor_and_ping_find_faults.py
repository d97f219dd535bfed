# SPDX-License-Identifier: GPL-2.0-or-later
"""ping reaches a peer by RDMA with and without a service there. doctor finds faults and fixes some
of them, and undo takes the fixes back."""
from using import causeway

TIER = "ci"


def findings(host):
    return {each["id"]: each for each in causeway.answer(host, "doctor", check=False)["findings"]}


def scenario(rig):
    server, client = rig.server, rig.client
    # Remove the messages that other scenarios of this boot left in the kernel's log.
    for host in (server, client):
        host.run("dmesg --clear")
    client.run("modprobe rdma_ucm")
    # No service listens, but the refusal counts as an answer.
    told = causeway.answer(client, "ping --ip 10.0.0.1 --count 1")
    assert told["reachable"] and not any(each["listens"] for each in told["attempts"]), told
    server.run("causeway export add scratch --ram 16M --allow any")
    told = causeway.answer(client, "ping --ip 10.0.0.1 --count 2")
    assert all(each["listens"] and each["answer_ns"] for each in told["attempts"]), told
    assert told["attempts"][0]["device"].startswith("rxe"), told
    assert "can be reached by RDMA" in client.run("causeway ping --ip 10.0.0.1").out
    client.fails("causeway ping --ip 10.0.0.99 --count 1", "cannot be reached by RDMA")
    assert client.fails("causeway ping --ib 4", "no LIDs").rc == 69
    assert client.fails("causeway fabric", "go over Ethernet").rc == 69

    # doctor reports nothing on a sound client, and reports a server that is gone.
    client.run("causeway attach 10.0.0.1/scratch")
    seen = findings(client)
    assert not seen, seen
    assert not findings(server)
    # A file of an earlier version did not state that every host may attach.
    server.run("sed -i '/^allow = any$/d' /etc/causeway/exports.d/scratch.conf")
    assert (offered := set(findings(server))) == {"export-open-to-all"}, offered
    server.run("causeway export remove scratch --force")
    client.wait_for("causeway --json doctor | grep -q attachment-retrying", timeout=120)
    assert client.run("causeway doctor", check=False).rc == 20
    assert client.run("causeway doctor --nagios", check=False).rc == 2
    client.run("causeway detach 10.0.0.1/scratch --force")

    # Programs of the group rdma may lock little memory until doctor fixes it.
    client.run("rm -f /etc/security/limits.d/*; groupadd -rf rdma; usermod -aG rdma nobody")
    client.run("bash -c 'ulimit -l 64; causeway --json doctor' | grep -q memlock-small")
    plan = client.run("bash -c 'ulimit -l 64; causeway doctor --fix --dry-run'", check=False).out
    assert "memlock unlimited" in plan, plan
    client.run("bash -c 'ulimit -l 64; causeway doctor --fix'", check=False)
    client.run("grep -q 'memlock unlimited' /etc/security/limits.d/causeway-memlock.conf")
    assert "memlock-small" not in findings(client)
    client.run("causeway undo --last && ! test -e /etc/security/limits.d/causeway-memlock.conf")

    client.run("causeway doctor --bundle /tmp/report.tgz")
    assert "causeway-report/doctor.json" in client.run("tar tzf /tmp/report.tgz").out
