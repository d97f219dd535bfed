# SPDX-License-Identifier: GPL-2.0-or-later
"""The server refuses a client with a wrong key, without a key, with a key where none is needed,
from an address that is not allowed, or for an export that does not exist. The error gives the
reason in words. The attempt leaves nothing behind."""

from using import causeway
from using.resources import NO_DISK_CONNECTIONS

TIER = "check"
LEAVES = ("attachment", "export", "file")


def scenario(rig):
    server, client = rig.server, rig.client
    for host in (server, client):
        host.run("umask 077; mkdir -p /etc/causeway/keys; echo open sesame, please >/etc/causeway/keys/right; "
                 "echo close sesame, please >/etc/causeway/keys/wrong")
    server.run("causeway export add locked --ram 16M --key-file /etc/causeway/keys/right")
    server.run("causeway export add plain --ram 16M --allow any")
    server.run("causeway export add foreign --ram 16M --allow 10.9.0.0/16 fd00:9::/64")
    key = "--key-file /etc/causeway/keys/"
    refusals = causeway.watch(server)
    for what, code, sentence, told in (
            (f"10.0.0.1/locked {key}wrong", 77, 'the key for export "locked" is wrong', True),
            ("10.0.0.1/locked", 77, "the export needs a key: give one with --key-file", False),
            (f"10.0.0.1/plain {key}right", 77, "a key was given, but the export has none", False),
            ("10.0.0.1/foreign", 77, 'export "foreign" is not open to 10.0.0.2', True),
            ("[fd00:0::1]/foreign", 77, 'export "foreign" is not open to .*fd00::2', True),
            ("10.0.0.1/nothing", 69, 'there is no export "nothing"', True)):
        result = client.fails(f"causeway attach {what}", sentence)
        assert result.rc == code, (what, result.rc, result.out)
        assert "cannot attach" in result.out, result.out
        if told:
            refusals.wait_for("login-refused.*" + sentence.partition(" is ")[0])
        assert causeway.attachments(client) == []
        left = client.run("find /etc/causeway/attachments.d /dev/causeway -mindepth 1 2>/dev/null; "
                          "ls -d /sys/block/causeway* 2>/dev/null || true")
        assert left.out == "", left.out
    server.wait_for(NO_DISK_CONNECTIONS)
    client.run(f"causeway attach 10.0.0.1/locked {key}right")
    client.run("dd if=/dev/urandom of=/dev/causeway/10.0.0.1/locked bs=1M count=1 oflag=direct")
