# SPDX-License-Identifier: GPL-2.0-or-later
"""The requirements of a scenario, and the reason for which the rig skips it if one is not met.

A topology states the number of hosts and processors and the RDMA device. A Need is something that
only some kernels or images have: a module, which is looked up before a machine boots, or a program
or a file of a host.
"""

from dataclasses import dataclass

from .kit import built_modules
from .kernel import release_of


class Skipped(Exception):
    """A scenario that cannot run here. The text is the reason."""


@dataclass(frozen=True)
class Need:
    reason: str             # printed if the requirement is not met
    module: str = ""
    condition: str = ""     # a bash command that succeeds on a host that meets it


def module(name):
    return Need(f"no module {name}", module=name)


def program(name):
    return Need(f"no program {name}", condition=f"command -v {name} >/dev/null")


def file(path):
    return Need(f"no {path}", condition=f"[ -e {path} ]")


def modules_of(folder):
    """Return the names of all modules of the guests of a kernel's folder, built in or not."""
    tree = folder / "modules/usr/lib/modules" / release_of(folder)
    files = [path.name for path in tree.rglob("*.ko*")] + [path.name for path in built_modules(release_of(folder))]
    files += [line.rsplit("/", 1)[-1] for line in (tree / "modules.builtin").read_text().splitlines()]
    return {name.partition(".ko")[0].replace("-", "_") for name in files}


def needs_of(scenario):
    """Return the needs that a scenario declares, and those of its topology."""
    topology = scenario.topology
    device = {"rxe": ("rdma_rxe",), "siw": ("siw",)}.get(topology.rdma, ())
    return (*(module(name) for name in (*device, *topology.modules)), *scenario.requires)


def without_module(scenario, kernel_name, modules):
    """Return the reason to skip a scenario on a kernel that has these modules, or None."""
    for need in needs_of(scenario):
        if need.module and need.module not in modules:
            return f"{need.reason} for the {kernel_name} kernel"
    return None


def insist(scenario, hosts):
    """Raise Skipped if one of these hosts does not meet a requirement of the scenario."""
    for need in needs_of(scenario):
        for host in hosts:
            if need.condition and host.run(need.condition, check=False).rc:
                raise Skipped(f"{need.reason} on {host.name}")
