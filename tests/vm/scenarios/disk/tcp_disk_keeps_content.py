# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk is found and attached over TCP between machines without an RDMA device, verified by fio with several block sizes and
depths, and detached. A disk that is not exported with --tcp cannot be attached over TCP. The TCP port is open while there is an
export with --tcp. If another program has the port, such an export is refused, and leaves nothing behind. A disk that was taken
away by force comes back over TCP when it is exported again."""
from machine.needs import module
from machine.topology import pair
from using import causeway, tcp

TIER = "check"
TOPOLOGY = pair(rdma="none")
REQUIRES = (module("brd"),)
SIZES = (("512", 1, "64k"), ("4k", 1, "256k"), ("4k", 64, "4M"), ("8k", 64, "4M"), ("16k", 32, "4M"), ("20k", 4, "4M"),
         ("128k", 4, "8M"), ("1M", 8, "32M"))
FILES = "find /etc/causeway /var/lib/causeway -type f -printf '%p %s\\n' | sort"
UUID = "5b0c6d2e-7f0a-4f43-9a55-7f3a4e4c7c11"
BY_DEVICE = f"causeway export add d --device /dev/ram0 --uuid {UUID} --allow any --tcp"
# Listens by IPv6 alone, after the server could already listen by IPv4.
BY_IPV6 = ("perl -MSocket=:all -e 'socket S, AF_INET6, SOCK_STREAM, 0 or die; setsockopt S, IPPROTO_IPV6, IPV6_V6ONLY, 1 or die; "
           f"bind S, pack_sockaddr_in6({tcp.PORT}, IN6ADDR_ANY) or die $!; listen S, 1 or die; $| = 1; print \"listening\\n\"; sleep'")


def refused_if_the_port_is_in_use(server):
    files = server.run(FILES).out
    for program in "causeway-peer tcp-host", BY_IPV6:
        holder = server.start(program)
        holder.wait_for("listening")
        server.fails(BY_DEVICE, f"cannot export 'd': TCP port {tcp.PORT} is in use by another program")
        holder.kill()
        holder.wait(check=False)
        server.run(tcp.CLOSED)
    assert [each["name"] for each in causeway.exports(server)] == ["rdma-only"]
    assert server.run(FILES).out == files, (files, server.run(FILES).out)
    server.run("modprobe -r brd && modprobe brd rd_nr=1 rd_size=4096")     # nothing has the device open


def comes_back_after_removal_by_force(server, client):
    """The port closes while the links of the disk end, and opens again at once."""
    server.run(BY_DEVICE)
    events = causeway.watch(client)
    disk = tcp.attach_alone(client, "d")
    client.run(f"head -c 1M /dev/urandom >/tmp/content && dd if=/tmp/content of={disk} bs=64k oflag=direct status=none")
    server.run(f"causeway export remove d --force && {tcp.CLOSED} && {BY_DEVICE} && {tcp.OPEN}")
    events.wait_for(r"(?s) down 10\.0\.0\.1/d.* up 10\.0\.0\.1/d", timeout=60)
    client.run(f"dd if={disk} bs=64k count=16 iflag=direct status=none | cmp - /tmp/content")
    client.run("causeway detach 10.0.0.1/d")
    server.run(f"causeway export remove d && {tcp.CLOSED} && modprobe -r brd")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run(f"modprobe brd rd_nr=1 rd_size=4096 && causeway export add rdma-only --ram 16M --allow any && {tcp.CLOSED}")
    refused_if_the_port_is_in_use(server)
    server.run("causeway export add m --ram 64M --allow any --tcp --address 10.0.0.1")
    server.run(f"causeway export add other --ram 4M --allow any --tcp && causeway export remove other && {tcp.OPEN}")
    found = causeway.answer(client, "discover 10.0.0.1 --transport tcp")["exports"]
    addresses = {each["name"]: [(at["transport"], at["address"], at["port"]) for at in each["addresses"]] for each in found}
    assert addresses["m"] == [("tcp", "10.0.0.1", 4794)], found
    client.fails("causeway attach 10.0.0.1/rdma-only --transport tcp", "is not served over TCP")
    client.fails("causeway attach 10.0.0.1/m", "without RDMA: --transport tcp")

    client.run("causeway attach 10.0.0.1/m --path auto --transport tcp", timeout=60)
    shown = causeway.answer(client, "path list 10.0.0.1/m")["paths"]
    assert [(path["transport"], path["peer"], path["state"]) for path in shown] == [("tcp", "10.0.0.1:4794", "live")], shown
    for bs, depth, size in SIZES:
        client.run(f"fio --name=w{bs} --filename=/dev/causeway/10.0.0.1/m --direct=1 --ioengine=libaio --rw=randwrite --bs={bs} "
                   f"--iodepth={depth} --size={size} --verify=crc32c --verify_fatal=1 --minimal >/dev/null", timeout=120)
    client.run("causeway detach 10.0.0.1/m")
    server.run(f"causeway export remove m && {tcp.CLOSED}")
    comes_back_after_removal_by_force(server, client)
    server.run("causeway export remove rdma-only")
