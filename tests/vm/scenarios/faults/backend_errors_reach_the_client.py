# SPDX-License-Identifier: GPL-2.0-or-later
"""A full file system, a thin pool without space, an unreadable block below a file, a removed file and a removed device fail the
client's I/O with the matching error. All other I/O works."""

from machine.needs import module
from using import causeway, scsi_debug
from machine.topology import Disk, pair

TOPOLOGY = pair(server={"disks": (Disk("store", "1G"),)})
TIER = "long"
REQUIRES = (module("scsi_debug"), module("dm_thin_pool"))

AT = "/dev/causeway/10.0.0.1/"
FULL = "No space left on device"
BROKEN = "Input/output error"
# First sector and number of sectors on the disk "store".
FILES, THIN, POOL = (0, 131072), (262144, 8192), (524288, 32768)


def write(name, at, count=1):
    """Return the command that writes MiB of a disk."""
    return f"dd if=/dev/urandom of={AT}{name} bs=1M seek={at} count={count} oflag=direct conv=notrunc status=none"


def read(name, at, count=1):
    return f"dd if={AT}{name} bs=1M skip={at} count={count} iflag=direct status=none | sha256sum; exit ${{PIPESTATUS[0]}}"


def table(server, name, lines):
    """Give a device another table, which also applies to I/O that waits."""
    server.write(f"/tmp/{name}.table", "\n".join(lines) + "\n")
    server.run(f"dmsetup reload {name} /tmp/{name}.table && dmsetup suspend --noflush --nolockfs {name} && dmsetup resume {name}")


