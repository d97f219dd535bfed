# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs scenarios: one boot for all that share kernel and topology, a fresh one after a failure."""

import re
import shutil
import time
import traceback
from collections import namedtuple

from .kit import BUILD
from .lab import Lab, prepare

Outcome = namedtuple("Outcome", "passed failed skipped")
KERNEL_ORDER = ("stock", "lockdep", "kasan")
KEPT_RUNS = 20


def run_folder():
    """A new folder for the logs of this run; build/vm/last points at it."""
    place = BUILD / "vm/runs"
    place.mkdir(parents=True, exist_ok=True)
    for old in sorted(place.iterdir())[:-(KEPT_RUNS - 1)]:
        shutil.rmtree(old, ignore_errors=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number = 0
    while True:
        folder = place / (stamp + (f"-{number}" if number else ""))
        try:
            folder.mkdir()
            break
        except FileExistsError:
            number += 1
    last = BUILD / "vm/last"
    last.unlink(missing_ok=True)
    last.symlink_to(folder)
    return folder


def plan(scenarios, kernels, long=False):
    """Pairs of (kernel, scenario) so ordered that as few boots as possible are needed."""
    pairs = []
    for kernel in KERNEL_ORDER:
        groups = {}
        for scenario in scenarios:
            declared = scenario.kernels + scenario.long_kernels
            # A scenario that leaves stock out needs what its kernels have.
            forced = kernels if "stock" in declared else set(kernels) & set(declared)
            if kernel in (forced if kernels else declared if long else scenario.kernels):
                groups.setdefault(scenario.topology, []).append(scenario)
        for group in groups.values():
            # What leaves the hosts unfit comes last in its group.
            pairs += [(kernel, scenario) for scenario in sorted(group, key=lambda s: s.dirty)]
    return pairs


class Runner:
    def __init__(self, say=print):
        self.say = say
        self.folder = run_folder()
        self.kernels = {}
        self.lab = None
        self.boots = 0

    def _prepared(self, name):
        if name not in self.kernels:
            self.kernels[name] = prepare(name, self.folder, self.say)
        return self.kernels[name]

    def _lab_for(self, kernel, scenario):
        if self.lab and (self.lab.kernel_name != kernel or self.lab.topology != scenario.topology):
            self._drop_lab()
        if not self.lab:
            self.boots += 1
            folder = self.folder / f"boot{self.boots}-{kernel}"
            folder.mkdir()
            self.lab = Lab(scenario.topology, kernel, *self._prepared(kernel), folder, self.say)
            with open(folder / "boot.log", "w") as log:
                self.lab.log_file = log
                took = self.lab.boot()
            self.lab.log_file = None
            names = " and ".join([", ".join(list(self.lab.hosts)[:-1]), list(self.lab.hosts)[-1]]).removeprefix(" and ")
            self.say(f"     booted {names} with the {kernel} kernel in {took:.0f} s")
        return self.lab

    def _drop_lab(self):
        if self.lab:
            self.lab.power_off()
            self.lab = None

    def _attempt(self, kernel, scenario, log):
        """Run one scenario with all its checks; return the failure or None."""
        try:
            lab = self._lab_for(kernel, scenario)
            lab.log_file = log
            lab.begin(scenario.name)
            try:
                scenario.run(lab)
            finally:
                # A splat explains most failures better than what the scenario noticed.
                lab.scan(scenario.known_splats)
            lab.reset(scenario.dirty)
            lab.scan(scenario.known_splats)
            return None
        except KeyboardInterrupt:
            raise
        except Exception as error:              # reported as this scenario's failure
            log.write(traceback.format_exc())
            return error

    def _one(self, kernel, scenario):
        log_path = self.folder / f"{scenario.name}.{kernel}.log"
        began = time.monotonic()
        with open(log_path, "w") as log:
            log.write(f"{scenario.name} on {kernel}: {scenario.promise}\n")
            failure = self._attempt(kernel, scenario, log)
        took = time.monotonic() - began
        boot = self.lab.folder if self.lab else None
        if self.lab:
            self.lab.log_file = None
        if failure or scenario.dirty:
            self._drop_lab()
        if scenario.must_fail:
            good = failure is not None and re.search(scenario.must_fail, str(failure))
        else:
            good = failure is None
        self.say(f"{'ok  ' if good else 'FAIL'} {scenario.name} {kernel} {took:.1f} s")
        if not good:
            reason = str(failure) or type(failure).__name__ if failure else \
                f"passed, but had to fail with /{scenario.must_fail}/"
            shown = reason.splitlines()
            self.say("\n".join("     | " + line for line in shown[:25] + (["..."] if len(shown) > 25 else [])))
            self.say(f"     log: {log_path}" + (f", consoles: {boot}/*.console" if boot else ""))
        return good

    def run(self, scenarios, kernels=(), long=False):
        passed, failed, skipped = [], [], []
        work = plan(scenarios, kernels, long)
        try:
            for number, (kernel, scenario) in enumerate(work, 1):
                if not self._prepared(kernel):
                    self.say(f"skip {scenario.name} {kernel}: no such kernel here (make debug-kernels, or DEBUG_KERNELS=)")
                    skipped.append(scenario.name)
                    continue
                good = self._one(kernel, scenario)
                (passed if good else failed).append(f"{scenario.name} {kernel}")
                if number % 10 == 0 and number < len(work):
                    self.say(f"     {number} of {len(work)}, {len(failed)} failed")
        finally:
            self._drop_lab()
        if failed:
            self.say("failed: " + ", ".join(failed))
        return Outcome(len(passed), len(failed), len(skipped))


