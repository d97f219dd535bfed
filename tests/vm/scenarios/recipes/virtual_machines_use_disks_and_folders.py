# SPDX-License-Identifier: GPL-2.0-or-later
"""What VIRTUALISATION.md says of libvirt works as it is there: a virtual machine reads and writes an
attached disk, and pools are on a volume group and on NFS over RDMA. The mounts and volumes of oVirt
and Proxmox VE work too."""
from machine.needs import program
from machine.topology import Disk, pair
from using import recipes

# A kept folder is on a file system that NFS can serve.
TOPOLOGY = pair(server={"init": "systemd", "keep": ("/srv", "/var/lib/nfs"), "disks": (Disk("store", "256M"),)},
                client={"init": "systemd", "memory": 1536},
                packages=("libvirt-daemon-system", "libvirt-clients", "qemu-system-x86", "qemu-utils", "lvm2", "nfs-kernel-server",
                          "nfs-common"))
TIER = "long"
DIRTY = True
REQUIRES = (program("lvm"),)

PAGE = "VIRTUALISATION.md"
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
    server.fill_kept("/var/lib/nfs")
    server.run("mkdir -p /srv/images && chmod 777 /srv/images")
    recipes.make_volume_group(server)
    recipes.prepare(client)
    assert "remote-fs.target" in client.run("systemctl show -P After libvirtd.service").out.split()
    client.run("systemctl start libvirtd", timeout=180)
    client.write("/tmp/vm1.xml", MACHINE)
    client.run("virsh define /tmp/vm1.xml && virsh start vm1", timeout=300)

    recipes.run(rig, PAGE, "A disk of a virtual machine of libvirt", the_virtual_machine_writes_to_the_disk=lambda: write(server, client),
                the_virtual_machine_is_shut_down=lambda: client.run("virsh destroy vm1", timeout=120))
    client.run("virsh undefine vm1")
    for title in ("A storage pool of libvirt", "oVirt", "Proxmox VE"):
        recipes.run(rig, PAGE, title)


def write(server, client):
    """Make QEMU write and read the disk, and check what the server has."""
    for command in ("write -P 0x5a 64k 64k", "flush", "read -P 0x5a 64k 64k"):
        said = client.run(f"virsh qemu-monitor-command vm1 --hmp 'qemu-io -d virtio-disk1 \"{command}\"'", timeout=120).out
        assert "rror" not in said and "ailed" not in said, said
    assert server.run("dd if=/dev/vg0/vm1 bs=64k skip=1 count=1 iflag=direct status=none | tr -d Z | wc -c").out.strip() == "0"
