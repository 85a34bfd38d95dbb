"""Runs one file of test/Integration/cases: compiles it with
`fuse-opt --fuse-to-ptx=host=llvm`, runs the host code with stock mlir-runner
over libfuse_runtime, and compares what it prints with the file's lines

  // EXPECT: VALUES       one line for each printed tensor, in order
  // TOLERANCE: EPSILON   relative, on each number (default: as printed)
  // KERNELS: NUMBER      entry points in the PTX

  run_case.py FILE MLIR-LIBRARY-FOLDER RUNTIME-LIBRARY [OPTIONS-OF-PIPELINE]
"""

import os
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"-?(?:inf|nan|\d[\d.]*(?:e[-+]?\d+)?)")


def directive(text, name):
    return re.findall(r"^// %s: *(.*)$" % name, text, re.M)


def normalize(line):
    return re.sub(r"\s", "", line).replace("-nan", "nan")


def printed_tensors(output):
    """The data of each printed tensor on one line."""
    parts = re.split(r"^Unranked Memref.*?data *= *", output, flags=re.M)
    return [normalize(part) for part in parts[1:]]


def agree(got, expected, tolerance):
    if not tolerance:
        return got == expected
    if NUMBER.sub("#", got) != NUMBER.sub("#", expected):
        return False
    for a, b in zip(NUMBER.findall(got), NUMBER.findall(expected)):
        a, b = float(a), float(b)
        same = a == b or (a != a and b != b)
        if not same and not abs(a - b) <= tolerance * abs(b):
            return False
    return True


def run(command, **arguments):
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **arguments
    )
    if result.returncode != 0:
        sys.stderr.write(result.stderr.decode(errors="replace"))
        sys.exit("%s: exit code %d" % (command[0], result.returncode))
    return result.stdout


def main():
    path, libraries, runtime = sys.argv[1:4]
    text = open(path).read()
    options = " ".join(["host=llvm"] + sys.argv[4:])
    lowered = run(["fuse-opt", path, "--fuse-to-ptx=" + options])
    kernels = len(re.findall(rb"\.entry ", lowered))
    with tempfile.TemporaryDirectory() as scratch:
        module = os.path.join(scratch, "lowered.mlir")
        with open(module, "wb") as file:
            file.write(lowered)
        shared = ["libmlir_runner_utils.so", "libmlir_c_runner_utils.so"]
        shared = [os.path.join(libraries, name) for name in shared]
        # The sanitizer's runtime, where our libraries need it.
        preload = os.environ.get("FUSE_RUNNER_PRELOAD")
        more = {"LD_PRELOAD": preload} if preload else {}
        output = run(
            [
                "mlir-runner",
                module,
                "-O0",
                "-e",
                "main",
                "-entry-point-result=void",
                "-shared-libs=" + ",".join(shared + [runtime]),
            ],
            env=dict(os.environ, **more),
        ).decode()
    expected = [normalize(line) for line in directive(text, "EXPECT")]
    got = printed_tensors(output)
    tolerance = float((directive(text, "TOLERANCE") or ["0"])[0])
    if not expected:
        sys.exit("%s: no EXPECT line" % path)
    wrong = len(got) != len(expected)
    for index in range(max(len(got), len(expected))):
        a = got[index] if index < len(got) else "(nothing)"
        b = expected[index] if index < len(expected) else "(nothing)"
        if not agree(a, b, tolerance):
            wrong = True
            print("tensor %d\n  expected %s\n  got      %s" % (index, b, a))
    for number in directive(text, "KERNELS"):
        if int(number) != kernels:
            wrong = True
            print("expected %s kernels, but got %d" % (number, kernels))
    sys.exit(1 if wrong else 0)


main()
