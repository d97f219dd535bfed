# SPDX-License-Identifier: GPL-2.0-or-later
"""The verbs by themselves: requests and replies that carry the same bytes, with no disk and no
protocol behind them.

tests/modules/rawverbs describes the operations that move the data."""

import re

from fio import Report

NAME = "raw"
GROUNDS = ("rxe", "wire", "siw", "sim")
FOLDER = "/sys/kernel/debug/rawverbs"


def takes(case):
    return case.devices == 1 and case.batch == 1 and not case.more and case.threads > 2


def start(server, client, ground, count):
    client.run(f"modprobe rawverbs server={ground.server} client={ground.client}")
    return []


class Load:
    def __init__(self, case, files):
        self.case = case

    def command(self, ios):
        case = self.case
        return f"echo {'write' if case.writes else 'read'} {case.block} {case.depth} {ios} >{FOLDER}/run && cat {FOLDER}/run"

    @staticmethod
    def report(output):
        ios, ns = map(int, re.match(r"ios (\d+) ns (\d+)", output).groups())
        return Report(ios, ns / 1000)
