"""Stands in for `fuse-run --serve`: fails on graphs with a word in them.

    failing_server.py WORD crash|hang|end|together --serve

A run of such a graph dies by signal 11 (with `together` only if it is of several
strategies), never ends, or takes the server with it. All other runs write a report of one verified kernel.
"""

import json
import shlex
import sys
import time
from pathlib import Path

word, way = sys.argv[1:3]
for line in sys.stdin:
    log, model, *flags = shlex.split(line)
    Path(log).write_text("a log\n")
    fails = word in Path(model).read_text()
    if way == "together":
        fails &= any(flag.startswith("--also=") for flag in flags)
    if fails:
        if way == "hang":
            time.sleep(1000)
        if way == "end":
            sys.exit(3)
        print("signal 11", flush=True)
        continue
    report = {
        "kernels": 1,
        "kernels_unfused": 1,
        "verified": True,
        "groups": [{"path": "row"}],
        "strategy": "greedy",
    }
    for flag in flags:
        if flag.startswith("--report="):
            Path(flag.split("=")[1]).write_text(json.dumps(report))
    print("exit 0", flush=True)
