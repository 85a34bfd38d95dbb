"""Sends SIGSEGV to a fuse-run while its emulator is at work: a crash, no error of
the program. FUSE_RUN MODEL; prints how it ended.

The emulator may be in the C library just then, of whose code fuse-run cannot tell
who has called it: such a run says nothing, and there is another one, up to five.
"""

import os
import signal
import subprocess
import sys
import time

RUNS = 5


def get_cpu_seconds(pid):
    """What a process has computed, whatever else the machine does."""
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def disturb(tool, model):
    """How a run ended: the signal, and what fuse-run took it for."""
    run = subprocess.Popen(
        [tool, model, "--assemble=false", "--progress=always"],
        env={
            **os.environ,
            "FUSE_RUNTIME_CHECK": "all",
            "LLVM_DISABLE_SYMBOLIZATION": "1",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    for line in run.stderr:
        if " kernel " in line:
            begin = get_cpu_seconds(run.pid)
            while run.poll() is None and get_cpu_seconds(run.pid) < begin + 0.5:
                time.sleep(0.05)
            run.send_signal(signal.SIGSEGV)
            break
    rest = run.stderr.read()
    taken = "told" if "the program stopped" in rest else "crash"
    return "signal %d %s" % (-run.wait(), taken)


ends = []
while len(ends) < RUNS and "signal 11 crash" not in ends:
    ends.append(disturb(*sys.argv[1:3]))
print(ends[-1])
