#!/usr/bin/env python3
"""Plans graphs and prints kernels and bytes beside those of other compilers.

  compare_peers.py --fuse-opt PROGRAM FOLDER... [--peers docs/peers.json]
                   [--strategy greedy] [--cost-model analytic] [--all]

For each graph of docs/peers.json that lies as NAME.mlir in one of the folders: a
cell is kernels / (bytes of all kernels divided by compulsory bytes). The unit of
bytes is that of the data file: gather tables count whole. With --all graphs
without figures of others are listed as well. The last lines sum up. The exit
code is 1 if a graph does not plan.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
)


def plan(options, path):
    """The report of one graph, or the error as text."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        pipeline = (
            "builtin.module(fuse-normalize-ops,fuse-classify-ops,"
            "fuse-form-groups{strategy=%s cost-model=%s report=%s})"
            % (options.strategy, options.cost_model, report)
        )
        result = subprocess.run(
            [options.fuse_opt, path, "--pass-pipeline=" + pipeline,
             "-o", os.devnull],
            stderr=subprocess.PIPE, text=True, check=False)
        if result.returncode != 0:
            return result.stderr.strip().split("\n")[0]
        with open(report, encoding="utf-8") as file:
            return json.load(file)


def find_graphs(options, known):
    """(name, path) of every graph to plan, sorted by name."""
    found = {}
    for folder in options.folders:
        for entry in sorted(os.listdir(folder)):
            name, extension = os.path.splitext(entry)
            if extension != ".mlir" or name in found:
                continue
            if name in known or options.all:
                found[name] = os.path.join(folder, entry)
    return sorted(found.items())


def cell(kernels, ratio):
    return "%d/%.2f" % (kernels, ratio)


class Table:
    """Rows beside the peers', and the sums over rows that have both."""

    def __init__(self, known):
        self.known = known
        self.peers = sorted({p for g in known.values() for p in g["peers"]})
        self.kernels = self.best_kernels = self.rows = self.misses = 0
        self.log = self.best_log = 0.0

    def head(self):
        return ["graph", "MB", "unfused", "fuse", "best"] + self.peers + [""]

    def add(self, name, report):
        graph = self.known.get(name)
        compulsory = max(1, report["compulsory_bytes"])
        if graph:  # The same denominator for all.
            compulsory = max(1.0, graph["compulsory_mb"] * 1e6)
            if abs(compulsory - report["compulsory_bytes"]) < 6e4:
                compulsory = max(1, report["compulsory_bytes"])
        ratio = report["bytes"] / compulsory
        row = [name, "%.1f" % (compulsory / 1e6),
               cell(report["kernels_unfused"],
                    report["bytes_unfused"] / compulsory),
               cell(report["kernels"], ratio)]
        if not graph:
            return row + ["–"] * (len(self.peers) + 1) + [""]
        figures = graph["peers"].values()
        kernels = min(f["kernels"] for f in figures)
        least = min(f["bytes_per_compulsory"] for f in figures)
        missed = report["kernels"] > kernels or ratio > least + 0.005
        self.rows += 1
        self.misses += missed
        self.kernels += report["kernels"]
        self.best_kernels += kernels
        self.log += math.log(ratio)
        self.best_log += math.log(least)
        row.append(cell(kernels, least))
        for peer in self.peers:
            figure = graph["peers"].get(peer)
            row.append(cell(figure["kernels"], figure["bytes_per_compulsory"])
                       if figure else "–")
        return row + ["<" if missed else ""]

    def summary(self):
        if not self.rows:
            return "no graph with figures of others"
        return ("%d graphs: %d kernels (best of the others %d), geometric mean "
                "of bytes / compulsory %.3f (%.3f), %d behind the best"
                % (self.rows, self.kernels, self.best_kernels,
                   math.exp(self.log / self.rows),
                   math.exp(self.best_log / self.rows), self.misses))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--fuse-opt", default="fuse-opt")
    parser.add_argument("--peers",
                        default=os.path.join(ROOT, "docs", "peers.json"))
    parser.add_argument("--strategy", default="greedy")
    parser.add_argument("--cost-model", default="analytic")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    with open(options.peers, encoding="utf-8") as file:
        known = json.load(file)["graphs"]
    table = Table(known)
    head = table.head()
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    failed = False
    for name, path in find_graphs(options, known):
        report = plan(options, path)
        if isinstance(report, str):
            print("| %s | %s |" % (name, report), flush=True)
            failed = True
            continue
        print("| " + " | ".join(table.add(name, report)) + " |", flush=True)
    print(table.summary())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
