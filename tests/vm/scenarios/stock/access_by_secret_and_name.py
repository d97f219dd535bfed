# SPDX-License-Identifier: GPL-2.0-or-later
"""By iSCSI, a client needs the secret of CHAP, and the server proves another one. Two exports are
LUNs of one target, and each removal takes one of them. "export set" changes who may attach, and the
secret, while a client is attached, and so does "reload" after an edit of the file. No secret is in a file of Causeway or on a command line."""
from using import causeway, stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"
DIRTY = True        # iscsi_target_mod stays loaded, which a later undo would report
REQUIRES = stock.REQUIRES["iscsi"]

SECRETS = {"key": "first-secret-of-the-client", "mutual": "second-secret-of-the-server", "wrong": "neither-of-these-two-secrets",
           "new": "another-secret-of-the-client"}
OTHER = "iqn.1993-08.org.debian:01:other"


def chap(key="key", mutual="mutual"):
    return f"--chap-user anna --chap-key-file /tmp/{key} --chap-mutual-user store --chap-mutual-key-file /tmp/{mutual}"


def scenario(rig):
    server, client = rig.server, rig.client
    stock.start_iscsid(client)
    for host in (server, client):
        for name, secret in SECRETS.items():
            host.run(f"umask 077; echo {secret} >/tmp/{name}")
    server.run(f"causeway export add a --ram 4M --via iscsi --initiator {stock.INITIATOR} {chap()}", timeout=120)
    attach = "causeway attach server/a --via iscsi"
    for wrong in ("", chap(key="wrong"), chap(mutual="wrong")):
        client.fails(f"{attach} {wrong}", "cannot attach server/a by iSCSI", timeout=120)
        assert not stock.listed(client)
    device = client.run(f"{attach} {chap()}", timeout=180).out.splitlines()[-1]
    for host in (server, client):
        for secret in SECRETS.values():
            host.fails(f"grep -rq {secret} /etc/causeway /run/causeway /var/lib/causeway")

    target = causeway.answer(server, "export list")["stock"][0]["target"]
    server.run(f"causeway export add b --ram 8M --via iscsi --target {target} --initiator {stock.INITIATOR} {chap()}", timeout=120)
    client.run("iscsiadm -m session --rescan", timeout=60)
    client.wait_for("[ $(causeway --json list | grep -c '\"disk\":') = 2 ]", timeout=60)
    server.fails("causeway export remove b", "has it attached", timeout=60)
    server.run("causeway export remove b --force", timeout=60)
    client.run(f"dd if=/dev/urandom of={device} bs=64k count=8 oflag=direct conv=fsync status=none", timeout=60)

    server.run(f"causeway export set a --initiator {stock.INITIATOR} {OTHER}", timeout=60)
    client.run(f"dd if={device} bs=64k count=8 iflag=direct status=none | sha256sum", timeout=60)
    server.fails(f"causeway export set a --initiator {OTHER}", "has 'a' attached")
    client.run("causeway detach server/a", timeout=120)
    client.run("[ -z \"$(ls /etc/iscsi/nodes 2>/dev/null)\" ]")
    server.wait_for(f"causeway export set a --initiator {OTHER}", timeout=60)
    client.fails(f"{attach} {chap()}", "cannot attach server/a by iSCSI", timeout=120)
    server.run("causeway undo --last", timeout=60)
    device = client.run(f"{attach} {chap()}", timeout=180).out.splitlines()[-1]
    server.run(f"sed -i '/^initiator = {OTHER}$/d' /etc/causeway/stock-exports.d/a.conf")
    assert causeway.answer(server, "reload")["restored"] == ["a"]
    assert stock.listed(server, "export list")[0]["initiators"] == [stock.INITIATOR]
    server.fails(f"ls /sys/kernel/config/target/iscsi/*/tpgt_1/acls/{OTHER}")
    client.run(f"dd if={device} bs=64k count=8 iflag=direct status=none | sha256sum", timeout=60)
    server.run("causeway export set a --chap-key-file /tmp/new --chap-mutual-key-file /tmp/mutual", timeout=60)
    client.run(f"dd if={device} bs=64k count=8 iflag=direct status=none | sha256sum", timeout=60)
    client.run("causeway detach server/a", timeout=120)
    client.fails(f"{attach} {chap()}", "cannot attach server/a by iSCSI", timeout=120)
    client.run(f"{attach} {chap(key='new')}", timeout=180)
    client.run("causeway detach server/a", timeout=120)
    server.wait_for("causeway export remove a", timeout=60)
    assert not server.run(stock.CONFIGURED).out.split()
