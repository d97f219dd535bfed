# SPDX-License-Identifier: GPL-2.0-or-later
"""The bench refuses invalid measurements, and its documents name the source of each figure."""

import sys
import unittest
from pathlib import Path

from check_test import program

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "bench"))

import goals            # noqa: E402
import measure          # noqa: E402
import report           # noqa: E402


class Refusing(unittest.TestCase):
    RESULT = {"ios": 320, "kinsn_per_io": 50.0, "context_switches_per_io": 0.0, "verbs_per_io": {"client": {"sends": 1.0}}}

    def test_a_good_measurement_is_taken(self):
        measure.judge(self.RESULT, 0)
        # A counter that does not change still differs slightly because of activity besides the
        # load.
        measure.judge({**self.RESULT, "context_switches_per_io": -0.01}, 0)
        measure.judge({**self.RESULT, "interrupts_per_io": -58 / 320}, 0)

    def test_a_measurement_in_which_something_was_sent_again_is_refused(self):
        with self.assertRaisesRegex(measure.Refused, "sent again 2 times"):
            measure.judge(self.RESULT, 2)

    def test_a_measurement_with_a_counter_below_zero_is_refused(self):
        with self.assertRaisesRegex(measure.Refused, "context_switches_per_io -2.46"):
            measure.judge({**self.RESULT, "context_switches_per_io": -2.46}, 0)
        with self.assertRaisesRegex(measure.Refused, "client sends -1"):
            measure.judge({**self.RESULT, "verbs_per_io": {"client": {"sends": -1.0}}}, 0)


class Documents(unittest.TestCase):
    ROW = {"system": "causeway", "transport": "rxe", "case": "randread-4k-qd1", "kinsn_per_io": 50.0, "context_switches_per_io": 4.0,
           "verbs_per_io": {"both": {}}, "latency_vus": {}}

    def test_each_row_says_of_which_revision_day_and_kernel_it_is(self):
        new = {**self.ROW, "revision": "abc", "date": "2026-11-24", "kernel": "6.1.0 (Debian 6.1.1-1)"}
        peer = {**new, "system": "nvme", "revision": "def"}
        said = report.markdown(goals.Table([new, peer, {**self.ROW, "case": "randwrite-4k-qd1", "revision": "old"}]))
        self.assertIn("| causeway (rxe) | abc | 2026-11-24 | 6.1.0 (Debian 6.1.1-1) |", said)
        self.assertIn("| nvme (rxe) | def | 2026-11-24 | 6.1.0 (Debian 6.1.1-1) |", said)
        self.assertIn("| causeway (rxe) | old | not recorded | not recorded |", said)

    def test_a_row_of_tcp_has_segments_in_place_of_work_requests(self):
        row = {**self.ROW, "transport": "tcp", "verbs_per_io": {"both": {"segments_sent": 2.0}}}
        said = report.markdown(goals.Table([row]))
        self.assertIn("| case | system | segments | context switches |", said)
        self.assertIn("| randread-4k-qd1 | causeway | 2.00 | 4.00 |", said)
        self.assertNotIn("Goals", said)

    def test_the_document_of_paths_has_a_row_for_each_load(self):
        result = {"transport": "rdma", "case": "randread-4k-qd16", "vus_of_one_path": 43.0, "second_path": 0.5, "ratio": 0.9, "lowest": 0.89,
                  "highest": 0.91, "packets_per_io": 2.1, "packets_of_one_path": 1.9, "revision": "abc", "kernel": "6.1"}
        said = program(TESTS / "bench/paths").markdown([{**result, "policy": "round-robin"}, {**result, "policy": "auto", "ratio": 1.0}])
        self.assertIn("| rdma | randread-4k-qd16 | 43.0 | 1.00 (0.89 to 0.91) | 50 % | 0.90 (0.89 to 0.91) | 50 % | 1.90 / 2.10 / 2.10 |", said)

    def test_the_document_of_scale_finds_the_constants_of_the_links(self):
        self.assertIn("| 10 | 160 | ", "\n".join(program(TESTS / "bench/scale").receives_table()))
