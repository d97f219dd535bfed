# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds the scenario files and reads what each declares."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from .topology import Topology


@dataclass(frozen=True)
class Scenario:
    name: str
    promise: str
    run: Callable
    topology: Topology
    kernels: tuple
    long_kernels: tuple     # more of them, where there is time
    long: bool              # not at all where there is none
    dirty: bool             # the hosts are not fit for another scenario afterwards
    must_fail: str          # the rig's own tests: the pattern the failure has to hold
    known_splats: tuple     # complaints this scenario provokes on purpose


def load(path):
    spec = importlib.util.spec_from_file_location(f"scenario_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    if not module.__doc__ or not hasattr(module, "scenario"):
        raise SyntaxError(f"{path}: a scenario has a docstring that says its promise and def scenario(rig)")
    return Scenario(
        name=path.stem,
        promise=module.__doc__.strip(),
        run=module.scenario,
        topology=getattr(module, "TOPOLOGY", Topology()),
        kernels=tuple(getattr(module, "KERNELS", ("stock",))),
        long_kernels=tuple(getattr(module, "LONG_KERNELS", ())),
        long=getattr(module, "LONG", False),
        dirty=getattr(module, "DIRTY", False),
        must_fail=getattr(module, "MUST_FAIL", ""),
        known_splats=tuple(getattr(module, "KNOWN_SPLATS", ())),
    )


def find(folders):
    files = [path for folder in folders for path in sorted(Path(folder).glob("*.py"))]
    return [load(path) for path in files if not path.name.startswith("_")]
