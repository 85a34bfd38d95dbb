#!/usr/bin/env python3
"""Finds the first fusion that makes a command fail.

    bisect_fusion.py --max=N -- COMMAND ARGUMENT... {counter} ARGUMENT...

COMMAND is run with `{counter}` replaced by upstream's flag that lets the first
n decisions to fuse happen; it succeeds if all is well. It has to succeed for
n = 0 and to fail for n = N, the number of decisions (--log-actions-to lists
them). The exit code is 0 if a decision was found, 1 if there is nothing to
bisect. docs/Bisecting.md is a tutorial.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

FLAG = "--mlir-debug-counter=fuse-decision-skip=0,fuse-decision-count={count}"


def is_good(command: list[str], count: int) -> bool:
    """Whether `command` succeeds with the first `count` decisions."""
    flag = FLAG.format(count=count)
    words = [word.replace("{counter}", flag) for word in command]
    quiet = subprocess.DEVNULL
    return subprocess.run(words, stdout=quiet, stderr=quiet).returncode == 0


def main() -> int:
    """Halves the interval of counts between a good and a bad one."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--max", type=int, required=True, metavar="N")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if not any("{counter}" in word for word in options.command):
        parser.error("expected {counter} in the command")
    if options.max < 1:
        parser.error(f"expected --max of at least 1, but got {options.max}")

    def probe(count: int) -> bool:
        good = is_good(options.command, count)
        print(f"count={count}: {'good' if good else 'bad'}", flush=True)
        return good

    if probe(options.max):
        print(f"the command succeeds with all {options.max} decisions")
        return 1
    good, bad = 0, options.max
    while bad - good > 1:
        middle = (good + bad) // 2
        if probe(middle):
            good = middle
        else:
            bad = middle
    if good == 0 and not is_good(options.command, 0):
        print("the command fails without any fusion, too")
        return 1
    flag = FLAG.format(count=bad)
    print(f"decision {bad} is the first bad one: {flag}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
