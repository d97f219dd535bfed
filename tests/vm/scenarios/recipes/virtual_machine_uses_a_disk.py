# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine of libvirt gets an attached disk by the identity of the disk, uses more space
when the disk grows, and gives the disk up, as VIRTUALISATION.md has it. libvirtd starts after the
network's mounts."""
from xml.etree import ElementTree

from using import recipes, virtual_machines

TOPOLOGY = virtual_machines.TOPOLOGY
TIER = "long"
DIRTY = True
REQUIRES = virtual_machines.REQUIRES

PAGE = virtual_machines.PAGE

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
    virtual_machines.prepare(client)
    assert "remote-fs.target" in client.run("systemctl show -P After libvirtd.service").out.split()
    client.write("/tmp/vm1.xml", MACHINE)
    client.run("virsh define /tmp/vm1.xml && virsh start vm1", timeout=300)
    recipes.run(rig, PAGE, "A disk of a virtual machine of libvirt",
                the_virtual_machine_writes_to_the_disk=lambda: writes(client, server, 1))
    recipes.run(rig, PAGE, "More space for the virtual machine",
                the_virtual_machine_writes_behind_the_old_end=lambda: writes(client, server, 70))
    recipes.run(rig, PAGE, "The end of the disk", the_virtual_machine_is_shut_down=lambda: client.run("virsh destroy vm1"))
    client.run("virsh undefine vm1")
    virtual_machines.forget(client)


def writes(client, server, place):
    """Let QEMU write through the device of the virtual machine, at this MiB of the disk. The server has the data then."""
    machine = ElementTree.fromstring(client.run("virsh dumpxml vm1").out)
    disk = machine.find("./devices/disk/target[@dev='vdb']/../alias").get("name")
    device = f"/machine/peripheral/{disk}/virtio-backend"
    said = client.run(f"virsh qemu-monitor-command vm1 --hmp 'qemu-io -d {device} \"write -P 0x5a {place}M 4k\"'", timeout=120).out
    # The monitor shows errors only.
    assert not said.strip(), said
    server.run(f"cmp <(dd if=/dev/vg0/vm1 bs=4k count=1 skip={place * 256} iflag=direct status=none) <(head -c 4096 /dev/zero | tr '\\0' Z)")
