"""Checks the terms of a report of `fuse-explain`: FILE, least number of kernels and, if
given, of decisions whose prices are both known."""

import json
import sys

NAMES = {"memory", "l2", "l1", "shared", "issue", "special", "f64", "integer", "tensor",
         "steps", "launch", "floor"}

with open(sys.argv[1]) as file:
    report = json.load(file)
assert len(report["groups"]) >= int(sys.argv[2]), report["kernels"]
for group in report["groups"]:
    assert set(group["terms"]) <= NAMES, group["terms"]
    assert abs(sum(group["terms"].values()) - group["predicted_ns"]) < 1, group
sides = 0
for decision in report["decisions"]:
    for side in ("terms_fused", "terms_unfused"):
        terms = decision.get(side)
        if terms is None:
            continue
        assert set(terms) == NAMES, terms
        assert sum(terms.values()) > 0, decision
        sides += 1
least = 2 * int(sys.argv[3]) if len(sys.argv) > 3 else 2
assert sides >= least, report["decisions"]
print("all terms are named")
