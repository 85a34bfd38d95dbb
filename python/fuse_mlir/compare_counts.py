#!/usr/bin/env python3
"""Compares what the cost model predicts of kernels with what was counted.

  compare_counts.py REPORT.json...

Each report is one of `fuse-run --report` (docs/Report.md) with a backend that
counts and with ptxas. For every kernel: requested sectors predicted and counted,
registers predicted and assembled, and their relative errors. The last lines sum
up: mean and worst error over all kernels. With --limit-sectors or
--limit-registers (per cent, mean error) the exit code is 1 where the mean is
above.
"""

import argparse
import json
import sys


def error(predicted, counted):
    """Relative error in per cent; None if one of the two is unknown."""
    if predicted is None or not counted:
        return None
    return 100.0 * (predicted - counted) / counted


def rows(paths):
    """(graph, kernel row) of every report."""
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        except (OSError, ValueError) as reason:
            sys.exit(f"compare_counts: error: cannot read '{path}': {reason}")
        if not isinstance(report, dict) or "groups" not in report:
            sys.exit(f"compare_counts: error: '{path}' is no report of fuse-run")
        for group in report["groups"]:
            yield report["model"], group


def requested(sectors):
    return sectors and sectors["requested"]


def show(value, form="%d"):
    return "-" if value is None else form % value


def summarize(title, errors, limit):
    """Prints mean and worst; whether the limit holds."""
    if not errors:
        print("%-10s nothing to compare" % title)
        return limit is None
    sizes = [abs(value) for value in errors]
    mean = sum(sizes) / len(sizes)
    within = sum(size <= 5 for size in sizes)
    print("%-10s mean error %.1f %%, worst %.1f %%, within 5 %%: %d of %d"
          % (title, mean, max(sizes), within, len(sizes)))
    return limit is None or mean <= limit


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--limit-sectors", type=float)
    parser.add_argument("--limit-registers", type=float)
    options = parser.parse_args()
    line = "%-56s %-9s %12s %12s %8s %6s %6s %8s"
    print(line % ("kernel", "path", "sectors", "counted", "error %",
                  "regs", "ptxas", "error %"))
    sectors, registers = [], []
    for model, group in rows(options.reports):
        predicted = requested(group["predicted_sectors"])
        counted = requested(group["counted_sectors"])
        wrong = error(predicted, counted)
        guess, real = group["registers_predicted"], group["registers"]
        off = error(guess, real)
        if wrong is not None:
            sectors.append(wrong)
        if off is not None:
            registers.append(off)
        print(line % ((model + " " + group["name"])[:56], group["path"],
                      show(predicted), show(counted), show(wrong, "%.1f"),
                      show(guess), show(real), show(off, "%.1f")))
    fine = summarize("sectors", sectors, options.limit_sectors)
    fine &= summarize("registers", registers, options.limit_registers)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
