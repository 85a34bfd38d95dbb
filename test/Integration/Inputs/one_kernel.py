"""Runs a model that ought to become one kernel (or `kernels`), and judges what
every such test asks: their number, no spills, values as without fusion."""

import json
import os
import subprocess
import tempfile


class Run:
    """What one run of fuse-run left: `report`, its first `group`, the runtime's
    `launches` (`launch`: the first), and in `wrong` what is not as it must be.
    If it failed, `wrong` says why and the others are None."""

    def __init__(self, text, flags, kernels=1):
        self.kernels = kernels
        self.wrong = []
        self.report = self.group = self.launch = self.launches = None
        with tempfile.TemporaryDirectory() as scratch:
            self._run(text, flags, scratch)

    def _run(self, text, flags, scratch):
        model, report, runtime = (
            os.path.join(scratch, name)
            for name in ("model.mlir", "report.json", "runtime.json")
        )
        with open(model, "w") as file:
            file.write(text)
        result = subprocess.run(
            ["fuse-run", model, "--report=" + report, *flags],
            env=dict(os.environ, FUSE_RUNTIME_REPORT=runtime),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if result.returncode != 0:
            self.wrong.append(
                "exit code %d\n%s" % (result.returncode, result.stdout)
            )
            return
        with open(report) as file:
            self.report = json.load(file)
        with open(runtime) as file:
            self.launches = json.load(file)["launches"]
        self.launch = self.launches[0]
        groups = self.report["groups"]
        self.group = groups[0]
        self.demand(
            self.report["kernels"] == len(groups) == self.kernels,
            "%d kernels" % self.report["kernels"],
        )
        for group in groups:
            self.demand(
                not group["spill_bytes"],
                "%s bytes spilled" % group["spill_bytes"],
            )
        self.demand(self.report["verified"] is True, "not verified")

    def demand(self, holds, otherwise):
        if not holds:
            self.wrong.append(otherwise)

    @property
    def counters(self):
        return self.launch["counters"]

    def shared(self, counter):
        """A counter of the accesses to shared memory, loads and stores."""
        return sum(
            self.counters[kind][counter]
            for kind in ("shared_load", "shared_store")
        )

    def describe(self):
        return "%s, %d x %d, %s registers, error %.2g" % (
            self.group["path"],
            self.launch["grid"][0],
            self.launch["block"][0],
            self.group["registers"],
            self.report["max_error"],
        )


def show(name, run, text):
    """Prints one line; whether something is wrong."""
    print(
        "%s: %s: %s"
        % (
            "FAIL" if run.wrong else "PASS",
            name,
            "; ".join(filter(None, [", ".join(run.wrong), text])),
        ),
        flush=True,
    )
    return bool(run.wrong)
