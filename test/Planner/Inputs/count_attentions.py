"""Counts the attentions that a plan finds.

count_attentions.py FUSE_OPT FOLDER NAME... prints a line for each graph: the
groups that are attentions, and their kernels.
"""

import json
import subprocess
import sys
import tempfile


def plan(fuse_opt, path):
    with tempfile.TemporaryDirectory() as folder:
        report = folder + "/report.json"
        options = f"--fuse-plan=report={report}"
        subprocess.run([fuse_opt, path, options, "-o", "/dev/null"], check=True)
        return json.load(open(report))


def main():
    fuse_opt, folder, *names = sys.argv[1:]
    for name in names:
        groups = plan(fuse_opt, f"{folder}/{name}.mlir")["groups"]
        found = [group for group in groups if group["path"] == "attention"]
        kernels = sum(group["kernels"] for group in found)
        print(f"{name}: {len(found)} attentions, {kernels} kernels")


if __name__ == "__main__":
    main()
