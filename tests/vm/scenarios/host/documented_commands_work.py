# SPDX-License-Identifier: GPL-2.0-or-later
"""The command lines of README, the pages and the manual succeed as they are written, on the side
that their prompt names."""
from using import documents, nfs
from machine.topology import Disk, pair

# A kept folder is on a file system that NFS can serve.
TOPOLOGY = pair(server={"init": "systemd", "keep": ("/srv",), "disks": (Disk("scratch", "64M"),)}, client={"init": "systemd"},
                packages=nfs.PACKAGES)
TIER = "long"
LEAVES = ("attachment", "export", "mount", "file")

# DOCTOR.md lists fixes that have placeholders: user/tests/documents_test.cpp checks them against
# the tables of verbs.
PLACEHOLDERS = "DOCTOR.md"
# These need more than the two machines have, or do not end by themselves.
NOT_HERE = {
    "causeway bench --serve": "it serves until it is interrupted",
    "causeway bench server --report link.html": "bench_measures_the_link",
    "causeway bench 10.0.0.1 --tests tcp --report datagram.html": "bench_measures_the_link",
    "causeway bench 10.0.0.1 --tests tcp --report connected.html": "bench_measures_the_link",
    "causeway bench --disk server/scratch": "bench_measures_the_link",
    "causeway bench --disk scratch": "bench_measures_the_link",
    "causeway run --preload iperf3 -s": "it serves until it is interrupted",
    "causeway run --preload iperf3 -c server": "its server was not started",
    "causeway attach server/scratch --via nvme": "export_and_attach[nvme]",
    "causeway export add scratch --device /dev/vg0/scratch --via nvme --allow any": "export_and_attach[nvme]",
    "causeway export add scratch --device /dev/vg0/scratch --allow 10.0.0.0/24 --forget-owners":
        "it is for an export that does not run",
    "causeway attach server/scratch --path 10.0.0.1,10.1.0.1": "these machines have one network",
    "causeway path add server/scratch --path 10.2.0.1": "paths_change_at_run_time",
    "causeway path remove server/scratch 10.0.0.1": "paths_change_at_run_time",
    "causeway nfs mount 10.0.0.1:/srv/store/home /mnt/home": "the demonstration made that folder",
    "causeway path list 10.0.0.1/fast": "the demonstration attached that disk",
    "causeway watch": "it shows events until it is interrupted",
    "causeway ipoib set ib0 --mode connected": "ipoib_commands",
    "causeway ipoib set ib0 --mode connected --mtu 65520": "ipoib_commands",
    "causeway confirm": "ipoib_commands",
    "causeway undo": "undo_restores_exactly; the page's first command changes nothing here, as the device is the rig's",
    "causeway roce tos mlx5_0 104": "it needs an adapter with priorities",
    "causeway pfc set 3 --dscp 26=3": "it needs an adapter with priorities",
    "causeway roce ecn eth1 3": "it needs an adapter with priorities",
    "causeway sm enable": "these machines have no InfiniBand",
    "causeway sm set mlx4_0/1 --subnet-prefix fec0:0:0:1 --priority 10": "these machines have no InfiniBand",
    "causeway sm set mlx4_0/2 --subnet-prefix fec0:0:0:2 --priority 2": "these machines have no InfiniBand",
    "causeway sm partition add 0x8001 --port mlx4_0/2": "these machines have no InfiniBand",
    "causeway server set --port 5000 --max-sessions 500": "settings_change_while_in_use",
    "causeway server unset port": "settings_change_while_in_use",
    "causeway attach server:5000/scratch": "settings_change_while_in_use",
    "causeway limits set --service slurmd 64G": "this machine has no slurmd",
    "causeway nfs transport in-tree": "transport_change_names_mounts",
    "causeway acknowledge SERVER/NAME": "its operand is a placeholder",
    "causeway export evict scratch --host 5cbe11f0-...": "its operand is cut short",
    "causeway export readmit scratch --host 5cbe11f0-...": "its operand is cut short",
}


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"mkdir -p /srv/home /dev/vg0 && for name in vg0/scratch sdb; do ln -s {server.disk('scratch')} /dev/$name; done")
    client.run("mkdir -p /mnt/home /var/lib/prometheus/node-exporter && cd /tmp")
    typed, used = 0, set()
    for page in documents.pages():
        if page.name == PLACEHOLDERS:
            continue
        for prompt, command in documents.typed_lines(page):
            if command in NOT_HERE:
                used.add(command)
                continue
            (server if prompt == "server" else client).run(f"cd /tmp && {command}", timeout=180)
            typed += 1
        client.run("causeway nfs umount /mnt; causeway detach --all", timeout=120)
        server.run("causeway nfs unserve /srv/home; for name in scratch db small; do causeway export remove $name || exit; done",
                   timeout=120)
    assert typed > 30, typed
    assert used == set(NOT_HERE), f"no page has: {set(NOT_HERE) - used}"
    server.run("systemctl stop nfs-server", timeout=120)
    client.run("rm -r /var/lib/prometheus")
    # The devices are the rig's. --soft has made units for them, which would make the devices again
    # at the next boot.
    for host in (server, client):
        host.run("causeway nfs transport in-tree && cd /etc/systemd/system && "
                 "rm -f causeway-soft@eth0.service multi-user.target.wants/causeway-soft@eth0.service")
