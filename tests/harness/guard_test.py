# SPDX-License-Identifier: GPL-2.0-or-later
"""The guard fails figures that became worse, asks to keep better ones, and changes no figure
without being asked."""

import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "bench"))

import functions        # noqa: E402
import kept             # noqa: E402


def figure(*boots, kinsn=50.0, ours=4.0):
    return kept.Figure("kinsn", boots, kinsn, ours)


class Judging(unittest.TestCase):
    def word(self, now, before):
        return kept.judge(now, before).word

    def test_a_figure_within_the_spread_is_the_same(self):
        steady = figure(50.0, 50.1, 50.2)
        self.assertEqual(self.word(figure(50.3), steady), kept.SAME)
        self.assertEqual(self.word(figure(49.8), steady), kept.SAME)

    def test_a_figure_beyond_the_spread_is_worse_or_better(self):
        steady = figure(50.0, 50.1, 50.2)
        self.assertEqual(self.word(figure(50.6), steady), kept.WORSE)
        self.assertEqual(self.word(figure(49.6), steady), kept.BETTER)

    def test_one_bad_boot_of_three_is_not_a_loss(self):
        self.assertEqual(self.word(figure(50.0, 60.0, 50.1), figure(50.0, 50.0, 50.1)), kept.SAME)

    def test_a_loss_that_drowns_in_the_spread_is_seen_in_our_functions(self):
        noisy = figure(49.0, 50.0, 52.0)
        self.assertEqual(self.word(figure(50.5, ours=4.4), noisy), kept.SAME)
        self.assertEqual(self.word(figure(50.5, ours=4.6), noisy), kept.WORSE)
        # The count of our functions is part of a steady figure.
        self.assertEqual(self.word(figure(50.0, ours=4.6), figure(50.0, 50.0, 50.0)), kept.SAME)

    def test_what_was_never_kept_is_new(self):
        self.assertEqual(self.word(figure(50.0), None), kept.NEW)

    def test_a_counter_with_large_steps_makes_no_figure(self):
        millisecond = 1000      # a step of fio's counter, in microseconds
        self.assertTrue(kept.too_coarse(millisecond, 240, 450))
        self.assertFalse(kept.too_coarse(millisecond, 5000, 450))


class Keeping(unittest.TestCase):
    def test_only_what_is_better_new_or_named_is_kept(self):
        before = {name: figure(50.0, 50.0, 50.0) for name in ("better", "same", "worse", "named")}
        now = {"better": figure(45.0), "same": figure(50.1), "worse": figure(55.0), "named": figure(56.0), "new": figure(1.0)}
        after, chosen = kept.to_keep(now, before, lambda name: name == "named")
        self.assertEqual(chosen, {"better", "named", "new"})
        self.assertEqual({name: each.middle for name, each in after.items()},
                         {"better": 45.0, "same": 50.0, "worse": 50.0, "named": 56.0, "new": 1.0})

    def test_a_file_holds_what_it_was_given(self):
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "kept.json"
            kept.write(path, {"a": kept.Figure("vus", (43.0, 43.5, 43.1), 40.0, 2.5, {"kernel": "6.1"})})
            again = kept.read(path)["a"]
        self.assertEqual((again.unit, again.boots, again.middle, again.more), ("vus", (43.0, 43.5, 43.1), 43.1, {"kernel": "6.1"}))
        self.assertAlmostEqual(again.spread, 0.5 / 43.1)

    def test_what_the_repository_keeps_is_of_three_boots(self):
        for name, each in kept.read(TESTS / "bench/kept.json").items():
            self.assertEqual(len(each.boots), 3, name)
            self.assertIn("kernel", each.more, name)


class Functions(unittest.TestCase):
    SYMBOLS = functions.Symbols("ffffffff81000000 startup\nffffffff81000100 ib_post\nffffffffc0000000 cw_link_send\t[causeway]\n"
                                "ffffffffc0000080 cw_link_send.cold\t[causeway]\nffffffffc0001000 rxe_post\t[rdma_rxe]\n")

    def test_instructions_belong_to_the_function_that_they_are_in(self):
        counts = functions.parse("ffffffffc0000000 5 100\nffffffffc0000020 3 40\nffffffffc0000080 2 1\nffffffff81000104 7 10\n",
                                 self.SYMBOLS)
        self.assertEqual(counts["causeway", "cw_link_send"], [620, 100])
        self.assertEqual(counts["kernel", "ib_post"], [70, 0])

    def test_what_grew_is_told_for_an_io_and_ours_is_apart(self):
        before = {("causeway", "cw_link_send"): [100, 10], ("kernel", "ib_post"): [50, 5]}
        after = {("causeway", "cw_link_send"): [620, 100], ("causeway", "cw_link_send.cold"): [20, 1], ("kernel", "ib_post"): [50, 5],
                 ("rdma_rxe", "rxe_post"): [1000, 10]}
        each = functions.per_io(before, after, 10)
        self.assertEqual(each["causeway", "cw_link_send"], (52.0, 9.0))
        self.assertNotIn(("kernel", "ib_post"), each)
        self.assertEqual(functions.ours(each), {"cw_link_send": 54.0})
