"""Random graphs through fuse-run, and the smallest graph that fails.

    python -m fuse_mlir.fuzz --fuse-run=build/bin/fuse-run --count=100 --seed=1
    python -m fuse_mlir.fuzz --fuse-run=build/bin/fuse-run --count=50000 --all

Each graph is planned by one strategy, the policies of other compilers among
them (`--all`: by every one, of which each different plan runs), compiled, run
and compared with the unfused reference. With `--all`, LLVM optimizes the
kernels of one strategy, of each by turns and of greedy every second time; the
checkers see more of the others'. Of every eighth graph all kernels are
optimized and assembled by ptxas, too, and the program is verified after each
pass. One that fails is made smaller while it fails in the same way and then
kept in a folder as `NAME.mlir` and `NAME.json` (how its arguments are drawn).
The same seed gives the same graphs. Needs nothing but Python. Exit code: 0 if
none failed, otherwise 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from fuse_mlir.fuzz_coverage import Coverage
from fuse_mlir.fuzz_graph import Graph, Node, Value
from fuse_mlir.fuzz_nodes import FOCUS, Generator
from fuse_mlir.fuzz_run import Outcome, Runner, Server

STRATEGIES = (
    "greedy",
    "optimal",
    "max",
    "none",
    "policy-xla",
    "policy-tvm",
    "policy-inductor",
    "policy-nvfuser",
    "policy-iree",
)

# Of so many graphs, one is run thoroughly (see `Runner`).
THOROUGH = 8


def without(graph: Graph, node: Node) -> Graph:
    """The graph with the results of a node as arguments."""
    replaced = {
        id(r): Value(r.dtype, r.shape, r.level, min(r.bound, 4.0))
        for r in node.results
    }
    return substitute(graph, node, replaced)


def bypass(graph: Graph, node: Node) -> Graph | None:
    """The graph with an operand of a node in place of its result."""
    if len(node.results) != 1:
        return None
    for value in node.inputs:
        if value.type == node.results[0].type:
            return substitute(graph, node, {id(node.results[0]): value})
    return None


def substitute(graph: Graph, gone: Node, by: dict[int, Value]) -> Graph:
    """The graph without a node whose results are replaced."""
    nodes = [
        Node(
            n.text,
            [by.get(id(v), v) for v in n.inputs],
            n.results,
            n.declaration,
        )
        for n in graph.nodes
        if n is not gone
    ]
    return Graph(nodes, [by.get(id(v), v) for v in graph.outputs]).prune()


def smaller(graph: Graph) -> list[Graph]:
    """Graphs with a little less, the smallest first."""
    made: list[Graph] = []
    for index in range(len(graph.outputs)):
        if len(graph.outputs) > 1:
            rest = graph.outputs[:index] + graph.outputs[index + 1 :]
            made.append(Graph(graph.nodes, rest).prune())
    for node in graph.nodes:
        # Return an inner value instead of everything.
        tensors = [r for r in node.results if r.shape is not None]
        if tensors and len(graph.nodes) > 1:
            made.append(Graph(graph.nodes, tensors[:1]).prune())
        made.append(without(graph, node))
        bypassed = bypass(graph, node)
        if bypassed:
            made.append(bypassed)
    useful = [g for g in made if g.nodes and len(g.nodes) <= len(graph.nodes)]
    return sorted(useful, key=lambda g: (len(g.nodes), len(g.outputs)))


def weight(graph: Graph) -> tuple[int, int]:
    """What shrinking makes smaller."""
    return len(graph.nodes), len(graph.outputs)


def shrink(
    fails: Callable[[Graph], bool], graph: Graph, budget: int = 200
) -> Graph:
    """Drops outputs and operators while the graph fails in the same way."""
    progress = True
    while progress and budget > 0:
        progress = False
        for candidate in smaller(graph):
            if weight(candidate) >= weight(graph):
                continue
            budget -= 1
            if fails(candidate):
                graph, progress = candidate, True
                break
            if budget <= 0:
                break
    return graph


def parse_range(text: str) -> tuple[int, int]:
    """Two numbers `LOW..HIGH`, or one."""
    low, _, high = text.partition("..")
    return int(low), int(high or low)


def parse_jobs(text: str) -> int:
    """A number of at least 1."""
    jobs = int(text)
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, but got {jobs}")
    return jobs


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="fuse_mlir.fuzz")
    parser.add_argument("--fuse-run", type=Path, required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ops", type=parse_range, default=(6, 20))
    parser.add_argument("--keep", type=Path, help="folder of failures")
    parser.add_argument(
        "--focus",
        choices=FOCUS,
        default="",
        help="kinds of operators that most graphs are to have, and larger ones",
    )
    parser.add_argument(
        "--coverage",
        type=Path,
        help="add what was drawn and what ran to the counts in this file, and "
        "print those of all runs",
    )
    parser.add_argument(
        "--all", action="store_true", help="every strategy for every graph"
    )
    parser.add_argument(
        "--dynamic",
        action="store_true",
        help="a size of every graph is known at run time only (default: of "
        "every third one)",
    )
    parser.add_argument("--jobs", type=parse_jobs, default=1)
    parser.add_argument(
        "--timeout", type=float, default=120.0, help="seconds for each run"
    )
    parser.add_argument(
        "--seconds", type=float, help="begin no further graph after that long"
    )
    parser.add_argument("--no-shrink", action="store_true")
    return parser.parse_args(arguments)


def order_strategies(seed: int, every: bool) -> tuple[str, ...]:
    """The strategies of a seed; kernels of the first are always optimized."""
    turn = STRATEGIES[seed % len(STRATEGIES)]
    if not every:
        return (turn,)
    first = STRATEGIES[0] if seed % 2 == 0 else turn
    return (first, *(s for s in STRATEGIES if s != first))


def check_one(
    options: argparse.Namespace,
    server: Server,
    folder: Path,
    coverage: Coverage,
    seed: int,
) -> int:
    """Makes and runs the graph of one seed; returns the number of failures."""
    rng = random.Random(seed)
    graph = Generator(rng, rng.randint(*options.ops), options.focus).graph
    coverage.add_graph(graph)
    strategies = order_strategies(seed, options.all)
    dynamic = options.dynamic or seed % 3 == 2
    runner = Runner(server, folder, coverage, dynamic, seed % THOROUGH == 0)
    # All at once; one by one to see whose plan has failed.
    together = runner.run(graph, ",".join(strategies), seed, f"seed{seed}_all")
    if not together.kind:
        return 0
    failures = sum(
        check_alone(options, runner, graph, seed, strategy, index == 0)
        for index, strategy in enumerate(strategies)
    )
    if failures or together.kind == "timeout":
        return failures
    print(f"seed{seed}: {together.kind}, but of no strategy alone")
    print_some(together.text)
    return 1


def check_alone(
    options: argparse.Namespace,
    runner: Runner,
    graph: Graph,
    seed: int,
    strategy: str,
    first: bool,
) -> int:
    """Runs the graph by one strategy and returns the number of failures.

    Of a graph that fails a smaller one that does so too is told and kept.
    """
    name = f"seed{seed}_{strategy}"

    def run(candidate: Graph) -> Outcome:
        return runner.run(candidate, strategy, seed, name, optimize=first)

    outcome = run(graph)
    if not outcome.kind:
        return 0
    failed = graph
    if not options.no_shrink:
        failed = shrink(lambda g: run(g).kind == outcome.kind, graph)
    # Writes the file of the failing graph again.
    last = run(failed)
    if last.kind:
        outcome = last
    else:
        outcome.text = "It did not fail again.\n" + outcome.text
    print(f"{name}: {outcome.kind} ({len(failed.nodes)} operators)")
    print_some(outcome.text)
    if options.keep:
        flags = [f"--strategy={strategy}", f"--seed={seed}"]
        flags += runner.flags(first)
        keep(options.keep, runner.folder / f"{name}.mlir", flags, outcome)
    sys.stdout.flush()
    return 1


def print_some(text: str) -> None:
    """Prints the first lines of a text."""
    for line in text.splitlines()[:12]:
        print("    " + line)


def keep(
    folder: Path, failed: Path, flags: list[str], outcome: Outcome
) -> None:
    """Copies a failing graph, with the command that runs it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / failed.name
    header = f"// {outcome.kind}\n// fuse-run {path.name} {' '.join(flags)}\n"
    path.write_text(header + failed.read_text())
    side = failed.with_suffix(".json")
    path.with_suffix(".json").write_text(side.read_text())


