# SPDX-License-Identifier: GPL-2.0-or-later
"""While I/O waits, a login begins at least every three seconds. This also holds with --fast-fail
off, and for I/O that comes during a longer pause. Without I/O the pauses grow. No more than ten
logins begin in a second."""
import datetime
import json

from machine.topology import Disk, pair

NAMES = ("waits", "later", "quick")
TOPOLOGY = pair(server={"disks": tuple(Disk(name, "16M") for name in NAMES)})
TIER = "long"
LEAVES = ("export",)
PARAMETERS = "/sys/module/causeway/parameters"
# The pause after the fourth failed attempt is 4 s or more if no I/O waits.
LONGEST = 3.6
READ = "dd if=/dev/causeway/10.0.0.1/{} of=/dev/null bs=4k count=1 iflag=direct"


def times_of(events, name):
    """Return the times at which attempts to connect this disk failed, in seconds."""
    told = [json.loads(line) for line in events.out.splitlines() if line.startswith("{")]
    return [datetime.datetime.fromisoformat(one["time"].rstrip("Z")).timestamp() for one in told
            if one["event"] == "attempt-failed" and one.get("name") == name]


def gaps(times):
    return [round(after - before, 3) for before, after in zip(times, times[1:])]


def scenario(rig):
    server, client = rig.server, rig.client
    for name in NAMES:
        server.run(f"causeway export add {name} --device {server.disk(name)} --allow any")
    client.run("causeway attach 10.0.0.1/waits --fast-fail off && causeway attach 10.0.0.1/later")
    events = client.start("causeway --json watch")
    events.wait_for("watching")
    failed = r'"attempt-failed",.*"name":"{}"'
    starved = client.starved() + server.starved()
    server.run("causeway stop --force")
    client.wait_for("! causeway list | grep -q live", timeout=30)
    waits = client.start(READ.format("waits"))
    # The pause after the fourth failed attempt is 4 to 8 s.
    for _ in range(4):
        events.wait_for(failed.format("later"), timeout=40)
    later = client.start(READ.format("later"))
    for _ in range(2):
        events.wait_for(failed.format("later"), timeout=40)
    starved = client.starved() + server.starved() - starved
    told = times_of(events, "waits"), times_of(events, "later")
    assert max(gaps(told[0])) < LONGEST + starved, told
    assert max(gaps(told[1][3:])) < LONGEST + starved, told
    # Without a pause, at most ten logins begin in a second.
    client.run(f"echo 0 >{PARAMETERS}/retry_base_ms")
    client.run("causeway attach 10.0.0.1/quick --background")
    for _ in range(30):
        events.wait_for(failed.format("quick"), timeout=40)
    told = times_of(events, "quick")
    assert told[10] - told[0] >= 0.9 and told[20] - told[10] >= 0.9, told
    server.run("causeway restore")
    for job in (waits, later):
        job.wait(timeout=60)
    client.run(f"echo 500 >{PARAMETERS}/retry_base_ms; causeway detach --all")
