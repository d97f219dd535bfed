# SPDX-License-Identifier: GPL-2.0-or-later
"""The requirements of a scenario: modules are looked up before a machine boots, the rest is checked
on the hosts, and the reason is printed."""

import tempfile
import types
import unittest
from pathlib import Path

from machine import needs, scenario
from machine.scenario import Scenario
from machine.topology import pair


def kernel_folder(place):
    """Make the folder of a kernel that has one module as a file and one built in."""
    folder = Path(place)
    tree = folder / "modules/usr/lib/modules/9.9"
    (tree / "kernel").mkdir(parents=True)
    (tree / "kernel/dm-thin-pool.ko.xz").write_text("")
    (tree / "modules.builtin").write_text("kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko\n")
    (folder / "release").write_text("9.9\n")
    return folder


def host(*commands):
    """Return a host on which these commands succeed."""
    return types.SimpleNamespace(name="server", run=lambda command, check: types.SimpleNamespace(rc=int(command not in commands)))


class Modules(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.modules = needs.modules_of(kernel_folder(place.name))

    def test_those_in_files_and_those_built_in_are_there(self):
        self.assertEqual(self.modules, {"dm_thin_pool", "rdma_rxe"})

    def reason(self, **words):
        return needs.without_module(Scenario("a", **words), "stock", self.modules)

    def test_the_reason_names_the_module_and_the_kernel(self):
        self.assertIsNone(self.reason(requires=(needs.module("dm_thin_pool"),)))
        self.assertEqual(self.reason(requires=(needs.module("dm_hold"),)), "no module dm_hold for the stock kernel")

    def test_a_topology_requires_modules_of_its_own(self):
        self.assertEqual(self.reason(topology=pair(rdma="siw")), "no module siw for the stock kernel")
        self.assertEqual(self.reason(topology=pair(modules=("simhca",))), "no module simhca for the stock kernel")
        self.assertIsNone(self.reason(topology=pair(rdma="none")))


class Hosts(unittest.TestCase):
    WANTED = Scenario("a", requires=(needs.program("nft"), needs.file("/proc/x")))

    def test_a_host_that_has_all_is_fit(self):
        needs.insist(self.WANTED, [host("command -v nft >/dev/null", "[ -e /proc/x ]")])

    def test_the_reason_names_what_is_missing_and_the_host(self):
        for missing, have in (("no program nft on server", "[ -e /proc/x ]"), ("no /proc/x on server", "command -v nft >/dev/null")):
            with self.assertRaises(needs.Skipped) as raised:
                needs.insist(self.WANTED, [host(have)])
            self.assertEqual(str(raised.exception), missing)


class Declared(unittest.TestCase):
    def test_all_needs_of_scenarios_are_needs(self):
        for one in scenario.find([*scenario.folders(), *scenario.folders(installed=True)]):
            self.assertTrue(all(isinstance(need, needs.Need) for need in one.requires), one.name)


if __name__ == "__main__":
    unittest.main()
