"""Compares predicted and assembled registers of the kernels in a report."""

import json
import sys

path, expected = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    groups = json.load(file)["groups"]
pairs = [(row["registers_predicted"], row["registers"]) for row in groups]
if not pairs or None in sum(pairs, ()):
    sys.exit("no registers in %s: %s" % (path, pairs))
equal = all(predicted == found for predicted, found in pairs)
if equal != (expected == "equal"):
    sys.exit("expected %s, but got %s" % (expected, pairs))
