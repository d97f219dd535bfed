# SPDX-License-Identifier: GPL-2.0-or-later
"""A fuzzer fails if it hardly ran, has no floor, or no longer reaches the edges that its kept
inputs reached."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

FOLDER = Path(__file__).resolve().parents[1] / "fuzz"
RUN = FOLDER / "run"
loader = importlib.machinery.SourceFileLoader("fuzz_run", str(RUN))
fuzz = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_run", loader))
loader.exec_module(fuzz)

# Replaces a fuzzer: prints that it executed this number of inputs and reached this number of edges.
PROGRAM = "#!/bin/sh\necho '#2 INITED cov: {edges} ft: 9'\necho 'stat::number_of_executed_units: {runs}'\nexit {code}\n"


class Verdicts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def run_fuzzer(self, runs, edges=100, code=0, floors='{"setup": 100}', compiler="clang 14"):
        """Return whether a fuzzer with these results passes, and the output."""
        program = self.folder / "setup"
        program.write_text(PROGRAM.format(runs=runs, edges=edges, code=code))
        program.chmod(0o755)
        (self.folder / "floors.json").write_text(f'{{"compiler": "{compiler}", "edges": {floors}}}')
        with mock.patch.object(fuzz, "FLOORS", self.folder / "floors.json"), contextlib.redirect_stdout(io.StringIO()) as said, \
                mock.patch("sys.argv", ["run", "--seconds", "1", "--folder", str(self.folder), "setup"]):
            return fuzz.main() == 0, said.getvalue()

    def test_enough_runs_and_edges_pass(self):
        self.assertTrue(self.run_fuzzer(fuzz.RUNS_ELSE)[0])

    def test_a_fuzzer_that_was_too_slow_goes_on(self):
        passed, said = self.run_fuzzer(fuzz.RUNS_ELSE // 3 + 1)
        self.assertTrue(passed, said)
        self.assertEqual(said.count("goes on"), 2)

    def test_one_that_never_gets_there_fails(self):
        passed, said = self.run_fuzzer(1)
        self.assertFalse(passed)
        self.assertIn(f"after {fuzz.ATTEMPTS} runs, which had to be {fuzz.RUNS_ELSE}", said)

    def test_fewer_edges_than_the_kept_corpus_fail(self):
        self.assertTrue(self.run_fuzzer(fuzz.RUNS_ELSE, edges=96)[0])
        passed, said = self.run_fuzzer(fuzz.RUNS_ELSE, edges=94)
        self.assertFalse(passed)
        self.assertIn("it reached 94 edges, where the kept corpus reached 100 with clang 14", said)

    def test_a_target_without_a_floor_fails(self):
        passed, said = self.run_fuzzer(fuzz.RUNS_ELSE, floors='{"control": 100}')
        self.assertFalse(passed)
        self.assertIn("setup FAILED: it has no floor of edges in floors.json", said)

    def test_a_crash_fails_at_once(self):
        passed, said = self.run_fuzzer(1, code=77)
        self.assertFalse(passed)
        self.assertNotIn("goes on", said)

    def test_long_inputs_are_within_reach(self):
        for target, longest in (("to_server", 65 * 1024 + 8), ("to_client", 65 * 1024 + 8), ("netlink", 65000),
                                ("text", 2 * 4096)):
            self.assertGreaterEqual(fuzz.LONGEST[target], longest)


class Targets(unittest.TestCase):
    """A fuzzer that is missing in the Makefile's targets is never compiled, and make corpus gives
    it no floor."""

    def test_every_fuzzer_has_a_floor_and_kept_inputs(self):
        fuzzers = {source.stem for source in FOLDER.glob("*.cpp") if "LLVMFuzzerTestOneInput" in source.read_text()}
        self.assertEqual(set(json.loads((FOLDER / "floors.json").read_text())["edges"]), fuzzers)
        self.assertEqual({kept.parent.name for kept in FOLDER.glob("corpus/*/*")}, fuzzers)


if __name__ == "__main__":
    unittest.main()
