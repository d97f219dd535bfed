#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mock_machines.py CAUSEWAY MACHINES: runs the installed command on a /sys that umockdev makes from
each file in the folder MACHINES, and tests that it finds the content of the file by readdir(),
readlink() and read()."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def read(machine):
    """Return {(class, device): {attribute: value}} for a file whose lines are
    "class/CLASS/DEVICE/ATTRIBUTE value"."""
    devices = {}
    for line in machine.read_text().splitlines():
        if line and not line.startswith("#"):
            path, _, value = line.partition(" ")
            _, kind, name, attribute = path.split("/", 3)
            devices.setdefault((kind, name), {})[attribute] = value.replace(";", "\n")
    return devices


def described(devices):
    """Return the devices in the format of umockdev-run(1)."""
    text = ""
    for (kind, name), attributes in devices.items():
        text += f"P: /devices/mock/{kind}/{name}\nE: SUBSYSTEM={kind}\n"
        for attribute, value in attributes.items():
            text += f"A: {attribute}={value}\\n\n".replace("\n", "\\n", value.count("\n"))
        text += "\n"
    return text


def asked(command, description, *words):
    done = subprocess.run(["umockdev-run", "--device", description, "--", command, "--json", *words], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise SystemExit(f"mock_machines: {' '.join(words)} of {description}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def faults_of(command, machine, folder):
    devices = read(machine)
    description = folder / machine.stem
    description.write_text(described(devices))

    wanted, infiniband = {}, {}
    for (kind, name), has in devices.items():
        if kind == "infiniband":
            ports = sorted({int(attribute.split("/")[1]) for attribute in has if attribute.startswith("ports/")})
            wanted[name] = (has["node_guid"], has.get("fw_ver"),
                            [(number, has[f"ports/{number}/state"].split()[-1], has[f"ports/{number}/rate"]) for number in ports])
        elif has.get("type") == "32":
            infiniband[name] = (has["mode"], int(has["mtu"]), has["address"])
    shown = {device["name"]: (device["node_guid"], device["firmware"],
                              [(port["port"], port["state"], port["rate"]) for port in device["ports"]])
             for device in asked(command, description, "show")["devices"]}
    interfaces = {each["name"]: (each["mode"], each["mtu"], each["address"])
                  for each in asked(command, description, "ipoib", "show")["interfaces"]}
    return [f"{machine.stem}: {found}, not {right}" for found, right in ((shown, wanted), (interfaces, infiniband)) if found != right]


def main():
    command, machines = Path(sys.argv[1]).resolve(), sorted(Path(sys.argv[2]).glob("*.sysfs"))
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for machine in machines:
            faults += faults_of(command, machine, Path(folder))
    for fault in faults:
        print(f"mock_machines: {fault}", file=sys.stderr)
    print(f"mock_machines: {len(machines)} machines, {len(faults)} faults")
    sys.exit(1 if faults or not machines else 0)


if __name__ == "__main__":
    main()
