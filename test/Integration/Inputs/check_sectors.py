"""Runs a model: so many kernels, verified, and no kernel asks for more sectors
than a multiple of its operands' bytes.

  check_sectors.py MODEL [--kernels=1] [--max-ratio=1.1] [--dram-ratio=1.1]
                   [--predicted-error=0.05]

The figures are of the emulator's counters; a gather's table counts as far as it
is read. With --predicted-error the cost model has to predict what warps ask for
that exactly.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--kernels", type=int, default=1)
    parser.add_argument("--max-ratio", type=float, default=1.10)
    parser.add_argument("--dram-ratio", type=float, default=1.10)
    parser.add_argument("--predicted-error", type=float)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "plan.report")
        result = subprocess.run(
            ["fuse-run", options.model, "--report=" + path],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            sys.exit(result.stdout)
        report = json.load(open(path))
    wrong = []
    if report["kernels"] != options.kernels:
        wrong.append("%d kernels" % report["kernels"])
    if report["verified"] is not True:
        wrong.append("not verified")
    for group in report["groups"]:
        counted = group["counted_sectors"]
        predicted = group["predicted_sectors"]["requested"]
        error = abs(predicted / counted["requested"] - 1)
        if options.predicted_error is not None and error > options.predicted_error:
            wrong.append("%s: %d sectors, but %d are predicted" %
                         (group["name"], counted["requested"], predicted))
        moved = (group["bytes_read"] + group["bytes_written"]) / 32
        asked, dram = counted["requested"] / moved, counted["dram"] / moved
        print("%s: path %s, requested %.3f, DRAM %.3f of %.0f sectors" % (
            group["name"], group["path"], asked, dram, moved))
        if asked > options.max_ratio:
            wrong.append("over %g" % options.max_ratio)
        if dram > options.dram_ratio:
            wrong.append("DRAM over %g" % options.dram_ratio)
    if wrong:
        sys.exit("wrong: " + ", ".join(wrong))


main()
