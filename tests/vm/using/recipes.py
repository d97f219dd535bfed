# SPDX-License-Identifier: GPL-2.0-or-later
"""Recipes of the pages in docs/: a scenario runs the text that a reader sees.

A recipe is a section of a page, from its heading to the next one. Its indented blocks have these
lines:

    client# COMMAND         is typed on that host; the lines after a "\\" at its end belong to it
    output                  has to be in the output of the command above it; "..." is any text
    causeway: output        the same, and the command has to fail
    (what happens)          the scenario does it: events[what happens]

A line of a here-document is no output.
"""

import re
import time
from dataclasses import dataclass, field

from .documents import TOP
from .recording import at_terminal
from machine.topology import Disk, HostSpec, Topology

PACKAGES = ("lvm2", "mdadm", "cryptsetup-bin", "fdisk", "nvme-cli", "open-iscsi")
# The whole /etc is kept, because fstab, crypttab and mdadm.conf are in it.
TOPOLOGY = Topology(hosts=(HostSpec("server", disks=(Disk("store", "512M"),)),
                           HostSpec("client", init="systemd", keep=("/etc", "/var/lib/causeway")),
                           HostSpec("server2", disks=(Disk("store", "128M"),))), packages=PACKAGES)

PROMPT = re.compile(r"^([a-z]+\d?)# (.+)$")
HERE = re.compile(r"<< ?'?(\w+)'?")
REFUSED = "causeway: "
# Commands that change nothing. They are typed again until their output is what the page shows.
QUERIES = ("blkid", "cat", "causeway list", "causeway export list", "causeway net", "causeway path list", "findmnt", "grep", "lsblk", "mdadm --detail",
           "virsh domblkinfo", "virsh domblklist", "virsh vol-list")
# A server may end a session a moment after its client has detached.
AGAIN = ("causeway export remove",)
TRY_AGAIN = 75
# Its exit code says how bad its worst finding is.
REPORT = "causeway doctor"
# These compile modules, which takes long on an emulated machine.
SLOW = "apt-get"
# A terminal gets colours too, and lines that are written again.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\n]*\r(?=[^\n])|\r")


@dataclass
class Step:
    host: str = ""              # empty: an event
    command: str = ""           # or what happens
    output: list = field(default_factory=list)

    @property
    def refused(self):
        return any(line.startswith(REFUSED) for line in self.output)


def blocks(text, title):
    """Yield the lines of the indented blocks of the section with this heading, without fenced
    blocks."""
    inside, found, fenced = False, False, False
    for line in text.splitlines():
        fenced = fenced != line.startswith("```")
        if re.match(r"#+ ", line):
            inside = line.lstrip("#").strip() == title
            found = found or inside
        elif inside and not fenced and line.startswith("    "):
            yield line[4:]
    if not found:
        raise KeyError(f"no section is called '{title}'")


def steps(text, title):
    """Return the steps of a recipe."""
    made, ends = [], ""
    for line in blocks(text, title):
        last = made[-1] if made else None
        prompt = PROMPT.match(line)
        if ends:
            last.command += "\n" + line
            ends = "" if line == ends else ends
        elif last and last.command.endswith("\\"):
            last.command = f"{last.command[:-1].rstrip()} {line.strip()}"
        elif prompt:
            made.append(Step(*prompt.groups()))
            document = HERE.search(prompt.group(2))
            ends = document.group(1) if document else ""
        elif line.startswith("(") and line.endswith(")"):
            made.append(Step(command=line[1:-1]))
        elif last and last.host:
            last.output.append(line.strip())
        else:
            raise ValueError(f"'{line}' follows no command in '{title}'")
    if not made:
        raise ValueError(f"'{title}' has no commands")
    return made


def missing(expected, output):
    """Return the first of the expected lines that the output does not have in this order, or None.
    The number of blanks between words does not count."""
    lines = iter(" ".join(line.split()) for line in output.splitlines())
    for each in expected:
        wanted = re.compile(".*".join(map(re.escape, " ".join(each.split()).split("..."))))
        if not any(wanted.fullmatch(line) for line in lines):
            return each
    return None


def run(rig, page, title, disk="", record=None, terminal=(), **events):
    """Run the recipe of a page in docs/. events: what a line in brackets means, with "_" for a
    blank. disk: the name that /dev/sdb of the page has here. record: a Recording. terminal: the
    output of commands that begin with one of these words is a terminal."""
    text = (TOP / "docs" / page).read_text(encoding="utf-8")
    if record:
        record.section(title)
    for step in steps(text.replace("/dev/sdb", disk) if disk else text, title):
        if not step.host:
            events[re.sub(r"\W", "_", step.command)]()
            continue
        host = getattr(rig, step.host)
        began = record.now(host) if record else 0
        if step.command == "reboot":
            host.reboot()
            output = ""
        else:
            output = type_in(host, step, step.command.startswith(terminal))
        if record:
            record.add(host, step.command, began, record.now(host), output)


def type_in(host, step, terminal=False):
    """Run a command and judge its end and its output; return the output."""
    deadline = time.monotonic() + 180 * host.agent.scale
    while True:
        result = host.run(at_terminal(step.command) if terminal else step.command,
                          timeout=1800 if step.command.startswith(SLOW) else 240, check=False)
        output = CONTROL.sub("", result.out) if terminal else result.out
        lacks = missing(step.output, output)
        if lacks is None and (step.command == REPORT or (result.rc != 0) == step.refused):
            return output
        again = step.command.startswith(QUERIES) or (step.command.startswith(AGAIN) and result.rc == TRY_AGAIN)
        if not again or time.monotonic() > deadline:
            raise AssertionError(f"{host.name}: {step.command}\nended with {result.rc} and printed:\n{output}\n"
                                 f"the page shows: {lacks}")
        host.run("read -rt 0.3 <> <(:) || :")


def make_volume_group(*servers):
    """Make the volume group vg0 on the servers, which their recipes start from."""
    for server in servers:
        server.run(f"vgs vg0 2>/dev/null || vgcreate -q vg0 {server.disk('store')}", timeout=120)


def prepare(client):
    """Enable what Debian enables when the packages are installed."""
    client.run("systemctl enable remote-fs.target remote-cryptsetup.target && systemctl enable --now causeway", timeout=120)


def fill(host, *folders):
    """Write a file to each folder; return a function that checks all of them."""
    files = " ".join(f"{folder}/recipe" for folder in folders)
    host.run(f"for file in {files}; do dd if=/dev/urandom of=$file bs=1M count=4 conv=fsync status=none; done", timeout=120)
    content = host.run(f"cat {files} | sha256sum").out

    def check():
        host.run("echo 3 >/proc/sys/vm/drop_caches")
        assert host.run(f"cat {files} | sha256sum", timeout=120).out == content

    return check
