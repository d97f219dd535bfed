# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests how the rig reads consoles, and which lines it treats as complaints of the kernel."""

import tempfile
import unittest
from pathlib import Path

from machine import splat
from machine.console import Console

MEMCPY = ('[    9.1] memcpy: detected field-spanning write (size 80) of single field "&wqe->wr" at '
          "drivers/infiniband/sw/rdmavt/qp.c:2041 (size 40)\n")
WARNING = "[    9.2] WARNING: CPU: 0 PID: 7 at drivers/infiniband/sw/rdmavt/qp.c:{} rvt_post_one_wr+0x9f3/0xa10 [rdmavt]\n"
TASKLET = ("[    9.3] BUG: KASAN: use-after-free in {}+0x64e/0x790\n[    9.3] Call Trace:\n{}"
           "[    9.3] Allocated by task 144:\n[    9.3]  __kmalloc+0x56/0x130\n[    9.3]  {}\n[    9.3] Freed by task 144:\n")
ACTION = "tasklet_action_common.constprop.0"
IN_TASKLET = "[    9.3]  tasklet_action_common.constprop.0+0x31d/0x790\n"
OF_A_PROGRAM = "ib_uverbs_handler_UVERBS_METHOD_CQ_CREATE+0x51d/0xa50 [ib_uverbs]"
OF_THE_KERNEL = "__ib_alloc_cq+0x51d/0xa50 [ib_core]"


class Reading(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.path = Path(place.name) / "console"
        self.console = Console(self.path)

    def says(self, text):
        with open(self.path, "ab") as file:
            file.write(text.replace("\n", "\r\n").encode())

    def test_a_line_is_read_once_however_many_came_before(self):
        self.assertEqual(self.console.take(), "")
        for number in range(100):
            self.says(f"line {number}\n")
        self.assertEqual(len(self.console.take().splitlines()), 100)
        self.assertEqual(self.console.scanned, self.path.stat().st_size)
        self.says("WARNING: x\n")
        self.assertEqual(self.console.take(), "WARNING: x\n")
        self.assertEqual(self.console.take(), "")

    def test_a_line_that_came_in_two_parts_is_read_whole(self):
        self.says("clean\nWARN")
        self.assertEqual(self.console.take(), "clean\n")
        self.says("ING: x\n")
        self.assertEqual(self.console.take(), "WARNING: x\n")

    def test_the_last_words_of_a_machine_are_read(self):
        self.says("clean\nKernel panic")
        self.assertEqual(self.console.take(rest=True), "clean\nKernel panic")

    def test_a_scenario_begins_at_its_mark(self):
        self.says("WARNING: of the one before\n[ 1.0] rig: scenario x begins\nits own\n")
        begin = self.console.line_with("rig: scenario x begins")
        self.assertEqual(self.console.take(until=begin), "WARNING: of the one before\n")
        self.assertEqual(self.console.text(self.console.scanned), "[ 1.0] rig: scenario x begins\nits own\n")
        self.assertIsNone(self.console.line_with("WARNING: of the one before"))

    def test_what_came_before_a_place_is_not_in_the_text_from_there(self):
        self.assertEqual(self.console.size(), 0)
        self.says("not connected\nü\n")
        end = self.console.size()
        self.says("connected\n")
        self.assertEqual(self.console.text(end), "connected\n")

    def test_bytes_count_and_not_characters(self):
        self.says("ü 1\n" * 50)
        self.console.take()
        self.says("next\n")
        self.assertEqual(self.console.take(), "next\n")


class Complaints(unittest.TestCase):
    def test_a_warning_is_found_with_what_follows(self):
        self.assertEqual(splat.find("fine\nWARNING: a\nb\n"), "WARNING: a\nb")
        self.assertIsNone(splat.find("fine\nfine\n"))

    def test_what_a_scenario_provokes_is_not_found(self):
        self.assertIsNone(splat.find("WARNING: a\nCall Trace:\n", ("WARNING: a",)))
        self.assertTrue(splat.find("WARNING: a\nWARNING: b\n", ("WARNING: a",)))

    def test_the_known_warning_of_rdmavt_is_both_its_lines(self):
        self.assertIsNone(splat.find(MEMCPY + WARNING.format(2041) + "Call Trace:\n"))

    def test_another_warning_of_the_same_function_is_found(self):
        self.assertTrue(splat.find(WARNING.format(1944)))
        self.assertTrue(splat.find(MEMCPY + WARNING.format(1944)))
        self.assertTrue(splat.find(MEMCPY + WARNING.format(2041) + "fine\n" + WARNING.format(2041)))

    def test_the_known_tasklet_of_rxe_is_that_of_a_user_programs_queue(self):
        known = TASKLET.format(ACTION, IN_TASKLET, OF_A_PROGRAM)
        of_the_kernel = TASKLET.format(ACTION, IN_TASKLET, OF_THE_KERNEL)
        self.assertIsNone(splat.find(known))
        self.assertTrue(splat.find(of_the_kernel))
        self.assertTrue(splat.find(of_the_kernel + known))
        self.assertTrue(splat.find(known + of_the_kernel))
        self.assertTrue(splat.find("refcount_t: underflow\n" + known))

    def test_the_known_tasklet_of_rxe_may_call_any_function(self):
        for function in ("_raw_spin_lock_irqsave", "rxe_send_complete", "__list_add_valid"):
            self.assertIsNone(splat.find(TASKLET.format(function, IN_TASKLET, OF_A_PROGRAM)))
            self.assertTrue(splat.find(TASKLET.format(function, IN_TASKLET, OF_THE_KERNEL)))
            self.assertTrue(splat.find(TASKLET.format(function, "", OF_A_PROGRAM)))

    def test_the_known_tasklet_of_rxe_may_have_interrupted_a_deep_stack(self):
        deep = IN_TASKLET + "[    9.3]  do_something+0x1/0x2\n" * 80
        self.assertIsNone(splat.find(TASKLET.format(ACTION, deep, OF_A_PROGRAM)))
        self.assertTrue(splat.find(TASKLET.format(ACTION, deep, OF_THE_KERNEL)))

    def test_the_tasklet_is_that_of_the_same_report(self):
        another = TASKLET.format("cwt_link_work", "", OF_THE_KERNEL)
        freed_by_one = "[    9.3]  tasklet_action_common.constprop.0+0x31d/0x790\n"
        self.assertTrue(splat.find(another + freed_by_one + "Allocated by task 1:\n " + OF_A_PROGRAM + "\n"))


if __name__ == "__main__":
    unittest.main()
