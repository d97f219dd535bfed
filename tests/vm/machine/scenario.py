# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds the scenario files and reads what each declares."""

import importlib.util
import re
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Callable

from .holdings import KINDS
from .kernel import NAMES
from .plan import TIERS
from .topology import Topology


VM = Path(__file__).resolve().parents[1]
PACKAGES = "packages"       # the folder of scenarios for a root image in which Causeway is installed


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
    requires: tuple = ()        # Needs: if one is not met, the scenario is skipped with the reason
    known_splats: tuple = ()    # complaints this scenario provokes on purpose
    leaves: tuple = ()          # kinds of things that it leaves for the rig to remove

    def called(self, word):
        """Return whether a word is the whole name: NAME, which in a file with cases means all of
        them, or FOLDER/NAME."""
        bare = self.name.partition("[")[0]
        return word.removeprefix(f"{self.folder}/") in (self.name, bare)


def tiers_of(module):
    """Return the tier of each kernel that a scenario's module declares. KERNELS are in TIER, the
    other lists state their tier."""
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
    """Return the scenarios of a file: one, or one for each of its cases."""
    spec = importlib.util.spec_from_file_location(f"scenario_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    if not module.__doc__ or not hasattr(module, "scenario"):
        raise SyntaxError(f"{path}: a scenario has a docstring that says its promise and def scenario(rig)")
    if hasattr(module, "LONG"):
        raise SyntaxError(f"{path}: TIER = \"long\" has taken the place of LONG")
    cases = getattr(module.scenario, "cases", None)
    if cases is None:
        return [declared(path, path.stem, module, module.scenario)]
    return [declared(path, f"{path.stem}[{case.name}]", SimpleNamespace(**{**vars(module), **case.declared}),
                     partial(run_case, module.scenario, case)) for case in cases]


def leaves_of(words):
    found = tuple(getattr(words, "LEAVES", ()))
    if not set(found) <= set(KINDS):
        raise SyntaxError(f"{words.__file__}: LEAVES has kinds of {', '.join(KINDS)}, not {found}")
    return found


def run_case(scenario, case, rig):
    scenario(rig, case.name, *case.values)


def declared(path, name, words, run):
    """Return the scenario of that name. "words" has its declarations."""
    return Scenario(
        name=name,
        folder=path.parent.name,
        promise=words.__doc__.strip(),
        run=run,
        topology=getattr(words, "TOPOLOGY", Topology()),
        tier=getattr(words, "TIER", "ci"),
        tiers=tiers_of(words),
        dirty=getattr(words, "DIRTY", False),
        must_fail=getattr(words, "MUST_FAIL", ""),
        requires=tuple(getattr(words, "REQUIRES", ())),
        known_splats=tuple(getattr(words, "KNOWN_SPLATS", ())),
        leaves=leaves_of(words),
    )


def with_processors(scenario, least):
    """Return the same scenario on hosts with at least that many processors."""
    hosts = tuple(replace(spec, cpus=max(spec.cpus, least)) for spec in scenario.topology.hosts)
    return replace(scenario, topology=replace(scenario.topology, hosts=hosts))


def folders(installed=False, place=VM / "scenarios"):
    """Return the folders with the scenarios for machines with our build, or for those with installed packages."""
    for stray in place.glob("*.py"):
        raise SyntaxError(f"{stray}: a scenario lies in the folder of its subject")
    if installed:
        return [place / PACKAGES]
    return [VM / "selftest", *sorted(path for path in place.iterdir() if path.is_dir() and path.name not in (PACKAGES, "__pycache__"))]


def find(places):
    """Return the scenarios in these folders and their subfolders. No two have the same name."""
    found = {}
    for path in (path for place in places for path in sorted(Path(place).rglob("*.py")) if not path.name.startswith("_")):
        if path.stem in found:
            raise SyntaxError(f"{path}: {found[path.stem][0].folder}/ has a scenario of this name too")
        found[path.stem] = load(path)
    return [each for loaded in found.values() for each in loaded]


def matches(scenario, pattern):
    """Return whether the pattern is the name of a scenario, or a regular expression that matches
    its name or its folder and name, as in disk/polled_io."""
    return scenario.called(pattern) or any(re.search(pattern, name) for name in (scenario.name, f"{scenario.folder}/{scenario.name}"))
