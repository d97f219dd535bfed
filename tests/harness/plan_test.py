# SPDX-License-Identifier: GPL-2.0-or-later
"""The planner: tiers, shares of the long tier, and the scenarios that share a boot."""

import subprocess
import tempfile
import types
import unittest
from pathlib import Path

from machine import plan, scenario
from machine.durations import Durations
from machine.scenario import Scenario
from machine.topology import pair

ALL = scenario.find(scenario.folders())


class Constant:
    """Durations without any measurement."""

    def group(self, group):
        return len(group)


def planned(scenarios, seed=0, **wanted):
    return plan.plan(scenarios, Constant(), seed, **wanted)


def runs(groups):
    """Return the runs of a plan as a list of (scenario, kernel)."""
    return [(scenario.name, kernel) for group in groups for kernel, scenario in group]


def declared(**words):
    """Return the tiers of a scenario with these declarations."""
    return scenario.tiers_of(types.SimpleNamespace(__file__="x.py", **words))


def git(place, *words):
    return subprocess.run(["git", "-C", place, "-c", "user.name=x", "-c", "user.email=x@x", *words],
                          check=True, capture_output=True, text=True).stdout


class Declarations(unittest.TestCase):
    def test_a_scenario_that_says_nothing_is_of_tier_ci_on_stock(self):
        self.assertEqual(declared(), {"stock": "ci"})

    def test_each_kernel_may_have_a_tier(self):
        self.assertEqual(declared(TIER="check", KERNELS=("kasan",), CI_KERNELS=("lockdep",), LONG_KERNELS=("stock",)),
                         {"kasan": "check", "lockdep": "ci", "stock": "long"})

    def test_what_cannot_be_meant_is_refused(self):
        for words in ({"TIER": "daily"}, {"KERNELS": ("kasann",)}, {"KERNELS": ("kasan",), "LONG_KERNELS": ("kasan",)}):
            with self.assertRaises(SyntaxError):
                declared(**words)


class Tiers(unittest.TestCase):
    SOME = [Scenario("a", tier="check", tiers={"stock": "check", "kasan": "ci"}),
            Scenario("b", tier="ci", tiers={"kasan": "ci", "lockdep": "long"}),
            Scenario("c", tier="long", tiers={"stock": "long"})]

    def test_a_tier_holds_those_before_it(self):
        check, ci, long = (set(runs(planned(self.SOME, tier=tier))) for tier in plan.TIERS)
        self.assertEqual(check, {("a", "stock")})
        self.assertEqual(ci, check | {("a", "kasan"), ("b", "kasan")})
        self.assertEqual(long, ci | {("b", "lockdep"), ("c", "stock")})

    def test_a_given_kernel_runs_what_can_run_there(self):
        self.assertEqual(set(runs(planned(self.SOME, tier="ci", kernels=["lockdep"]))), {("a", "lockdep"), ("b", "lockdep")})
        self.assertEqual(set(runs(planned(self.SOME, tier="ci", kernels=["stock"]))), {("a", "stock")})

    def test_a_whole_name_is_enough_for_any_tier(self):
        self.assertEqual(runs(planned(self.SOME[2:], tier="check", named="c")), [("c", "stock")])
        self.assertEqual(runs(planned(self.SOME[2:], tier="check", named="c", kernels=["kasan"])), [("c", "kasan")])
        self.assertEqual(runs(planned(self.SOME[1:2], tier="check", named="b")), [("b", "kasan")])

    def test_ten_consecutive_runs_take_all_of_the_long_tier(self):
        every = set(runs(planned(ALL, tier="long")))
        ci = set(runs(planned(ALL, tier="ci")))
        for first in range(240, 246):
            shares = [set(runs(planned(ALL, tier="ci", share=first + more))) for more in range(plan.SHARES)]
            self.assertEqual(set.union(*shares), every)
            for share in shares:
                self.assertLessEqual(ci, share)
            # No run is in two shares, except those that are in all of them.
            self.assertEqual(sum(len(share - ci) for share in shares), len(every - ci))

    def test_the_shares_take_about_as_long_as_each_other(self):
        durations = Durations(measured=Path("/nowhere"))
        seconds = [0.0] * plan.SHARES
        for name, kernel in set(runs(planned(ALL, tier="long"))) - set(runs(planned(ALL, tier="ci"))):
            seconds[plan.share_of(name, kernel)] += durations.scenario(name, kernel)
        # If an added scenario brings them out of balance, another SPREAD balances them.
        self.assertLess(max(seconds), 1.5 * min(seconds), seconds)

    def test_a_new_scenario_moves_no_other_one(self):
        def share(scenarios):
            return set(runs(planned(scenarios, tier="ci", share=1)))

        new = Scenario("aaa_new", tier="long", tiers={"stock": "long", "kasan": "long"})
        self.assertEqual({run for run in share([new, *ALL]) if run[0] != new.name}, share(ALL))


