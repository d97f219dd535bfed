# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds the scenario files and reads what each declares."""

import importlib.util
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable

from .kernel import NAMES
from .plan import TIERS
from .topology import Topology


VM = Path(__file__).resolve().parents[1]
PACKAGES = "packages"       # the folder of those that need a root image in which Causeway is installed


@dataclass(frozen=True)
class Scenario:
    name: str
    folder: str = ""
    promise: str = ""
    run: Callable = None
    topology: Topology = Topology()
    tier: str = "ci"            # of a kernel that it does not declare
    tiers: dict = field(default_factory=lambda: {"stock": "ci"})    # of each kernel that it declares
    dirty: bool = False         # the hosts are not fit for another scenario afterwards
    must_fail: str = ""         # the rig's own tests: the pattern the failure has to hold
    requires: tuple = ()        # Needs: where one is missing, it is skipped with the reason
    known_splats: tuple = ()    # complaints this scenario provokes on purpose


def tiers_of(module):
    """The tier of each kernel that a scenario's module declares: KERNELS are in TIER, the others name theirs."""
    tiers = {}
    for names, tier in ((getattr(module, "KERNELS", ("stock",)), module.TIER if hasattr(module, "TIER") else "ci"),
                        (getattr(module, "CI_KERNELS", ()), "ci"), (getattr(module, "LONG_KERNELS", ()), "long")):
        if tier not in TIERS:
            raise SyntaxError(f"{module.__file__}: TIER is one of {', '.join(TIERS)}, not {tier!r}")
        for name in names:
            if name not in NAMES:
                raise SyntaxError(f"{module.__file__}: there is no kernel {name!r}")
            if name in tiers:
                raise SyntaxError(f"{module.__file__}: the kernel {name} is in two tiers")
            tiers[name] = tier
    return tiers


def load(path):
    spec = importlib.util.spec_from_file_location(f"scenario_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    if not module.__doc__ or not hasattr(module, "scenario"):
        raise SyntaxError(f"{path}: a scenario has a docstring that says its promise and def scenario(rig)")
    if hasattr(module, "LONG"):
        raise SyntaxError(f"{path}: TIER = \"long\" has taken the place of LONG")
    return Scenario(
        name=path.stem,
        folder=path.parent.name,
        promise=module.__doc__.strip(),
        run=module.scenario,
        topology=getattr(module, "TOPOLOGY", Topology()),
        tier=getattr(module, "TIER", "ci"),
        tiers=tiers_of(module),
        dirty=getattr(module, "DIRTY", False),
        must_fail=getattr(module, "MUST_FAIL", ""),
        requires=tuple(getattr(module, "REQUIRES", ())),
        known_splats=tuple(getattr(module, "KNOWN_SPLATS", ())),
    )


def with_processors(scenario, least):
    """The same scenario on hosts that have that many processors or more."""
    hosts = tuple(replace(spec, cpus=max(spec.cpus, least)) for spec in scenario.topology.hosts)
    return replace(scenario, topology=replace(scenario.topology, hosts=hosts))


def folders(installed=False):
    """The folders with the scenarios for machines with what is built here, or with installed packages."""
    place = VM / "scenarios"
    if installed:
        return [place / PACKAGES]
    return [VM / "selftest", *sorted(path for path in place.iterdir() if path.is_dir() and path.name not in (PACKAGES, "__pycache__"))]


def find(places):
    """The scenarios in these folders and in the folders of them. No two have the same name."""
    found = {}
    for path in (path for place in places for path in sorted(Path(place).rglob("*.py")) if not path.name.startswith("_")):
        if path.stem in found:
            raise SyntaxError(f"{path}: {found[path.stem].folder}/ has a scenario of this name too")
        found[path.stem] = load(path)
    return list(found.values())


def matches(scenario, pattern):
    """Whether a regular expression fits the name of a scenario, or its folder and its name, as in disk/polled_io."""
    return any(re.search(pattern, name) for name in (scenario.name, f"{scenario.folder}/{scenario.name}"))
