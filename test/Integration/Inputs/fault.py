"""Sends SIGSEGV to a fuse-run while its emulator is at work: a crash, no error of
the program. FUSE_RUN MODEL; prints how it ended."""

import os
import signal
import subprocess
import sys
import time



def get_cpu_seconds(pid):
    """What a process has computed, whatever else the machine does."""
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


run = subprocess.Popen(
    [sys.argv[1], sys.argv[2], "--assemble=false", "--progress=always"],
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
print("signal", -run.wait(), "told" if "the program stopped" in rest else "crash")