class Boots(unittest.TestCase):
    def test_equal_topologies_share_a_boot_of_a_kernel(self):
        some = [Scenario("a", topology=pair(links=2)), Scenario("b", dirty=True), Scenario("c"), Scenario("d")]
        groups = planned(some, kernels=["stock", "kasan"])
        self.assertEqual(len(groups), 4)
        for group in groups:
            self.assertEqual(len({(kernel, scenario.topology) for kernel, scenario in group}), 1)

    def test_a_scenario_that_leaves_the_hosts_unfit_is_the_last_of_its_boot(self):
        group, = planned([Scenario("a", dirty=True), Scenario("b"), Scenario("c")])
        self.assertEqual(group[-1][1].name, "a")

    def test_the_seed_decides_the_order_within_a_boot_and_nothing_else(self):
        some = [Scenario(name, dirty=name == "z") for name in "abcdefgz"]
        orders = {tuple(runs(planned(some, seed))) for seed in range(10)}
        self.assertGreater(len(orders), 5)
        self.assertEqual({order[-1][0] for order in orders}, {"z"})
        self.assertEqual(len({frozenset(order) for order in orders}), 1)
        self.assertEqual(planned(some, "x"), planned(some, "x"))
        self.assertEqual("".join(name for name, _ in runs(planned(some, "names"))), "abcdefgz")

    def test_hosts_get_at_least_as_many_processors_as_asked_for(self):
        some = Scenario("a", topology=pair(client={"cpus": 4}))
        more = scenario.with_processors(some, 2)
        self.assertEqual([spec.cpus for spec in more.topology.hosts], [2, 4])
        self.assertEqual(scenario.with_processors(some, 0), some)

    def test_hosts_have_two_processors_on_debug_kernels_unless_something_else_is_asked_for(self):
        def processors(debug, least=0, **spec):
            return scenario.with_processors(Scenario("a", topology=pair(client=spec)), least).topology.hosts[1].processors(debug)

        self.assertEqual([processors(False), processors(True)], [1, 2])
        self.assertEqual([processors(False, cpus=4), processors(True, cpus=4)], [4, 4])
        self.assertEqual([processors(True, cpus=1), processors(True, icount=True)], [1, 1])
        self.assertEqual([processors(True, least=1), processors(False, least=3)], [1, 3])

    def test_every_scenario_has_a_kernel_it_may_be_planned_on(self):
        for one in ALL:
            self.assertTrue(plan.kernels_of(one, tier="long"), one.name)


class NumberOfRun(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.full = f"{self.place.name}/full"
        git(self.place.name, "init", "-q", self.full)
        for number in range(4):
            git(self.full, "commit", "-q", "--allow-empty", "-m", str(number))

    def test_in_a_full_clone_it_counts_commits(self):
        self.assertEqual(plan.number_of_run(self.full)[0], 4)
        git(self.full, "commit", "-q", "--allow-empty", "-m", "one more")
        self.assertEqual(plan.number_of_run(self.full)[0], 5)

    def test_in_a_shallow_clone_and_without_git_it_is_the_day(self):
        shallow = f"{self.place.name}/shallow"
        git(self.place.name, "clone", "-q", "--depth=1", f"file://{self.full}", shallow)
        for place in (shallow, self.place.name):
            days = [plan.number_of_run(place, today=86400 * day)[0] for day in (7, 8, 9)]
            self.assertEqual(days, [7, 8, 9])


if __name__ == "__main__":
    unittest.main()
