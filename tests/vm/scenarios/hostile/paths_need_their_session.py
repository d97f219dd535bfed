# SPDX-License-Identifier: GPL-2.0-or-later
"""A path joins a session only with the secret of its login, and only after a FENCE that a live path
has sent. FENCE, PATH_BYE and GOODBYE end the paths that they name and no other. Other clients go
on, and nothing is left behind."""
from machine.needs import module
from machine.topology import pair
from using import causeway
from using.resources import RESOURCES

TOPOLOGY = pair(leaks=True)
TIER = "long"
LONG_KERNELS = ("kasan", "lockdep")
REQUIRES = (module("brd"),)
LEAVES = ("attachment", "export")

COUNT = "/sys/module/causeway/parameters/malformed"
LIMIT = "/sys/module/causeway/parameters/max_sessions"
HOST_LIMIT = "/sys/module/causeway/parameters/max_sessions_host"
NOT_LIVE = "refused: not-live: the session is not live at this server"
UNANNOUNCED = "refused: stale: no fence announced this connection of the path in time"

ANSWERED = {
    "path-joins": "served",
    "path-joins-before-its-fence": "joined",
    "path-outlives-its-login": "served, served",
    "path-says-goodbye": NOT_LIVE,
    "path-bye": "closed, served",
    "path-bye-last": "closed",
    "fences-of-an-idle-path": "fenced",
    "join-wrong-mac": NOT_LIVE,
    "join-changed": NOT_LIVE,
    "join-other-host": NOT_LIVE,
    "join-other-boot": NOT_LIVE,
    "join-other-session": NOT_LIVE,
    "join-other-secret": NOT_LIVE,
    "join-replayed": NOT_LIVE,
    "join-during-login": NOT_LIVE,
    "join-login-without-paths": NOT_LIVE,
    "join-no-features": "refused: feature: the path has to offer the features that the session has: 0x8",
    "join-behind-a-silent-fence": UNANNOUNCED,
    "join-announced-for-another": UNANNOUNCED,
    "join-twice-on-a-floor": UNANNOUNCED,
    "join-below-the-floor": "refused: stale: a later connection or fence of this path exists",
}
MALFORMED = "path-bye-of-another fence-of-its-own-path fence-before-joined join-again join-path-8 join-no-tag " \
            "fence-without-paths path-bye-without-paths".split()


def peer(client, export, expected):
    """Run cases and compare their results."""
    out = client.run(f"causeway-peer 10.0.0.1 {export} {' '.join(expected)}", timeout=180, check=False)
    got = dict(line.split(": ", 1) for line in out.lines if ": " in line)
    wrong = {case: got.get(case) for case, result in expected.items() if got.get(case) != result}
    assert not wrong and out.rc == 0, (wrong, out.out)


def malformed(server):
    return int(server.read(COUNT))


def judge_what_a_fence_waits_for(server, client):
    """FENCED waits for the commands of the path, and WAITING counts them."""
    server.run("dmsetup create slow --table '0 32768 linear /dev/ram0 0' && "
               "causeway export add slow --device /dev/mapper/slow --allow any && dmsetup suspend slow")
    case = client.start("causeway-peer 10.0.0.1 slow fence-behind-commands")
    case.wait_for("waits for 1 of path 1", timeout=30)
    server.run("dmsetup resume slow")
    assert case.wait(timeout=30).out.endswith("fence-behind-commands: fenced\n"), case.out
    server.run("causeway export remove slow && dmsetup remove slow")


def judge_the_end_of_a_session(server, client, export, end):
    """The end of a session ends all its paths. The server reports one login and one logout for them."""
    server.run(f"causeway export add {export} --ram 1M --allow any")
    events = causeway.watch(server)
    case = client.start(f"causeway-peer 10.0.0.1 {export} paths-end-together")
    case.wait_for("live", timeout=30)
    end()
    assert case.wait(timeout=60).out.endswith(f"paths-end-together: {NOT_LIVE}\n"), case.out
    events.wait_for("logout")
    events.kill()
    kinds = [word for line in events.out.splitlines() for word in line.split() if word in ("login", "logout")]
    assert kinds == ["login", "logout"], events.out


def remove(server, export):
    server.run(f"causeway export remove --force {export}")


def evict(server, export):
    owners, = (each["owners"] for each in causeway.exports(server) if each["name"] == export)
    owner, = owners
    server.run(f"causeway export evict {export} --host {owner['host']}")


def judge_a_notice_that_was_missed(server, client):
    """A path that joins after a change of the size gets the NOTICE that the other path got."""
    server.run("dmsetup create size --table '0 16384 linear /dev/ram0 0' && "
               "causeway export add size --device /dev/mapper/size --allow any")
    case = client.start("causeway-peer 10.0.0.1 size path-missed-notice")
    case.wait_for("live")
    server.run("dmsetup reload size --table '0 32768 linear /dev/ram0 0' && dmsetup resume size")
    assert case.wait(timeout=30).out.endswith("path-missed-notice: noticed\n"), case.out
    server.run("causeway export remove size && dmsetup remove size")


def scenario(rig):
    server, client = rig.server, rig.client
    server.run("modprobe dm_mod; modprobe brd rd_nr=1 rd_size=16384; causeway export add m --ram 32M --allow any && causeway export add p --ram 32M --allow any && "
               "causeway export add r --ram 1M --read-only --allow any")
    client.run("causeway attach 10.0.0.1/m")
    resources = server.run(RESOURCES).out.strip()

    before = malformed(server)
    peer(client, "p", ANSWERED)
    peer(client, "r", {case: ANSWERED[case] for case in ("path-joins", "path-outlives-its-login", "join-wrong-mac")})
    assert malformed(server) == before, (before, malformed(server))
    peer(client, "p", {case: "closed" for case in MALFORMED})
    server.wait_for(f"[ $(cat {COUNT}) = {before + len(MALFORMED)} ]")

    # The server may be quick enough for all messages. If not, it has too many messages to read, or
    # too many answers to send.
    said = client.run("causeway-peer 10.0.0.1 p fence-flood").out.strip()
    assert said in ("fence-flood: answered", "fence-flood: closed"), said

    # The attachment is the second session.
    server.run(f"echo 2 >{LIMIT}")
    peer(client, "p", {"path-counts-without-its-login": "refused: limit: the server has 2 sessions, its limit"})
    server.run(f"echo 256 >{LIMIT}; echo 2 >{HOST_LIMIT}")
    peer(client, "p", {"path-joins": "refused: limit: 10.0.0.2 has 2 sessions or paths, its limit"})
    server.run(f"echo 64 >{HOST_LIMIT}")

    judge_what_a_fence_waits_for(server, client)
    judge_a_notice_that_was_missed(server, client)
    judge_the_end_of_a_session(server, client, "gone", lambda: remove(server, "gone"))
    judge_the_end_of_a_session(server, client, "taken", lambda: evict(server, "taken"))
    remove(server, "taken")
    session, = causeway.connections(client)
    assert session["state"] == "live" and session["reconnects"] == 0, session
    server.wait_for(f"[ \"$({RESOURCES})\" = '{resources}' ]", timeout=30)
    server.run("causeway export remove p && causeway export remove r && modprobe -r brd")