def clean(folder: Path, seed: int) -> None:
    """Removes the files of one seed."""
    for path in folder.glob(f"seed{seed}_*"):
        path.unlink()


def check_all(
    options: argparse.Namespace, folder: Path, coverage: Coverage
) -> tuple[int, int]:
    """Runs the graphs, each worker with a server of its own.

    Returns the numbers of graphs and of failures. With a limit of time no
    further graph is begun when it is over.
    """
    servers: SimpleQueue[Server] = SimpleQueue()
    for _ in range(options.jobs):
        servers.put(Server(options.fuse_run, options.timeout))
    end = time.monotonic() + options.seconds if options.seconds else None

    def check(seed: int) -> int | None:
        if end is not None and time.monotonic() > end:
            return None
        server = servers.get()
        try:
            return check_one(options, server, folder, coverage, seed)
        finally:
            clean(folder, seed)
            servers.put(server)

    seeds = range(options.seed, options.seed + options.count)
    with ThreadPoolExecutor(options.jobs) as pool:
        failures = [f for f in pool.map(check, seeds) if f is not None]
    while not servers.empty():
        servers.get().close()
    return len(failures), sum(failures)


def main(arguments: list[str]) -> int:
    """Runs the graphs; returns the exit code."""
    options = parse_arguments(arguments)
    coverage = Coverage()
    with tempfile.TemporaryDirectory() as folder:
        try:
            graphs, failures = check_all(options, Path(folder), coverage)
            if options.coverage:
                if options.coverage.exists():
                    coverage.add_file(options.coverage)
                coverage.write(options.coverage)
        except (OSError, ValueError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    print(coverage)
    print(f"{graphs} graphs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
