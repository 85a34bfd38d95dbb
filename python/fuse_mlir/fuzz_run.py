"""Runs graphs of `fuse_mlir.fuzz` and says what became of them.

A fuse-run that starts once (`--serve`) runs each graph in a process of its
own, so that one that crashes or hangs is known and takes no other with it. All
checkers of the emulator are on unless FUSE_RUNTIME_CHECK says otherwise.
"""

from __future__ import annotations

import json
import random
import re
import shlex
import signal
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass
from os import environ, killpg
from pathlib import Path
from typing import Any

from fuse_mlir.fuzz_coverage import Coverage
from fuse_mlir.fuzz_dynamic import make_dynamic
from fuse_mlir.fuzz_graph import Graph


@dataclass
class Outcome:
    """What became of a run: empty `kind` if all is well."""

    kind: str
    text: str


@dataclass
class Finished:
    """A run's exit code, negative after a signal; None if it took too long."""

    code: int | None
    text: str


class Server:
    """One `fuse-run --serve`, started again whenever it has ended."""

    def __init__(self, tool: Path, timeout: float) -> None:
        self.tool = tool
        self.timeout = timeout
        self.process: subprocess.Popen[str] | None = None
        self.timed_out = False

    def start(self) -> subprocess.Popen[str]:
        """The running server."""
        if self.process is None or self.process.poll() is not None:
            self.close()
            self.process = subprocess.Popen(
                [str(self.tool), "--serve"],
                env={"FUSE_RUNTIME_CHECK": "all", **environ},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        return self.process

    def stop(self) -> None:
        """Ends the server and what it runs: a run that takes too long."""
        self.timed_out = True
        if self.process is not None:
            with suppress(ProcessLookupError):
                killpg(self.process.pid, signal.SIGKILL)

    def run(self, arguments: list[str], log: Path) -> Finished:
        """Runs fuse-run with these arguments; its output goes to `log`.

        Raises OSError if there is no server to be had.
        """
        log.unlink(missing_ok=True)
        process = self.start()
        assert process.stdin is not None and process.stdout is not None
        self.timed_out = False
        alarm = threading.Timer(self.timeout, self.stop)
        alarm.start()
        answer = ""
        with suppress(BrokenPipeError):
            process.stdin.write(shlex.join([str(log), *arguments]) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        alarm.cancel()
        text = log.read_text(errors="replace") if log.exists() else ""
        match = re.fullmatch(r"(exit|signal) (\d+)\n", answer)
        if match:
            number = int(match.group(2))
            return Finished(
                -number if match.group(1) == "signal" else number, text
            )
        self.close()
        if self.timed_out:
            return Finished(None, text)
        message = f"{self.tool} --serve ended, with code {process.returncode}"
        raise OSError(message)

    def close(self) -> None:
        """Ends the server and waits for it."""
        if self.process is None:
            return
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        self.process.wait()
        self.process = None


# Steps of the strategy optimal in most runs: of most graphs as many plans are
# looked at as need be, and the others take as long as all other strategies.
FEW_STEPS = 5000


@dataclass
class Runner:
    """Runs graphs through one server; the files lie in `folder`.

    A thorough run has ptxas assemble the kernels and verifies the program after
    each pass, LLVM optimizes the kernels of all strategies, not only of the
    first one, and the strategy optimal takes all its steps.
    """

    server: Server
    folder: Path
    coverage: Coverage
    dynamic: bool = False
    thorough: bool = False

    def flags(self, optimize: bool) -> list[str]:
        """The flags that say how thorough a run is."""
        yes = str(self.thorough).lower()
        return [
            f"--assemble={yes}",
            f"--verify-each={yes}",
            f"--opt-level={3 if self.thorough or optimize else 0}",
            *(
                []
                if self.thorough
                else ["--also-opt-level=0", f"--optimal-limit={FEW_STEPS}"]
            ),
        ]

    def write(self, path: Path, graph: Graph, seed: int) -> bool:
        """Writes a graph and its side file; true if with a dynamic size."""
        side = path.with_suffix(".json")
        made = (
            make_dynamic(graph, random.Random(seed)) if self.dynamic else None
        )
        path.write_text(made[0] if made else graph.render())
        side.write_text(json.dumps(made[1] if made else graph.draws()))
        return made is not None

    def run(
        self,
        graph: Graph,
        strategy: str,
        seed: int,
        name: str,
        optimize: bool = True,
    ) -> Outcome:
        """Compiles, runs and compares one graph.

        Of several strategies, with commas between, each different plan runs;
        LLVM optimizes the kernels of the first one if asked to.
        """
        path = self.folder / f"{name}.mlir"
        made_dynamic = self.write(path, graph, seed)
        outcome = self.judge(path, strategy, seed, optimize)
        if not made_dynamic or not outcome.kind:
            return outcome
        # Not every graph is a program with unknown sizes.
        log = path.with_suffix(".log")
        asked = self.server.run([str(path), "--reference-only"], log)
        if asked.code == 0:
            return outcome
        path.write_text(graph.render())
        path.with_suffix(".json").write_text(json.dumps(graph.draws()))
        return self.judge(path, strategy, seed, optimize)

    def judge(
        self, path: Path, strategy: str, seed: int, optimize: bool
    ) -> Outcome:
        """Compiles, runs and compares one file."""
        report = path.with_suffix(".report.json")
        report.unlink(missing_ok=True)
        others = strategy.partition(",")[2]
        arguments = [
            str(path),
            f"--strategy={strategy.partition(',')[0]}",
            *(["--also=" + others] if others else []),
            f"--seed={seed}",
            f"--report={report}",
            *self.flags(optimize),
            "--progress=never",
            "--caches=false",
        ]
        done = self.server.run(arguments, path.with_suffix(".log"))
        if done.code is None:
            return Outcome("timeout", done.text)
        if done.code < 0 or done.code > 2:
            return Outcome(f"crash {done.code}", done.text)
        if done.code == 1:
            found = re.search(r"error: (.*)", done.text)
            if not found:
                return Outcome("error without a message", done.text)
            return Outcome("error " + normalize(found.group(1)), done.text)
        if done.code == 2:
            return Outcome("mismatch", done.text)
        try:
            content = json.loads(report.read_text())
        except (OSError, ValueError) as error:
            return Outcome("no report", str(error))
        self.coverage.add_report(content)
        return check_report(content)


def check_report(report: dict[str, Any]) -> Outcome:
    """Checks what every report of a run that went well says."""
    ran = [{**report, "groups": len(report["groups"])}]
    ran += [row for row in report.get("also", []) if not row["same_as"]]
    for row in ran:
        if row["kernels"] > row["kernels_unfused"]:
            return Outcome("more kernels than unfused", row["strategy"])
        if row["verified"] is not True:
            return Outcome("not verified", row["strategy"])
        if row["groups"] != row["kernels"]:
            return Outcome("kernels differ from groups", row["strategy"])
    return Outcome("", "")


def normalize(message: str) -> str:
    """A message without the parts that depend on names and sizes."""
    varying = r"'[^']*'|0x[0-9a-f]+|[\d.]+|tensor<[^>]*>"
    return re.sub(varying, "#", message)[:120]
