"""What the runs of `fuse_mlir.fuzz` were made of, in figures."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from threading import Lock
from typing import Any

from fuse_mlir.fuzz_graph import Graph

# What is counted, and the heading of its row.
TABLES = {
    "operators": "graphs with",
    "plans": "plans that ran, by whose they were first",
    "paths": "kernels that ran, by path",
}


class Coverage:
    """Counts by table and name, of all threads."""

    def __init__(self) -> None:
        self.tables: dict[str, Counter[str]] = {t: Counter() for t in TABLES}
        self.lock = Lock()

    def add_graph(self, graph: Graph) -> None:
        """Counts a graph once for each kind of operator in it."""
        with self.lock:
            self.tables["operators"].update({n.kind for n in graph.nodes})

    def add_report(self, report: dict[str, Any]) -> None:
        """Counts the plans of a report, and their kernels."""
        paths = Counter(str(g["path"] or "other") for g in report["groups"])
        ran = [(report["strategy"], paths)]
        ran += [
            (row["strategy"], Counter(row["paths"]))
            for row in report.get("also", [])
            if not row["same_as"]
        ]
        with self.lock:
            for strategy, kernels in ran:
                self.tables["plans"][strategy] += 1
                self.tables["paths"].update(kernels)

    def add_file(self, path: Path) -> None:
        """Adds what `write` has written before; ValueError if it did not."""
        content = json.loads(path.read_text())
        if not isinstance(content, dict) or content.keys() != TABLES.keys():
            raise ValueError(f"expected counts of runs in '{path}'")
        for table, counts in content.items():
            self.tables[table].update(counts)

    def write(self, path: Path) -> None:
        """Writes all counts as JSON."""
        path.write_text(json.dumps(self.tables, indent=2) + "\n")

    def __str__(self) -> str:
        """The tables as text, a line each."""
        lines: list[str] = []
        for table, heading in TABLES.items():
            counts = self.tables[table]
            row = ", ".join(f"{n} {c}" for n, c in counts.most_common())
            total = f" ({sum(counts.values())})" if table != "operators" else ""
            lines.append(f"{heading}{total}: {row}")
        return "\n".join(lines)
