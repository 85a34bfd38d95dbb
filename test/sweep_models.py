#!/usr/bin/env python3
"""Runs fuse-run over folders of model graphs and counts what passes.

  sweep_models.py --tools build/bin --run --plan FOLDER...

`--run` executes FOLDER/run/*.mlir and FOLDER/small/*.mlir and asks for a
verified result, of the former on no path `general`; `--plan` compiles
FOLDER/*.mlir, FOLDER/full/*.mlir and FOLDER/tosa/*.mlir with --no-run. Every file is taken with the first strategy;
each further strategy takes a third of them, another one each day, or all with
`--all`. The last line is `N passed, N failed`.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib


def find_files(folders, patterns, pattern_filter):
    """The files of the folders that match, as (name to show, path)."""
    found = []
    for folder in folders:
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(folder, pattern))):
                name = os.path.relpath(path, folder)
                if re.search(pattern_filter, name):
                    found.append((name, path))
    return found


def make_jobs(args):
    """All (name, path, strategy, execute) to be done."""
    jobs = []
    kinds = []
    if args.run:
        kinds.append((["run/*.mlir", "small/*.mlir"], True))
    if args.plan:
        kinds.append((["*.mlir", "full/*.mlir", "tosa/*.mlir"], False))
    for patterns, execute in kinds:
        for name, path in find_files(args.folders, patterns, args.filter):
            for rank, strategy in enumerate(args.strategies.split(",")):
                turn = (zlib.crc32(name.encode()) + args.rotation + rank) % 3
                if rank == 0 or args.all or turn == 0:
                    jobs.append((name, path, strategy, execute))
    return jobs


def is_opaque(path):
    """True if the side file says that the graph calls an unknown function."""
    try:
        with open(os.path.splitext(path)[0] + ".json") as side:
            return bool(json.load(side).get("opaque"))
    except (OSError, ValueError):
        return False


def judge(job, result, report_path):
    """None if the run is as it should be, else what is wrong."""
    name, path, _, execute = job
    if result.returncode < 0 or result.returncode >= 126:
        return "crashed, exit code %d" % result.returncode
    if result.returncode != 0:
        return "exit code %d" % result.returncode
    try:
        with open(report_path) as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        return "no report: %s" % error
    # Where there is a ptxas, it must have taken every kernel.
    assembled = [g.get("registers") is not None for g in report["groups"]]
    if any(assembled) and not all(assembled):
        return "a kernel was not assembled"
    if execute and not is_opaque(path) and report.get("verified") is not True:
        return "not verified"
    # A thread's loops are for what models do not have.
    general = [g["name"] for g in report["groups"] if g["path"] == "general"]
    if general and name.startswith("run" + os.sep):
        return "on path general: %s" % ", ".join(general)
    return None


def run(job, args):
    """Runs one job: (job, what is wrong or None, seconds, text)."""
    name, path, strategy, execute = job
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        command = [os.path.join(args.tools, "fuse-run"), path]
        command += ["--strategy=" + strategy, "--report=" + report]
        command += args.extra
        if not execute:
            command.append("--no-run")
        start = time.time()
        try:
            result = subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                timeout=args.timeout,
            )
            wrong = judge(job, result, report)
            text = result.stderr.strip()
        except subprocess.TimeoutExpired:
            wrong, text = "no end after %d s" % args.timeout, ""
        except OSError as error:
            wrong, text = str(error), ""
        return job, wrong, time.time() - start, text


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--tools", required=True, help="where fuse-run is")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--plan", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--strategies", default="greedy")
    parser.add_argument("--filter", default="", help="regular expression")
    parser.add_argument("--timeout", type=int, default=300, help="seconds")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--rotation",
        type=int,
        default=int(time.time() // 86400),
        help="which third the further strategies take (default: by the day)",
    )
    parser.add_argument(
        "--extra",
        action="append",
        default=[],
        help="one more argument for fuse-run",
    )
    return parser.parse_args()


def main():
    args = parse_arguments()
    jobs = make_jobs(args)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [pool.submit(run, job, args) for job in jobs]
        for future in futures:
            job, wrong, seconds, text = future.result()
            name, _, strategy, execute = job
            print(
                "%s %s %s%s (%.1f s)%s"
                % (
                    "FAIL:" if wrong else "PASS:",
                    name,
                    strategy,
                    "" if execute else " --no-run",
                    seconds,
                    ": " + wrong if wrong else "",
                ),
                flush=True,
            )
            if wrong:
                failed += 1
                for line in text.splitlines()[:4]:
                    print("    " + line[:300])
    if not jobs:
        print("no file found")
    print("%d passed, %d failed" % (len(jobs) - failed, failed or not jobs))
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
