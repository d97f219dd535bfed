# SPDX-License-Identifier: GPL-2.0-or-later
"""What a scenario requires, and the reason for which the rig skips it where that is missing.

A topology says how many hosts and processors there are and which RDMA device they have. What only some kernels or images
have is a Need: a module, which is looked for before a machine boots, or a program or a file of a host.
"""

from dataclasses import dataclass

from .kit import built_modules
from .kernel import release_of


class Skipped(Exception):
    """A scenario that cannot run here; the text is the reason."""


@dataclass(frozen=True)
class Need:
    reason: str             # that is printed where it is missing
    module: str = ""
    condition: str = ""     # a command of bash that succeeds on a host which has it


def module(name):
    return Need(f"no module {name}", module=name)


def program(name):
    return Need(f"no program {name}", condition=f"command -v {name} >/dev/null")


def file(path):
    return Need(f"no {path}", condition=f"[ -e {path} ]")


def modules_of(folder):
    """The names of all modules that the guests of a kernel's folder have, built in or not."""
    tree = folder / "modules/usr/lib/modules" / release_of(folder)
    files = [path.name for path in tree.rglob("*.ko*")] + [path.name for path in built_modules(release_of(folder))]
    files += [line.rsplit("/", 1)[-1] for line in (tree / "modules.builtin").read_text().splitlines()]
    return {name.partition(".ko")[0].replace("-", "_") for name in files}


def needs_of(scenario):
    """The needs that a scenario declares, and those of its topology."""
    topology = scenario.topology
    device = {"rxe": ("rdma_rxe",), "siw": ("siw",)}.get(topology.rdma, ())
    return (*(module(name) for name in (*device, *topology.modules)), *scenario.requires)


def without_module(scenario, kernel_name, modules):
    """The reason to skip a scenario on a kernel that has these modules, or None."""
    for need in needs_of(scenario):
        if need.module and need.module not in modules:
            return f"{need.reason} for the {kernel_name} kernel"
    return None


def insist(scenario, hosts):
    """Raise Skipped where one of these hosts lacks what the scenario requires of them."""
    for need in needs_of(scenario):
        for host in hosts:
            if need.condition and host.run(need.condition, check=False).rc:
                raise Skipped(f"{need.reason} on {host.name}")
