# SPDX-License-Identifier: GPL-2.0-or-later
"""The recipes for a disk that moves from iSCSI or NVMe over Fabrics to Causeway work as RECIPES.md
has them, and the file system keeps its content."""
from machine.cases import case, for_each
from using import recipes, stock

TOPOLOGY = recipes.TOPOLOGY
TIER = "long"
LEAVES = ("attachment", "export", "file")

PAGE = "RECIPES.md"


@for_each([case("iscsi", "From iSCSI to Causeway", "/dev/sda", REQUIRES=stock.REQUIRES["iscsi"]),
           case("nvme", "From NVMe over Fabrics to Causeway", "/dev/nvme0n1", REQUIRES=stock.REQUIRES["nvme"])])
def scenario(rig, via, title, device):
    client, checks = rig.client, []
    recipes.make_volume_group(rig.server)
    recipes.prepare(client)
    # All machines of this image would have the same names.
    client.run(f"echo InitiatorName={stock.INITIATOR} >/etc/iscsi/initiatorname.iscsi")
    stock.name_nvme_host(client)

    def used():
        assert client.run("findmnt -n -o SOURCE /mnt/moved").out.strip() == device
        checks.append(recipes.fill(client, "/mnt/moved"))

    def moved():
        source = client.run("findmnt -n -o SOURCE /mnt/moved").out.strip()
        assert source.startswith("/dev/causeway"), source
        checks[0]()

    recipes.run(rig, PAGE, title, programs_use_the_file_system=used, programs_use_it_again=moved)
