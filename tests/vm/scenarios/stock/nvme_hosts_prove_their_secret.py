# SPDX-License-Identifier: GPL-2.0-or-later
"""By NVMe, a host needs the secret that the export has for its NQN, and the server proves another
one (DH-HMAC-CHAP). "export set" gives the host a new secret while it is attached. No secret is in a
file of Causeway or readable for other users. Where the kernel has no DH-HMAC-CHAP, as that of
Debian 12, the verbs say so and change nothing."""
from machine.cases import case, for_each
from using import causeway, stock

TOPOLOGY = stock.TOPOLOGY
TIER = "long"

KEYS = ("key", "mutual", "new", "wrong")
OPEN_SECRETS = "/sys/kernel/config/nvmet/hosts/*/dhchap_*key /sys/class/nvme/nvme*/dhchap_*secret"


def chap(key="key", mutual="mutual"):
    return f"--chap-key-file /tmp/{key}" + (f" --chap-mutual-key-file /tmp/{mutual}" if mutual else "")


def make_keys(rig):
    """Make the secrets with nvme-cli, and give both hosts the same."""
    secrets = []
    for number, name in enumerate(KEYS):
        secret = rig.server.run(f"nvme gen-dhchap-key --hmac={number % 2}").out.strip()
        assert secret.startswith("DHHC-1:"), secret
        secrets.append(secret)
        for host in (rig.server, rig.client):
            host.run(f"umask 077; echo {secret} >/tmp/{name}")
    stock.name_nvme_host(rig.client)
    return secrets


def hide(host, secrets):
    """Check that no file of Causeway has a secret, and that only root may read those of the kernel."""
    for secret in secrets:
        host.fails(f"grep -rqF {secret} /etc/causeway /run/causeway /var/lib/causeway")
    assert set(host.run(f"shopt -s nullglob; stat -c %a {OPEN_SECRETS}").out.split()) == {"600"}


def attach(secrets, via="nvme-tcp"):
    return f"causeway attach server/a --via {via} {secrets}"


def accepts(client, secrets):
    """Check that the client can attach the disk with these secrets. Detach it again."""
    client.run(attach(secrets), timeout=180)
    client.run("causeway detach server/a", timeout=120)


def refuses(client, secrets, why="different secrets", via="nvme-tcp"):
    """Check that the client cannot attach the disk with these secrets, and keeps no controller."""
    refusal = client.fails(attach(secrets, via), why, timeout=180)
    assert not stock.listed(client) and not client.run("ls /sys/class/nvme").out.split()
    return refusal


def remove(server):
    server.wait_for("causeway export remove a", timeout=60)
    assert not server.run(stock.CONFIGURED).out.split()


def proves(rig):
    server, client = rig.server, rig.client
    store = server.disk("store")
    secrets = make_keys(rig)
    add = f"causeway export add a --device {store} --via nvme-tcp --initiator {stock.NVME_HOST}"
    server.fails(f"causeway export add a --device {store} --via nvme-tcp --allow any {chap()}", "none is named")
    server.run(f"{add} {chap()}", timeout=120)

    refuses(client, "", "cannot attach server/a by NVMe/TCP")
    for wrong in (chap(key="wrong"), chap(mutual="wrong")):
        assert refuses(client, wrong).rc == 77
    device = client.run(attach(chap()), timeout=180).out.splitlines()[-1]
    stock.io(client, server, device, store)
    for host in (server, client):
        hide(host, secrets)

    server.run(f"causeway export set a {chap(key='new')}", timeout=60)
    stock.io(client, server, device, store)
    hide(server, secrets)
    client.run("causeway detach server/a", timeout=120)
    refuses(client, chap())
    accepts(client, chap(key="new"))
    server.run("causeway undo --last", timeout=60)
    accepts(client, chap())

    # The secrets come from their files again when the export starts.
    server.wait_for("causeway stop", timeout=60)
    assert not server.run(stock.CONFIGURED).out.split()
    server.run("causeway restore", timeout=120)
    refuses(client, chap(key="new"))
    accepts(client, chap())
    remove(server)

    # A server that proves nothing is not accepted where it has to. nvmet ends the login of a host
    # that asks for a proof which it does not have, and accepts the host if it needs no secret itself.
    server.run(f"{add} {chap(mutual='')}", timeout=120)
    refuses(client, chap(), "different secrets|the server did not prove")
    remove(server)
    server.run(add, timeout=120)
    refuses(client, chap(), "the server did not prove")
    client.run(attach(chap(mutual="")), timeout=180)
    assert causeway.answer(client, "list")["stock"][0]["chap"] == "one-way"
    client.run("causeway detach server/a", timeout=120)
    remove(server)

    # Over RDMA too.
    server.run(f"{add} {chap()}".replace("nvme-tcp", "nvme"), timeout=120)
    refuses(client, chap(key="wrong"), via="nvme")
    device = client.run(attach(chap(), via="nvme"), timeout=180).out.splitlines()[-1]
    stock.io(client, server, device, store)
    client.run("causeway detach server/a", timeout=120)
    remove(server)


def is_refused(rig):
    """Check a kernel without DH-HMAC-CHAP."""
    server, client = rig.server, rig.client
    make_keys(rig)
    before = "lsmod | sort; find /sys/kernel/config /etc/causeway /run/causeway /var/lib/causeway -not -path '*/lock*' 2>/dev/null | sort"
    there = {host: host.run(before).out for host in (server, client)}
    add = f"causeway export add a --device {server.disk('store')} --via nvme-tcp --initiator {stock.NVME_HOST} {chap()}"
    for more in ("", " --dry-run"):
        refusal = server.fails(add + more, "the kernel of this machine has no DH-HMAC-CHAP for NVMe")
        assert refusal.rc == 69 and "CONFIG_NVME_TARGET_AUTH" in refusal.out, refusal
    refusal = client.fails(attach(chap()), "the kernel of this machine has no DH-HMAC-CHAP for NVMe")
    assert refusal.rc == 69 and "CONFIG_NVME_AUTH" in refusal.out, refusal
    for host in (server, client):
        assert host.run(before).out == there[host], host.run(before).out


@for_each([case("kernel_has_it", proves, KERNELS=("kasan",), REQUIRES=stock.REQUIRES["nvme_tcp"] + stock.REQUIRES["nvme"]),
           case("kernel_lacks_it", is_refused, KERNELS=("stock",), REQUIRES=stock.REQUIRES["nvme_tcp"])])
def scenario(rig, _, judge):
    judge(rig)