def scenario(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    server.run(f"modprobe dm_mod; dmsetup create files --table '0 {FILES[1]} linear {store} {FILES[0]}' && "
               "mkfs.ext4 -qF -b 4096 -m 0 /dev/mapper/files && mkdir -p /srv/files && "
               "mount -o commit=300 /dev/mapper/files /srv/files")
    full_file_system(server, client)
    broken_file(server, client, store)
    removed_file(server, client)
    full_thin_pool(server, client, store)
    removed_device(server, client)
    server.run("causeway stop --force; umount /srv/files && dmsetup remove files")


def leave(client, name):
    """Detach; check that the connection was never lost."""
    state = causeway.connection(client)
    assert state["state"] == "live" and state["reconnects"] == 0, state
    client.run(f"causeway detach 10.0.0.1/{name}", timeout=30)


def full_file_system(server, client):
    server.run("truncate -s 48M /srv/files/full.img && causeway export add full --file /srv/files/full.img --allow any")
    client.run("causeway attach 10.0.0.1/full")
    client.run(write("full", at=0, count=2))
    server.fails("dd if=/dev/zero of=/srv/files/filler bs=1M status=none", FULL)
    client.fails(write("full", at=10), FULL)
    # Write as a file system of the client does; it gets the error when it flushes.
    client.fails(f"dd if=/dev/zero of={AT}full bs=4k count=4 seek=5000 conv=notrunc,fsync", f"{FULL}|{BROKEN}")
    client.wait_console(r"critical space allocation error, dev causeway\d+")
    client.run(write("full", at=0, count=2))            # the file has this space
    client.run(read("full", at=10))                     # a hole is read as zeroes
    server.run("rm /srv/files/filler")
    client.run(write("full", at=10))
    leave(client, "full")
    server.run("causeway export remove full && rm /srv/files/full.img")


def extent(server, path):
    """Return the first and the last sector, on its device, of a file that has one extent."""
    first, last = server.run(f"filefrag -b512 -v {path} | awk -F '[ .:]+' '$2 == 0 {{print $5, $6}}'").out.split()
    assert "1 extent found" in server.run(f"filefrag {path}").out
    return int(first), int(last)


def broken_file(server, client, store):
    """The middle of the file is broken: the places before and behind it are read and written."""
    server.run("fallocate -l 12M /srv/files/bad.img && dd if=/dev/urandom of=/srv/files/bad.img bs=1M count=12 conv=notrunc,fsync "
               "status=none && causeway export add bad --file /srv/files/bad.img --allow any")
    client.run("causeway attach 10.0.0.1/bad")
    first, _ = extent(server, "/srv/files/bad.img")
    at, end = first + 4 * 2048, first + 8 * 2048
    table(server, "files", (f"0 {at} linear {store} {FILES[0]}", f"{at} {end - at} error",
                            f"{end} {FILES[1] - end} linear {store} {FILES[0] + end}"))
    client.fails(read("bad", at=5), BROKEN)
    client.fails(write("bad", at=5), BROKEN)
    client.fails(f"dd if=/dev/zero of={AT}bad bs=4k count=1 seek=1025 oflag=direct conv=notrunc status=none", BROKEN)
    client.fails(f"dd if=/dev/zero of={AT}bad bs=4k count=1 seek=1026 conv=notrunc,fsync status=none", BROKEN)
    for place in (0, 9):
        client.run(write("bad", at=place, count=3) + " && " + read("bad", at=place, count=3))
    table(server, "files", (f"0 {FILES[1]} linear {store} {FILES[0]}",))
    client.run(write("bad", at=5) + " && " + read("bad", at=5))
    client.run(f"dd if=/dev/zero of={AT}bad bs=4k count=1 conv=notrunc,fsync status=none")
    leave(client, "bad")
    server.run("causeway export remove bad && rm /srv/files/bad.img")


def removed_file(server, client):
    """The content of a removed file stays until its export ends."""
    free = "df --output=avail -B1 /srv/files | tail -1"
    before = int(server.run(free).out)
    server.run("fallocate -l 16M /srv/files/gone.img && causeway export add gone --file /srv/files/gone.img --allow any")
    client.run("causeway attach 10.0.0.1/gone")
    client.run(write("gone", at=0, count=4))
    content = client.run(read("gone", at=0, count=4)).out
    server.run("rm /srv/files/gone.img")
    client.run(write("gone", at=8, count=4))
    assert client.run(read("gone", at=0, count=4)).out == content
    assert int(server.run(free).out) <= before - (16 << 20)
    leave(client, "gone")
    server.run("causeway export remove gone")
    server.wait_for(f"[ $({free}) -ge {before - (1 << 20)} ]")


def full_thin_pool(server, client, store):
    server.run(f"modprobe dm_thin_pool; dmsetup create meta --table '0 {THIN[1]} linear {store} {THIN[0]}' && "
               f"dmsetup create space --table '0 {POOL[1]} linear {store} {POOL[0]}' && "
               "dd if=/dev/zero of=/dev/mapper/meta bs=4k count=1 status=none && "
               f"dmsetup create pool --table '0 {POOL[1]} thin-pool /dev/mapper/meta /dev/mapper/space 128 0 1 error_if_no_space' && "
               "dmsetup message pool 0 'create_thin 0' && dmsetup create thin --table '0 131072 thin /dev/mapper/pool 0'")
    server.run("causeway export add thin --device /dev/mapper/thin --allow any")
    client.run("causeway attach 10.0.0.1/thin")
    client.fails(write("thin", at=0, count=24), FULL)
    client.fails(write("thin", at=40), FULL)
    # The parts that have space are written and read.
    client.run(write("thin", at=2, count=4) + " && " + read("thin", at=2, count=4))
    leave(client, "thin")
    server.run("causeway export remove thin && dmsetup remove thin && dmsetup remove pool && dmsetup remove space meta")


def removed_device(server, client):
    """The device is removed, like a disk that is pulled out."""
    disk = scsi_debug.make(server, dev_size_mb=16)
    server.run(f"causeway export add pulled --device {disk} --allow any")
    client.run("causeway attach 10.0.0.1/pulled")
    client.run(write("pulled", at=0, count=2))
    server.run(f"echo 1 >/sys/block/{disk[5:]}/device/delete")
    client.fails(read("pulled", at=0), BROKEN)
    client.fails(write("pulled", at=0), BROKEN)
    leave(client, "pulled")
    server.run("causeway export remove pulled --force", timeout=30, check=False)       # the disk could not be flushed
    assert "pulled" not in server.run("causeway export list").out
    scsi_debug.remove(server)
