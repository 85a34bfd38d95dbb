"""Pictures of a plan: a graph of its kernels, and a page with everything.

    fuse-explain model.mlir --report=plan.json
    fuse-run model.mlir --report=run.json
    python -m fuse_mlir.show plan.json --run=run.json --html=plan.html
    python -m fuse_mlir.show plan.json --svg=plan.svg --dot=plan.dot

The page is one file and needs no network: totals, kernels by time, a roofline,
all decisions with both prices term by term, the graph, and the lines of the
source, linked with each other. What `fuse-run` measured stands beside what was
predicted where kernels have the same name. Graphs are drawn by Graphviz
(`dot`); without it the page says so. Needs nothing else but Python.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

Report = dict[str, Any]

# Kernels up to this number show what they take from outside and leave there.
SMALL = 40
# Operators in the label of a kernel.
LISTED = 5
COLORS = {
    "contraction": "#f4c7a1",
    "reduction": "#b8d8f0",
    "movement": "#d9d2e9",
    "scan": "#f9cb9c",
}
# What a run adds to the row of a kernel.
MEASURED = ("registers", "spill_bytes", "shared_bytes", "counted_sectors")


class ShowError(Exception):
    """What the user should know; no traceback."""


def si(value: float, unit: str) -> str:
    """A number with three digits and a decimal prefix: 1.23 MB."""
    for prefix in ("", "k", "M", "G", "T"):
        if abs(value) < 1000 or prefix == "T":
            return f"{value:.3g} {prefix}{unit}"
        value /= 1000
    raise AssertionError("unreachable")


def quote(text: str) -> str:
    """A string of the DOT language."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def op_name(identity: str) -> str:
    """`linalg.exp` of `main:4:linalg.exp:file.mlir:7:8`."""
    return identity.split(":")[2]


def label(group: Report) -> str:
    """What a kernel's box says."""
    names = [op_name(op).split(".", 1)[-1] for op in group["ops"]]
    lines = [group["name"]]
    if group["predicted_ns"] is not None:
        lines.append(f"{group['predicted_ns'] / 1000:.2f} us")
    more = len(names) - LISTED
    lines.append(" ".join(names[:LISTED]) + (f" +{more}" if more > 0 else ""))
    return "\n".join(lines)


def make_dot(report: Report) -> str:
    """The kernels of a plan and the bytes between them, in the DOT language."""
    groups = report["groups"]
    small = len(groups) <= SMALL
    lines = [
        "digraph plan {",
        '  node [shape=box style="filled,rounded" fontname="sans-serif" '
        "fontsize=10]",
        '  edge [fontname="sans-serif" fontsize=9 color="#667788"]',
    ]
    for group in groups:
        color = COLORS.get(group["class"], "#d5e8d4")
        text = quote(label(group)).replace("\n", "\\n")
        lines.append(
            f"  {quote(group['name'])} [label={text} "
            f'fillcolor="{color}" tooltip={quote(group["name"])}]'
        )
    if small:
        lines.append("  inputs [shape=plaintext style=solid]")
        lines.append("  results [shape=plaintext style=solid]")
    for edge in report.get("edges", []):
        ends = [edge["from"] or "inputs", edge["to"] or "results"]
        if not small and None in (edge["from"], edge["to"]):
            continue
        source, target = (quote(end) for end in ends)
        text = quote(si(edge["bytes"], "B"))
        lines.append(f"  {source} -> {target} [label={text}]")
    return "\n".join([*lines, "}"]) + "\n"


def draw(dot: str) -> str | None:
    """The SVG that Graphviz makes of a graph; nothing without Graphviz."""
    tool = shutil.which("dot")
    if not tool:
        return None
    done = subprocess.run(
        [tool, "-Tsvg"], input=dot, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ShowError(f"dot: {done.stderr.strip()}")
    return done.stdout


def read_report(path: Path) -> Report:
    """A report of docs/Report.md."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ShowError(f"cannot read '{path}': {error.strerror}") from None
    except ValueError as error:
        raise ShowError(f"'{path}' is no JSON: {error}") from None
    if not isinstance(report, dict) or "groups" not in report:
        raise ShowError(f"'{path}' is no report of a plan (docs/Report.md)")
    return report


def add_run(report: Report, run: Report) -> None:
    """Adds what a run measured to the kernels of the same names."""
    rows = {group["name"]: group for group in run["groups"]}
    if not any(group["name"] in rows for group in report["groups"]):
        raise ShowError("the run has none of the kernels of the plan")
    for group in report["groups"]:
        for key in MEASURED:
            group[key] = rows.get(group["name"], {}).get(key)
    for key in ("verified", "max_error"):
        report[key] = run[key]


def find_source(report: Report, given: Path | None) -> str:
    """The text of the model, for the lines that operators come from."""
    path = given or Path(report["model"])
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        if given:
            raise ShowError(f"cannot read '{path}': {error.strerror}") from None
        return ""


def embed(value: object) -> str:
    """JSON that can stand in a script element."""
    return json.dumps(value).replace("<", "\\u003c")


def make_page(report: Report, source: str, svg: str | None) -> str:
    """The HTML page: show.html with all that it needs put in."""
    folder = Path(__file__).parent
    parts = {
        "STYLE": (folder / "show.css").read_text(encoding="utf-8"),
        "SCRIPT": (folder / "show.js").read_text(encoding="utf-8"),
        "GRAPH": svg[svg.index("<svg") :]
        if svg
        else "<p>Graphviz (dot) was not there to draw the graph.</p>",
        "SOURCE": embed(source),
        "REPORT": embed(report),
    }
    page = (folder / "show.html").read_text(encoding="utf-8")
    # In one pass: what is put in may hold marks, too.
    return re.sub(r"@([A-Z]+)@", lambda mark: parts[mark[1]], page)


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="fuse_mlir.show",
        description="Shows a plan as a picture or a page.",
    )
    parser.add_argument("report", type=Path, help="of fuse-explain --report")
    parser.add_argument("--run", type=Path, help="report of fuse-run")
    parser.add_argument(
        "--source", type=Path, help="the model (default: its path)"
    )
    parser.add_argument("--html", type=Path, help="page to write")
    parser.add_argument("--dot", type=Path, help="graph to write as DOT")
    parser.add_argument("--svg", type=Path, help="graph to write as SVG")
    options = parser.parse_args(arguments)
    if not (options.html or options.dot or options.svg):
        parser.error("expected --html, --dot or --svg")
    return options


def show(options: argparse.Namespace) -> None:
    """Writes what is asked for."""
    report = read_report(options.report)
    if options.run:
        add_run(report, read_report(options.run))
    dot = make_dot(report)
    svg = draw(dot) if options.svg or options.html else None
    if options.svg and svg is None:
        raise ShowError("--svg needs Graphviz: 'dot' is not in the path")
    source = find_source(report, options.source) if options.html else ""
    if options.dot:
        options.dot.write_text(dot, encoding="utf-8")
    if options.svg and svg is not None:
        options.svg.write_text(svg, encoding="utf-8")
    if options.html:
        options.html.write_text(
            make_page(report, source, svg), encoding="utf-8"
        )


def main(arguments: list[str]) -> int:
    """Runs the tool; the exit code is 1 after an error."""
    try:
        show(parse_arguments(arguments))
    except (ShowError, OSError) as error:
        print(f"fuse_mlir.show: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
