# SPDX-License-Identifier: GPL-2.0-or-later
"""A request to attach a disk by wrong paths is refused and changes nothing. A path to an address where no server listens keeps
no other path from joining, however short the pause between its attempts is. A path to another server, and one that is granted less
than the disk was attached with, says so and does not join. A path over TCP joins only a disk that is exported
with --tcp, and the TCP port closes and opens again beside a disk in use. A server names the addresses that it was given, in their
order, and `attach --path auto` takes them."""
from using import causeway, paths, tcp

TIER = "ci"
KERNELS = ("stock",)
TOPOLOGY = paths.topology()
LEAVES = ("export",)
PAUSE = "/sys/module/causeway/parameters/retry_base_ms"
MAX_DEPTH = "/sys/module/causeway/parameters/max_depth"
ONE, OTHER = paths.SERVERS
NO_SERVER = "10.0.0.2"      # the client itself
REFUSED = {
    f"address={ONE} disk-path={OTHER}": "the addresses of a disk with several paths belong into its paths",
    f"disk-path={ONE} disk-path={OTHER} disk-path={ONE}": "paths 0 and 2 have the same addresses",
    f"disk-path=10.0.0.2,{ONE} disk-path=10.0.0.2,{ONE}": "paths 0 and 1 have the same addresses",
    f"disk-path={ONE} disk-path=10.0.0.2,": "path 1 has no address of the server",
    " ".join(f"disk-path=10.0.0.{i}" for i in range(1, 10)): "a disk has 8 paths at most",
    # The command takes these words of the kernel for those of a module that is older than the command.
    f"address={ONE} 4000": "Unknown attribute type",
    f"address={ONE} reconnects=1": "Unsupported attribute",
}
NO_ADDRESS = "does not name one host for all clients"
REFUSED_ADDRESSES = {
    "export-address=": "an address of the export is neither IPv4 nor IPv6",
    f"export-address={ONE}": "an address of the export has a port",
    "export-address=0.0.0.0:0": NO_ADDRESS,
    "export-address=224.0.0.1:0": NO_ADDRESS,
    "export-address=169.254.0.1:0": NO_ADDRESS,
    "export-address=255.255.255.255:0": NO_ADDRESS,
    "export-address=[::]:0": NO_ADDRESS,
    "export-address=[fe80::1]:0": NO_ADDRESS,
    "export-address=[ff02::1]:0": NO_ADDRESS,
    "export-address=[::ffff:10.0.0.1]:0": NO_ADDRESS,
    "export-address=[fd00::1]": "an address of the export has a port",
    "export-address=[fd00::1]:0 export-address=[fd00::1]:0": "the export has the address fd00::1 twice",
    f"export-address={ONE}:0 export-address={OTHER}:0 export-address={ONE}:0": "the export has the address 10.0.0.1 twice",
    " ".join(f"export-address=10.0.0.{i}:0" for i in range(1, 10)): "the export has too many addresses: 8 are the most",
}


def named(server, name):
    """Return the addresses that discover shows for an export."""
    found = {each["name"]: each["addresses"] for each in causeway.answer(server, f"discover {ONE}")["exports"]}
    assert all((each["transport"], each["port"]) == ("rdma", 4793) for each in found[name]), found
    return [each["address"] for each in found[name]]


def addresses_are_named(server, client):
    """The server names the addresses of --address, else those of its file, else all with an RDMA device."""
    for words, why in REFUSED_ADDRESSES.items():
        said = server.run(f"causeway-netlink export-add name=x backend=3 size=4096 {words}", check=False)
        assert said.rc == 1 and why in said.out, (words, said)
    assert [each["name"] for each in causeway.exports(server)] == ["m"]
    # The first address of each interface, then the second ones.
    assert named(client, "m") == [ONE, OTHER, "fd00::1", "fd00:1::1"], named(client, "m")
    server.run(f"causeway export add given --ram 16M --allow any --address {OTHER} {ONE}")
    server.run(f"printf '# the second link first\n{OTHER}\n{ONE}\n' >/etc/causeway/addresses")
    server.run("causeway export add preferred --ram 16M --allow any; rm /etc/causeway/addresses")
    assert named(client, "given") == named(client, "preferred") == [OTHER, ONE]
    # The server does not have the first and the third.
    addresses = ("10.9.9.9", "[fd00:1::1]", "[fd00:9::9]", ONE)
    server.run("causeway-netlink export-add name=away backend=3 size=4096 "
               + " ".join(f"export-address={address}:0" for address in addresses))
    assert named(client, "away") == ["fd00:1::1", ONE]
    server.run("causeway export remove away")
    server.run("causeway export add hidden --ram 4M --allow 10.9.0.0/16")
    client.fails(f"causeway attach {ONE}/hidden --path auto", f"{ONE} offers no disk 'hidden' to this machine")
    assert server.fails("causeway export add x --ram 4M --allow any --address 10.9.9.9",
                        "this machine does not have the address 10.9.9.9").rc == 1


