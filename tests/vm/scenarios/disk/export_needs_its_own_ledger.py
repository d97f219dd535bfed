# SPDX-License-Identifier: GPL-2.0-or-later
"""An export does not start if its ledger of owners is absent, damaged or that of another disk. It
starts if one copy is sound, and repairs the other. A client that returns detects that an older copy
was put back. An existing ledger can be written although its folder is full. --forget-owners makes a
new ledger."""

from machine.topology import Disk, pair
from using import causeway

TOPOLOGY = pair(server={"disks": (Disk("store", "64M"),)})
TIER = "long"

FOLDER = "/var/lib/causeway/owners"
STATE = "/srv/state"
SAVED = "/tmp/saved"
DISK = "/dev/causeway/10.0.0.1/d"
BAD_CONFIG = 78
# The lengths to which a torn write cuts the file: empty, within the header, at its end, within the
# first host.
CUTS = (0, 60, 128, 200)
# Bytes that are flipped: the magic number, the checksum, the generation, the secret, the first host.
FLIPS = (2, 9, 25, 70, 140)


def exported(server):
    return {each["name"]: each for each in causeway.exports(server)}


def copies(identity, folder=FOLDER):
    return [f"{folder}/{identity}.{number}" for number in (0, 1)]


def save(server, files, folder=SAVED):
    server.run(f"rm -rf {folder} && mkdir -p {folder} && cp -p {' '.join(files)} {folder}")


def put_back(server, files, folder=SAVED):
    for file in files:
        server.run(f"rm -rf {file} && cp -p {folder}/{file.rsplit('/', 1)[1]} {file}")


def refused(server, files, saying):
    """Check that the export does not start, and that the files stay as they are."""
    before = server.run(f"sha256sum {' '.join(files)} 2>&1", check=False).out
    result = server.fails("causeway restore", saying)
    assert "ledger-unusable" in server.run("causeway --json doctor", check=False).out
    assert result.rc == BAD_CONFIG and "--forget-owners" in result.out, result
    assert "d" not in exported(server)
    assert server.run(f"sha256sum {' '.join(files)} 2>&1", check=False).out == before


def damage(server, files):
    """Damage both copies in each way; yield the error message that belongs to it."""
    server.run(f"rm {' '.join(files)}")
    yield "there is no such file"
    for cut in CUTS:
        for file in files:
            server.run(f"truncate -s {cut} {file}")
        yield "cannot be used"
    for byte in FLIPS:
        for file in files:
            old = int(server.run(f"od -An -tu1 -j{byte} -N1 {file}").out)
            server.run(f"printf '\\{old ^ 0xff:03o}' | dd of={file} bs=1 seek={byte} conv=notrunc status=none")
        yield "cannot be used"


def live(client, events):
    events.wait_for("live over", timeout=90)
    client.run(f"dd if=/dev/urandom of={DISK} bs=4k count=1 oflag=direct status=none")


def unreadable_ledgers(server, files):
    server.run("causeway stop --force")
    save(server, files)
    for saying in damage(server, files):
        refused(server, files, saying)
        put_back(server, files)


def ledgers_of_others(server, files):
    """The export refuses the ledger of another disk, and another ledger of the same disk."""
    server.run("modprobe loop && truncate -s 1M /tmp/other.img")
    loop = server.run("losetup --find --show /tmp/other.img").out.strip()
    server.run(f"causeway export add other --device {loop} --allow any")
    other = exported(server)["other"]["identity"]
    server.run(f"causeway export remove other && losetup -d {loop}")
    for source, target in zip(copies(other), files):
        server.run(f"mv {source} {target}")
    refused(server, files, f"it is the ledger of the disk {other}")

    put_back(server, files)
    conf = "/etc/causeway/exports.d/d.conf"
    own = server.read(conf)
    wrong = "0f0f0f0f-0000-4000-8000-000000000000"
    server.run(f"sed -i 's/^ledger = .*/ledger = {wrong}/' {conf}")
    refused(server, files, f"and the export's is {wrong}")
    server.write(conf, own)


def one_copy_is_enough(server, client, files, events):
    """With one damaged copy the client comes back each time, and the copies become the same
    again."""
    for bad in (0, 1):
        for deed in (f"rm {files[bad]}", f"truncate -s 100 {files[bad]}",
                     f"printf x | dd of={files[bad]} bs=1 seek=40 conv=notrunc status=none"):
            events.skip()
            server.run(f"{deed} && causeway restore")
            live(client, events)
            server.wait_for(f"cmp {' '.join(files)}")
            server.run("causeway stop --force")


