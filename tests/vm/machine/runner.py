# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs scenarios. Those that share kernel and topology share a boot, and a failure causes a new
boot. Several such groups run at the same time, because machines that communicate wait most of the
time."""

import re
import shutil
import threading
import time
import traceback
from collections import namedtuple

from . import config, durations, needs
from .holdings import LeftBehind
from .kit import BUILD
from .rig import Rig, prepare

Outcome = namedtuple("Outcome", "passed failed skipped")
KEPT_RUNS = 20
SLOWEST = 10
LONGEST_REASON = 25


def reason_lines(failure):
    """Return the failure, and the line of the scenario that noticed it: an assert often has no
    message, and logs may be gone."""
    lines = (str(failure) or type(failure).__name__).splitlines()
    if len(lines) > LONGEST_REASON:
        lines[LONGEST_REASON:] = ["..."]
    places = [frame for frame in traceback.extract_tb(failure.__traceback__)
              if "/scenarios/" in frame.filename or "/selftest/" in frame.filename]
    if places:
        lines.append(f"line {places[-1].lineno}: {places[-1].line}")
    return lines


def run_folder():
    """Make a new folder for the logs of this run. build/vm/last points to it."""
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
    # The link is replaced in one step, because another run may do the same at this moment.
    new = folder / "last"
    new.symlink_to(folder)
    new.replace(BUILD / "vm/last")
    return folder


class Tally:
    """The data that all lanes share: the groups that are left, the prepared kernels, the counts."""

    def __init__(self, groups, say, installed=None, known=None):
        self.lock = threading.Lock()
        self.groups = groups
        self.all = sum(map(len, groups))
        self.folder = run_folder()
        self.kernels = {}
        self.installed = installed
        self.boots = 0
        self.durations = known or durations.Durations()
        self.took = {}          # seconds of each scenario that passed or failed
        self.modules = {}       # of each prepared kernel, unless a root image was given
        self.passed, self.failed, self.skipped = [], [], []
        self.stopped = False
        self._say = say

    def say(self, text):
        with self.lock:
            self._say(text)

    def next_group(self):
        with self.lock:
            return self.groups.pop(0) if self.groups else None

    def prepared(self, name):
        with self.lock:
            if name not in self.kernels:
                self.kernels[name] = prepare(name, self.folder, self._say, installed=self.installed)
                self._judge_config(name)
            return self.kernels[name]

    def reason_to_skip(self, name, scenario):
        """Return why a scenario cannot run on a kernel, as far as this is known before a machine
        boots; None if it can."""
        made = self.prepared(name)
        if not made:
            return f"there is no {name} kernel here"
        if self.installed:
            return None
        with self.lock:
            if name not in self.modules:
                self.modules[name] = needs.modules_of(made[0])
        return needs.without_module(scenario, name, self.modules[name])

    def _judge_config(self, name):
        """Count a debug kernel that differs from what the repository states as a separate failure.
        """
        try:
            wrong = config.wrong(name, self._say)
        except Exception as error:              # the scenarios can still run
            wrong = [f"its configuration cannot be read: {error}"]
        if wrong:
            self.failed.append(f"the configuration of the {name} kernel")
            self._say("\n".join([f"FAIL the {name} kernel was built otherwise than tests/kernels says; make debug-kernels "
                                 "builds it anew, tests/kernels/tolerated lists what may differ"]
                                + [f"     | {sentence}" for sentence in wrong]))

    def boot_folder(self, kernel):
        with self.lock:
            self.boots += 1
            folder = self.folder / f"boot{self.boots}-{kernel}"
        folder.mkdir()
        return folder

    def measured(self, key, seconds):
        """Store a duration, unless a root image was given, which may have any content."""
        if not self.installed:
            with self.lock:
                self.durations.keep(key, seconds)

    def count(self, where, name):
        with self.lock:
            where.append(name)
            done = len(self.passed) + len(self.failed)
            if where is not self.skipped and done % 10 == 0 and done < self.all:
                self._say(f"     {done} of {self.all}, {len(self.failed)} failed")


class Lane:
    """Runs one group after another, with one rig at a time."""

    def __init__(self, tally):
        self.tally = tally
        self.say = tally.say
        self.rig = None
        self.booted = 0         # seconds of boots
        self.dirty = False      # True: the hosts of the last scenario are not used again

    def _rig_for(self, kernel, scenario):
        if self.rig and (self.rig.kernel_name != kernel or self.rig.topology != scenario.topology):
            self._drop_rig()
        if not self.rig:
            folder = self.tally.boot_folder(kernel)
            self.rig = Rig(scenario.topology, kernel, *self.tally.prepared(kernel), folder, self.say,
                           self.tally.installed)
            with open(folder / "boot.log", "w") as log:
                self.rig.log_file = log
                took = self.rig.boot()
            self.rig.log_file = None
            self.booted += took
            self.tally.measured(durations.boot_key(kernel, scenario.topology), took)
            names = " and ".join([", ".join(list(self.rig.hosts)[:-1]), list(self.rig.hosts)[-1]]).removeprefix(" and ")
            self.say(f"     booted {names} with the {kernel} kernel in {took:.0f} s")
        return self.rig

    def _drop_rig(self):
        if self.rig:
            self.rig.power_off()
            self.rig = None

    def cut_off(self):
        """Called from another thread: makes the present scenario fail."""
        rig = self.rig
        if rig:
            rig.power_off()

    def _attempt(self, kernel, scenario, log):
        """Run one scenario with all its checks; return the failure or None."""
        try:
            rig = self._rig_for(kernel, scenario)
            rig.log_file = log
            needs.insist(scenario, rig.hosts.values())
            rig.begin(scenario.name, scenario.known_splats, scenario.leaves)
            try:
                scenario.run(rig)
            finally:
                # A splat usually explains a failure better than the scenario's own error.
                rig.scan(scenario.known_splats)
            if not scenario.dirty:
                only_reported = scenario.tiers.get(kernel, "long") == "long" and not scenario.must_fail
                self.dirty = self._undeclared(rig, only_reported, log)
            rig.reset(self.dirty)
            rig.scan(scenario.known_splats)
            return None
        except Exception as error:              # reported as this scenario's failure
            log.write(traceback.format_exc())
            return error

    @staticmethod
    def _undeclared(rig, only_reported, log):
        """Raise LeftBehind if a scenario left something that it did not declare.

        For a scenario of the long tier this is only reported, and True is returned, so that its hosts are not used again.
        Not all of these scenarios have been run since LEAVES exists.
        """
        try:
            rig.judge_holdings(rig.leaves)
        except LeftBehind as left:
            if not only_reported:
                raise
            log.write(f"not declared in LEAVES: {left}\n")
            print(f"     not declared in LEAVES: {left}", flush=True)
            return True
        return False

    def _one(self, kernel, scenario):
        """Run one scenario and print the result. Return True, False, or None if it was skipped."""
        log_path = self.tally.folder / f"{scenario.name}.{kernel}.log"
        began, self.booted = time.monotonic(), 0
        self.dirty = scenario.dirty
        with open(log_path, "w") as log:
            log.write(f"{scenario.name} on {kernel}: {scenario.promise}\n")
            failure = self._attempt(kernel, scenario, log)
        took = time.monotonic() - began
        boot = self.rig.folder if self.rig else None
        if self.rig:
            self.rig.log_file = None
        if isinstance(failure, needs.Skipped):
            self._skip(kernel, scenario, failure)
            return None
        if failure or self.dirty:
            self._drop_rig()
        if scenario.must_fail:
            good = failure is not None and bool(re.search(scenario.must_fail, str(failure)))
        else:
            good = failure is None
        key = durations.scenario_key(scenario.name, kernel)
        self.tally.took[key] = took
        if good:
            self.tally.measured(key, took - self.booted)
        self.say(f"{'ok  ' if good else 'FAIL'} {scenario.name} {kernel} {took:.1f} s")
        if not good:
            shown = reason_lines(failure) if failure else [f"passed, but had to fail with /{scenario.must_fail}/"]
            self.say("\n".join("     | " + line for line in shown))
            self.say(f"     log: {log_path}" + (f", consoles: {boot}/*.console" if boot else ""))
        return good

    def _skip(self, kernel, scenario, reason):
        self.say(f"skip {scenario.name} {kernel}: {reason}")
        self.tally.count(self.tally.skipped, (kernel, scenario.name))

    def run(self):
        tally = self.tally
        try:
            while group := tally.next_group():
                for kernel, scenario in group:
                    if tally.stopped:
                        return
                    reason = tally.reason_to_skip(kernel, scenario)
                    if reason:
                        self._skip(kernel, scenario, reason)
                        continue
                    good = self._one(kernel, scenario)
                    if good is not None:
                        tally.count(tally.passed if good else tally.failed, f"{scenario.name} {kernel}")
        finally:
            self._drop_rig()


def run(groups, at_once=1, say=print, installed=None, known=None):
    """Run the groups of a plan, at_once of them at the same time; return the counts of the results.
    """
    tally = Tally(groups, say, installed, known)
    lanes = [Lane(tally) for _ in range(max(1, min(at_once, len(tally.groups))))]
    broken = []

    def work(lane):
        try:
            lane.run()
        except BaseException as error:          # raised again by the first thread, below
            broken.append(error)
            tally.stopped = True

    threads = [threading.Thread(target=work, args=(lane,)) for lane in lanes]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        tally.stopped = True
        for lane in lanes:
            lane.cut_off()
        for thread in threads:
            thread.join()
        raise
    if broken:
        raise broken[0]
    slowest = sorted(tally.took.items(), key=lambda each: each[1], reverse=True)[:SLOWEST]
    if len(slowest) > 1:
        say("slowest, with their boots: " + ", ".join(f"{key} {seconds:.0f} s" for key, seconds in slowest))
    absent = sorted(name for name, made in tally.kernels.items() if not made)
    if absent:
        without = sum(kernel in absent for kernel, _ in tally.skipped)
        say(f"{without} skipped for want of a kernel ({', '.join(absent)}); make debug-kernels builds them")
    if tally.failed:
        say("failed: " + ", ".join(tally.failed))
    return Outcome(len(tally.passed), len(tally.failed), len(tally.skipped))
