#!/usr/bin/env python3
"""Compares what the cost model predicts of kernels with what was counted.

  compare_counts.py REPORT.json...

Each report is one of `fuse-run --report` (docs/Report.md) with a backend that
counts and with ptxas. For every kernel: requested sectors predicted and
counted, registers predicted and assembled, and their relative errors. The last
lines sum up: mean and worst error over all kernels. With --limit-sectors or
--limit-registers (per cent, mean error) the exit code is 1 where the mean is
above.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

ROW = "{:<56} {:<9} {:>12} {:>12} {:>8} {:>6} {:>6} {:>8}"


def error(predicted: float | None, counted: float | None) -> float | None:
    """Relative error in per cent; None if one of the two is unknown."""
    if predicted is None or not counted:
        return None
    return 100.0 * (predicted - counted) / counted


def rows(paths: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(graph, kernel row) of every report."""
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        except (OSError, ValueError) as reason:
            sys.exit(f"compare_counts: error: cannot read '{path}': {reason}")
        if not isinstance(report, dict) or "groups" not in report:
            sys.exit(
                f"compare_counts: error: '{path}' is no report of fuse-run"
            )
        for group in report["groups"]:
            yield report["model"], group


def requested(sectors: dict[str, int] | None) -> int | None:
    """Requested sectors of a kernel, where they are known."""
    return sectors["requested"] if sectors else None


def show(value: float | None, form: str = "d") -> str:
    """A cell of the table."""
    return "-" if value is None else format(value, form)


def summarize(title: str, errors: list[float], limit: float | None) -> bool:
    """Prints mean and worst; whether the limit holds."""
    if not errors:
        print(f"{title:<10} nothing to compare")
        return limit is None
    sizes = [abs(value) for value in errors]
    mean = sum(sizes) / len(sizes)
    within = sum(size <= 5 for size in sizes)
    print(
        f"{title:<10} mean error {mean:.1f} %, worst {max(sizes):.1f} %, "
        f"within 5 %: {within} of {len(sizes)}"
    )
    return limit is None or mean <= limit


def main() -> int:
    """Prints a row for each kernel and the two last lines."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--limit-sectors", type=float)
    parser.add_argument("--limit-registers", type=float)
    options = parser.parse_args()
    print(
        ROW.format(
            "kernel",
            "path",
            "sectors",
            "counted",
            "error %",
            "regs",
            "ptxas",
            "error %",
        )
    )
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
        print(
            ROW.format(
                f"{model} {group['name']}"[:56],
                group["path"],
                show(predicted),
                show(counted),
                show(wrong, ".1f"),
                show(guess),
                show(real),
                show(off, ".1f"),
            )
        )
    fine = summarize("sectors", sectors, options.limit_sectors)
    fine &= summarize("registers", registers, options.limit_registers)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