def older_copy(server, client, files, events):
    """The client has seen a newer ledger: the server refuses every login until the administrator
    discards the owners."""
    events.skip()
    server.run("causeway restore")
    live(client, events)
    server.run("causeway stop --force")
    save(server, files, "/tmp/older")
    events.skip()
    server.run("causeway restore")
    live(client, events)
    for _ in range(3):
        client.run("causeway detach 10.0.0.1/d && causeway attach 10.0.0.1/d")
    client.run(f"dd if=/dev/urandom of={DISK} bs=4k count=1 oflag=direct status=none")
    server.run("causeway stop --force")
    put_back(server, files, "/tmp/older")
    server.run("causeway restore")
    server.wait_for("causeway --json export list | grep -q '\"outdated\": true'", timeout=90)
    client.wait_for("causeway --json net | grep -qi ledger", timeout=90)
    assert "ledger-outdated" in server.run("causeway --json doctor", check=False).out
    assert server.fails("causeway attach 10.0.0.1/d", "(?i)ledger").rc != 0

    # The ledger keeps the refusal, too.
    server.run("causeway stop --force && causeway restore")
    assert exported(server)["d"]["outdated"]
    before = exported(server)["d"]["ledger"]
    device = server.disk("store")
    add = f"causeway export add d --device {device} --forget-owners --allow any"
    server.fails(add, "only before it is")
    server.run(f"causeway stop --force && {add}")
    after = exported(server)["d"]
    assert after["ledger"] != before and not after["outdated"], after
    # The earlier attachment is superseded for good.
    client.wait_for(f"! timeout 20 dd if={DISK} of=/dev/null bs=4k count=1 iflag=direct status=none", timeout=90)
    client.run("causeway detach 10.0.0.1/d --force && causeway attach 10.0.0.1/d")
    client.run(f"dd if=/dev/urandom of={DISK} bs=4k count=1 oflag=direct status=none")
    client.run("causeway detach 10.0.0.1/d")


def folders(server, client):
    """An export reports a folder that is full or read-only. A ledger that exists can be written
    although its folder became full."""
    device = server.disk("store")
    add = f"causeway export add e --device {device} --state-folder {STATE} --allow any"
    server.run(f"mkdir -p {STATE} && mount -t tmpfs -o size=300k,mode=0755 state {STATE}")
    server.fails(add, "No space left on device")
    assert server.run(f"ls -A {STATE}").out == ""
    assert server.run(f"ls {FOLDER} | grep folder", check=False).out == ""

    server.run(f"mount -o remount,size=1M {STATE} && {add}")
    server.run(f"cat /dev/zero >{STATE}/fill", check=False)
    client.run("causeway attach 10.0.0.1/e && causeway detach 10.0.0.1/e")
    identity = exported(server)["e"]["identity"]
    server.run(f"cmp {' '.join(copies(identity, STATE))}")

    server.run(f"causeway stop --force && mount -o remount,ro {STATE}")
    server.fails("causeway restore", "cannot be opened.*error 30|Read-only")
    assert "e" not in exported(server)
    server.run(f"mount -o remount,rw {STATE} && causeway restore")

    # The record in the default folder names the state folder, also without the configuration. The
    # command reports that the ledger is not there while the folder is not mounted.
    server.run("causeway export remove e")
    server.run(f"umount {STATE}")
    server.fails(f"causeway export add e --device {device} --uuid {identity} --allow any", f"is not in {STATE}: there is neither")
    assert server.run(f"ls -A {STATE}").out == ""


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"causeway export add d --device {server.disk('store')} --allow any")
    files = copies(exported(server)["d"]["identity"])
    assert server.run(f"stat -c '%a %s' {' '.join(files)}").lines == ["600 221312"] * 2
    events = causeway.watch(client)
    client.run("causeway attach 10.0.0.1/d")
    unreadable_ledgers(server, files)
    ledgers_of_others(server, files)
    one_copy_is_enough(server, client, files, events)
    older_copy(server, client, files, events)
    server.run("causeway export remove d")
    folders(server, client)
