# SPDX-License-Identifier: GPL-2.0-or-later
"""LVM, md, LUKS, partitions and fstab use attached disks by all their names, and find them again
after a reboot. At shutdown they release the disks before the network ends."""
import re

from machine.needs import module
from machine.topology import pair
from using import causeway, recipes

# The whole /etc is kept, because fstab, crypttab and mdadm.conf are in it.
TOPOLOGY = pair(client={"init": "systemd", "keep": ("/etc", "/var/lib/causeway")},
                packages=recipes.PACKAGES)
TIER = "long"
DIRTY = True
REQUIRES = (module("dm_crypt"), module("raid1"))

DISKS = {"volume": "64M", "mirror-a": "32M", "mirror-b": "32M", "secret": "48M", "parts": "48M"}
AT = "/dev/causeway/10.0.0.1/"
PLACES = ("/mnt/volume", "/mnt/mirror", "/mnt/secret", "/mnt/part")
ERRORS = r"I/O error|EXT4-fs (error|warning)|md/raid1:.*(fail|Disk failure)|lost async page write"

# Replaces the unit that stops a machine's network, such as Debian's networking.service. It records
# which layers and mounts still use a disk.
NETWORK = """[Unit]
DefaultDependencies=no
After=sysinit.target
Before=network.target network-online.target
Conflicts=shutdown.target
Before=shutdown.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
ExecStop=/bin/sh -c 'ls -d /sys/block/causeway*/holders/* /sys/block/causeway*/causeway*/holders/* >/etc/left 2>/dev/null; \
grep /mnt/ /proc/mounts >>/etc/left; sync -f /etc/left; ip link set eth0 down'
[Install]
WantedBy=multi-user.target
"""


def scenario(rig):
    server, client = rig.server, rig.client
    for name, size in DISKS.items():
        server.run(f"causeway export add {name} --ram {size} --allow any")
        client.run(f"causeway attach 10.0.0.1/{name}")
    client.write("/etc/systemd/system/rig-network-end.service", NETWORK)
    client.run("systemctl daemon-reload && systemctl enable remote-fs.target remote-cryptsetup.target && "
               "systemctl enable --now rig-network-end causeway", timeout=120)
    make(client)
    content = fill(client)
    links = judge_links(client)
    assert "causeway.service" in client.run("systemctl show -P After blk-availability.service").out.split()

    reboot(client)
    assert judge_links(client) == links
    assert fill(client, again=True) == content
    # This shutdown starts from the state that a boot made.
    shutdown(client)


def make(client):
    """Set up each layer on its disk, and in the files that configure it at boot."""
    client.run(f"pvcreate -q {AT}volume && vgcreate -q rigvg {AT}volume && lvcreate -q -n lv -L 40M rigvg", timeout=120)
    client.run(f"mdadm --create /dev/md/mirror --run --level=1 --raid-devices=2 --metadata=1.2 {AT}mirror-a {AT}mirror-b && "
               "mkdir -p /etc/mdadm && mdadm --detail --scan >/etc/mdadm/mdadm.conf", timeout=120)
    client.run("umask 077; echo sesame >/etc/causeway/luks")
    client.run(f"cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file /etc/causeway/luks "
               f"{AT}secret && cryptsetup open --key-file /etc/causeway/luks {AT}secret secret", timeout=180)
    client.run(f"printf 'label: gpt\\nsize=8M, name=first\\nname=second\\n' | sfdisk -q {AT}parts && udevadm settle")
    client.wait_for(f"[ -b {AT}parts-part2 ]")
    for label, device in (("volume", "/dev/rigvg/lv"), ("mirror", "/dev/md/mirror"), ("secret", "/dev/mapper/secret"),
                          ("part", f"{AT}parts-part2")):
        client.run(f"mkfs.ext4 -qF -L rig-{label} {device}", timeout=120)
    # The lines name the mirror by its content and the partition by the disk's own name, so all
    # kinds of names occur.
    client.run(f"""
        echo "secret UUID=$(cryptsetup luksUUID {AT}secret) /etc/causeway/luks luks,_netdev" >>/etc/crypttab
        echo "/dev/rigvg/lv /mnt/volume ext4 _netdev 0 0
        UUID=$(blkid -s UUID -o value /dev/md/mirror) /mnt/mirror ext4 _netdev 0 0
        /dev/mapper/secret /mnt/secret ext4 _netdev 0 0
        {AT}parts-part2 /mnt/part ext4 _netdev 0 2" >>/etc/fstab
        systemctl daemon-reload && mkdir -p {" ".join(PLACES)}""", timeout=120)
    client.run("mount -a", timeout=120)


def fill(client, again=False):
    """Return the sum of the files of all places; write the files the first time."""
    if not again:
        client.run(f"for place in {' '.join(PLACES)}; do dd if=/dev/urandom of=$place/file bs=1M count=4 status=none; done; sync")
    for place in PLACES:
        client.run(f"mountpoint -q {place}")
    return client.run(f"cat {' '.join(place + '/file' for place in PLACES)} | sha256sum").out


def judge_links(client):
    """Check that the links of udev to disks, partitions and their content lead to the right
    devices. Return the identities of the disks, sorted by their names."""
    identities = {each["name"]: each["identity"]
                  for each in causeway.attachments(client)}
    assert identities.keys() == DISKS.keys(), identities

    def same(one, other):
        real = client.run(f"readlink -e {one} {other}").lines
        assert len(real) == 2 and real[0] == real[1], (one, other, real)

    client.run("udevadm settle", timeout=120)
    for name, identity in identities.items():
        same(f"/dev/disk/by-id/causeway-{identity}", f"{AT}{name}")
    parts = identities["parts"]
    for number in (1, 2):
        same(f"/dev/disk/by-id/causeway-{parts}-part{number}", f"{AT}parts-part{number}")
    same("/dev/disk/by-partlabel/second", f"{AT}parts-part2")
    same("/dev/disk/by-label/rig-part", f"{AT}parts-part2")
    same(f"/dev/disk/by-uuid/$(cryptsetup luksUUID {AT}secret)", f"{AT}secret")
    same(f"/dev/disk/by-uuid/$(blkid -s UUID -o value {AT}parts-part2)", f"{AT}parts-part2")
    same(f"/dev/disk/by-partuuid/$(blkid -s PARTUUID -o value {AT}parts-part1)", f"{AT}parts-part1")
    client.run("[ $(pvs --noheadings -o pv_name,vg_name | grep -c rigvg) = 1 ] && mdadm --detail --test /dev/md/mirror >/dev/null")
    return sorted(identities.items())


def shutdown(client):
    """Shut down, and check that no I/O failed meanwhile."""
    client.run("rm -f /etc/left; sync")
    before = len(client.console.bytes())
    client.shutdown()
    said = client.console_text(before)
    assert not re.search(ERRORS, said), said[-3000:]


def reboot(client):
    """Reboot: no process still has a disk when the network ends, and everything is mounted
    again."""
    shutdown(client)
    client.boot()
    assert client.read("/etc/left") == "", client.read("/etc/left")
    client.wait_for(" && ".join(f"mountpoint -q {place}" for place in PLACES), timeout=180)