def named_addresses_become_paths(client):
    """The client connects all of them, in the order of the server, and takes no other disk of that name."""
    events = causeway.watch(client)
    answer = causeway.answer(client, f"attach {ONE}/given --path auto")
    assert [each["address"] for each in answer["paths"]] == [OTHER, ONE] and answer["left_out"] == [], answer
    events.wait_for("path 1 is live", timeout=30)
    shown = causeway.answer(client, f"path list {ONE}/given")["paths"]
    assert [each["state"] for each in shown] == ["live", "live"], shown
    assert client.run("grep -rh ^uuid /etc/causeway").out.count("uuid = ") == 1
    client.run(f"causeway detach {ONE}/given")
    said = client.run(f"causeway-netlink attach server={ONE} name=given host=1 address={ONE} identity=1", check=False)
    assert said.rc == 1 and "another disk answers to the name" in said.out, said
    assert causeway.attachments(client) == []


def refused_path(client, words, why):
    """Add a path that cannot join, see why not, and remove it again. The paths before it stay live, and the disk is usable."""
    client.run(f"causeway path add {ONE}/m {words}")
    client.wait_for(f"causeway path list | grep -q 'last failure: .*{why}'", timeout=30)
    *others, refused = causeway.answer(client, f"path list {ONE}/m")["paths"]
    assert all(each["state"] == "live" for each in others) and refused["state"] != "live", (others, refused)
    client.run(f"dd if=/dev/causeway/{ONE}/m of=/dev/null bs=64k count=16 iflag=direct status=none")
    client.run(f"causeway path remove {ONE}/m {len(others)}")


def tcp_is_for_exports_with_tcp(server, client):
    server.run("causeway export add over-tcp --ram 16M --allow any --tcp")
    events, of_server = causeway.watch(client), causeway.watch(server)
    paths.attach(client, "m", events)
    refused_path(client, f"--path {ONE} --transport tcp", "is not served over TCP")
    of_server.wait_for('login-refused m: 10\\.0\\.0\\.2: export "m" is not served over TCP', timeout=30)
    for _ in range(2):
        disk = tcp.attach_alone(client, "over-tcp")
        client.run(f"dd if=/dev/zero of={disk} bs=1M count=4 oflag=direct status=none && causeway detach {ONE}/over-tcp", timeout=60)
        server.run(f"causeway export remove over-tcp && {tcp.CLOSED} && causeway export add over-tcp --ram 16M --allow any --tcp")
    session = causeway.connection(client)
    assert session["reconnects"] == 0 and [each["losses"] for each in session["paths"]] == [0, 0], session
    client.run(f"causeway detach {ONE}/m")
    server.run("causeway export remove over-tcp")


def paths_that_do_not_fit_are_refused(server, client):
    """A path to another server, with a disk of the same name and size, and a path for which the server grants less."""
    client.run("causeway export add m --ram 16M --allow any")
    client.run(f"causeway attach {ONE}/m")
    refused_path(client, f"--path {NO_SERVER}", "the session is not live at this server")
    depth = server.read(MAX_DEPTH)
    server.run(f"echo 8 >{MAX_DEPTH}")
    refused_path(client, f"--path {OTHER}", "this path is granted less than the disk has ([12] queues of 8, were [12] of 128): detach, attach by this path, then add the others")
    server.run(f"echo {depth} >{MAX_DEPTH}")
    session = causeway.connection(client)
    assert session["reconnects"] == 0 and session["paths"][0]["losses"] == 0, session
    client.run(f"causeway detach {ONE}/m && causeway export remove m")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("causeway export add m --ram 16M --allow any")
    client.run("modprobe causeway_disk")
    for words, why in REFUSED.items():
        said = client.run(f"causeway-netlink attach server={ONE} name=m host=1 {words}", check=False)
        assert said.rc == 1 and why in said.out, (words, said)
    assert causeway.attachments(client) == []

    client.run(f"echo 0 >{PAUSE}")
    events = causeway.watch(client)
    paths.attach(client, "m", events, (ONE, NO_SERVER, OTHER))
    shown = client.run("causeway-netlink session-get").out
    assert shown.count("disk-path(") == 3 and shown.count("carries-io") == 2 and shown.count("retry-in") <= 1, shown
    client.run(f"causeway detach {ONE}/m && echo 500 >{PAUSE}")

    paths_that_do_not_fit_are_refused(server, client)
    tcp_is_for_exports_with_tcp(server, client)
    addresses_are_named(server, client)
    named_addresses_become_paths(client)
