"""Normalizes and classifies every graph below the given folders.

check_classes.py FUSE_OPT FOLDER... fails if a graph does not pass, or if an
operator is opaque only because nobody knows its class. The last line counts
graphs and operators.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

UNKNOWN = re.compile(r"neither indexing maps|regions of unknown use|unregistered")


def check(command):
    """(problems, operators) of one graph."""
    done = subprocess.run(command, capture_output=True, text=True)
    path = command[-1]
    if done.returncode:
        return [path + ": " + done.stderr.strip()[:300]], 0
    lines = done.stdout.splitlines()
    problems = [path + ": " + line for line in lines if UNKNOWN.search(line)]
    if not lines:
        problems.append(path + ": no operator")
    return problems, len(lines)


def main():
    passes = ["--fuse-normalize-ops", "--fuse-classify-ops=print"]
    commands = [
        [sys.argv[1], *passes, "-o", "/dev/null", str(path)]
        for folder in sys.argv[2:]
        for path in sorted(pathlib.Path(folder).rglob("*.mlir"))
    ]
    problems, operators = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found, count in pool.map(check, commands):
            problems += found
            operators += count
    print("\n".join(problems))
    print(f"{len(commands)} graphs, {operators} operators, {len(problems)} unclassified")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
