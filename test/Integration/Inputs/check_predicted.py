"""Checks reports: REPORT PATH ..., one kernel of the path ran, and as many sectors
were asked for, and as many distinct ones, as predicted, within 5 %."""

import json
import sys

for name, path in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(name) as file:
        groups = json.load(file)["groups"]
    ran = [group for group in groups if group["counted_sectors"]]
    assert [group["path"] for group in ran] == [path], name
    for kind in ("requested", "unique"):
        predicted = ran[0]["predicted_sectors"][kind]
        counted = ran[0]["counted_sectors"][kind]
        print(path, kind, predicted, counted)
        assert abs(predicted - counted) <= 0.05 * counted, name
