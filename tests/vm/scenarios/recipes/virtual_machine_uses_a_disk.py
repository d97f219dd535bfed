# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine of libvirt gets an attached disk by the identity of the disk, as
VIRTUALISATION.md has it. libvirtd starts after the network's mounts."""
from machine.needs import program
from machine.topology import Disk, pair
from using import recipes

TOPOLOGY = pair(server={"disks": (Disk("store", "256M"),)},
                client={"init": "systemd", "memory": 1536},
                packages=("libvirt-daemon-system", "libvirt-clients", "qemu-system-x86", "qemu-utils", "lvm2", "nfs-kernel-server",
                          "nfs-common"))
TIER = "long"
DIRTY = True
REQUIRES = (program("virsh"),)

# Without an operating system: the firmware finds nothing to boot and waits.
MACHINE = """<domain type='qemu'>
<name>vm1</name>
<memory unit='MiB'>32</memory>
<os><type arch='x86_64' machine='pc'>hvm</type></os>
<features><acpi/></features>
<devices><emulator>/usr/bin/qemu-system-x86_64</emulator></devices>
</domain>
"""


def scenario(rig):
    server, client = rig.server, rig.client
    recipes.make_volume_group(server)
    recipes.prepare(client)
    assert "remote-fs.target" in client.run("systemctl show -P After libvirtd.service").out.split()
    client.run("systemctl start libvirtd", timeout=180)
    client.write("/tmp/vm1.xml", MACHINE)
    client.run("virsh define /tmp/vm1.xml && virsh start vm1", timeout=300)
    recipes.run(rig, "VIRTUALISATION.md", "A disk of a virtual machine of libvirt")
    client.run("virsh destroy vm1 && causeway detach server/vm1", timeout=120)
    # The first boot of an image enables these units.
    client.run("systemctl disable --now causeway causeway-shutdown", timeout=120)
