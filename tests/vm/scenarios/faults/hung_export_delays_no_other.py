# SPDX-License-Identifier: GPL-2.0-or-later
"""128 clients wait for a disk that does not answer; each has an ended session and a waiting login.
Logins to another export, ends of its sessions and the detection of its silent clients take as long
as before. The server keeps a waiting login only while its client is alive."""
import re

from machine.needs import module

TIER = "long"
REQUIRES = (module("brd"),)
CLIENTS = 128
LOGINS = 20
DEAD_MS = 5000          # the server's dead_ms; the server checks four times in that time
WAITING_MS = 10000      # silence that ends a waiting login; the server checks each second
DELAY_MS = 100
# Both hosts together wait for a processor at least that long in one login when the rig stalls. On a
# machine with six jobs for each processor they waited 100 ms, and 236 to 361 ms in logins that took
# more than 115 ms.
STALL_MS = 200
ROUNDS = 5


def logins(server, client):
    """Return the milliseconds of each login by the client's clock, sorted, without the time in
    which the hosts waited for a processor. Each login has to wait until the previous one of the
    same session has ended. A round in which the rig stalled is repeated; if all rounds stalled, the
    one with the shortest stall counts."""
    rounds = []
    while not rounds or (min(rounds)[0] >= STALL_MS and len(rounds) < ROUNDS):
        job = client.start(f"causeway-peer 10.0.0.1 other logins {LOGINS}")
        job.wait_for(r"^first: \d+ ms$")
        times, stalls, before = [], [], server.starved() + client.starved()
        for _ in range(LOGINS):
            times.append(int(job.wait_for(r"^(\d+) ms$").group(1)))
            now = server.starved() + client.starved()
            stalls.append(round(1000 * (now - before)))
            before = now
        job.wait()
        print(f"logins: {times} ms, of which the hosts waited for a processor {stalls} ms")
        rounds.append((max(stalls), sorted(max(0, ms - stall) for ms, stall in zip(times, stalls))))
    print(f"logins: {len(rounds) - 1} rounds were repeated")
    return min(rounds)[1]


def judge_silence(server, client, export, case, least, most):
    """Check that the server closes the connection of a silent client after the time for silence,
    and soon after it."""
    stall = server.starved() + client.starved()
    said = client.run(f"causeway-peer 10.0.0.1 {export} {case} 1", timeout=90).out
    stall = round(1000 * (server.starved() + client.starved() - stall))
    print(f"{said.strip()}; the hosts waited for a processor for {stall} ms")
    ms = int(re.fullmatch(rf"{case}: closed after (\d+) ms\n", said).group(1))
    assert least - 100 <= ms <= most + 500 + stall, (said, stall)


def scenario(rig):
    server, client = rig.server, rig.client
    # The crowd sends the next login before the server has read the PROOF of the previous one.
    server.run("modprobe causeway max_sessions_host=1000 max_links_host=1000 max_strangers_host=200 max_strangers=200")
    server.run("modprobe dm_mod; modprobe brd rd_nr=1 rd_size=16384 && dmsetup create hung --table '0 32768 linear /dev/ram0 0' && "
               "causeway export add hung --device /dev/mapper/hung --allow any && causeway export add other --ram 16M --exclusive --allow any")
    before = logins(server, client)
    server.run("dmsetup suspend hung")
    crowd = client.start(f"causeway-peer 10.0.0.1 hung hung {CLIENTS}", has_input=True)
    crowd.wait_for(f"{CLIENTS} logins wait", timeout=240)
    during = logins(server, client)
    judge_silence(server, client, "other", "silent", DEAD_MS, DEAD_MS * 5 / 4)
    # A client whose login waits for the disk would send a probe each 2 s; this one sends none.
    judge_silence(server, client, "hung", "vanish", WAITING_MS, WAITING_MS + 1000)
    # The sorted times are compared one by one, up to the slowest.
    late = [ms - earlier for earlier, ms in zip(before, during)]
    print("delays of the ranks:", late)
    assert max(late) < DELAY_MS, (before, during)

    # The disk answers: everything that waited goes on.
    server.run("dmsetup resume hung")
    server.wait_for("! causeway --json net | grep -q closing", timeout=60)
    crowd.end_input()
    assert f"hung: {CLIENTS} were welcomed" in crowd.wait(timeout=60).out, crowd.out
    server.wait_for("! causeway --json net | grep -q closing", timeout=60)
    client.run("causeway-peer 10.0.0.1 hung honest")
    server.run("causeway export remove hung --force && dmsetup remove hung && modprobe -r brd && causeway export remove other --force")
