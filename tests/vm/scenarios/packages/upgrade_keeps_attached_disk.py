# SPDX-License-Identifier: GPL-2.0-or-later
"""An upgrade of the packages on a client with an attached disk in use names the disk to detach, and the disk stays usable."""
from machine.topology import pair

TOPOLOGY = pair(client={"init": "systemd", "cpus": 2, "memory": 1536})
DIRTY = True
NAME = "10.0.0.1/m"
DISK = f"/dev/causeway/{NAME}"


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 64M --allow any")
    client.run(f"causeway attach {NAME}")
    client.run("systemctl start causeway.service", timeout=120)
    before = client.run("dpkg-query -W -f '${Version}' causeway").out
    client.run(f"dd if=/dev/urandom of=/tmp/content bs=1M count=16 && dd if=/tmp/content of={DISK} bs=1M oflag=direct")
    # A higher rate would leave no processor for the upgrade.
    reader = client.start(f"fio --name=reader --filename={DISK} --readonly --rw=read --bs=64k --size=16M --direct=1 --rate=1m"
                          " --time_based --runtime=1h")

    # The image has a compiler cache with the objects that DKMS compiles in the emulated machine.
    said = client.run("PATH=/usr/lib/ccache:$PATH CCACHE_DIR=/var/cache/ccache CCACHE_NOHASHDIR=yes dpkg -i /var/newer/*.deb 2>&1",
                      timeout=1200).out
    assert client.run("dpkg-query -W -f '${Version}' causeway").out != before
    assert f"causeway: the modules of {before} stay loaded, and all that uses them goes on." in said, said
    assert f"causeway: attached, to be detached first: {NAME}" in said, said
    assert "installed" in client.run("dkms status causeway").out

    assert reader.running
    client.run("systemctl is-active causeway.service")
    client.run("echo 3 >/proc/sys/vm/drop_caches")
    client.run(f"cmp -n 16M /tmp/content {DISK}")
    reader.kill(15)
    assert NAME in client.run("causeway list").out

    # Run the commands that the package's message names; then the new modules attach the disk again.
    client.run("causeway stop --force --all && modprobe -r causeway_disk")
    client.run("[ ! -e /sys/module/causeway ] && causeway restore", timeout=120)
    client.wait_for(f"[ -e {DISK} ]")
    client.run(f"cmp -n 16M /tmp/content {DISK}")
    client.run(f"causeway detach {NAME}")
