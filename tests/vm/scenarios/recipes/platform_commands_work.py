# SPDX-License-Identifier: GPL-2.0-or-later
"""Pools of libvirt, and the mounts and volumes that oVirt and Proxmox VE make, are on Causeway's
disks and on folders by RDMA, as VIRTUALISATION.md has it. oVirt and Proxmox VE are not there."""
from using import recipes, virtual_machines

TOPOLOGY = virtual_machines.TOPOLOGY
TIER = "long"
REQUIRES = virtual_machines.REQUIRES
LEAVES = ("file",)


def scenario(rig):
    server, client = rig.server, rig.client
    recipes.make_volume_group(server)
    virtual_machines.make_folder(server)
    virtual_machines.prepare(client)
    for title in ("A storage pool of libvirt", "oVirt", "Proxmox VE"):
        recipes.run(rig, virtual_machines.PAGE, title)
    virtual_machines.remove_folder(server)
    virtual_machines.forget(client)
