"""Checks a report against the tables of docs/Report.md.

  check_report.py docs/Report.md report.json
"""

import json
import re
import sys

TYPES = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "two integers": lambda v: isinstance(v, list)
    and len(v) == 2
    and all(TYPES["integer"](x) for x in v)
    and v[0] <= v[1],
    "object": lambda v: isinstance(v, dict),
    "null": lambda v: v is None,
}


def read_tables(path):
    """{heading: {key: allowed types}} of the tables with a `type` column."""
    tables, heading, inside = {}, None, False
    for line in open(path):
        if line.startswith("## "):
            heading, inside = line[3:].strip(), False
        elif line.startswith("| key | type "):
            inside = True
            tables[heading] = {}
        elif inside and line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|\n").split("|")]
            kinds = cells[1].replace("array of strings", "array")
            tables[heading][cells[0].strip("`")] = kinds.split(" or ")
        elif not line.startswith("|"):
            inside = False
    return tables


def check(row, table, where):
    wrong = []
    for key in sorted(set(table) ^ set(row)):
        wrong.append("%s: key '%s' is only in one of both" % (where, key))
    for key in sorted(set(table) & set(row)):
        if not any(TYPES[kind](row[key]) for kind in table[key]):
            wrong.append(
                "%s: '%s' is %r, expected %s"
                % (where, key, row[key], " or ".join(table[key]))
            )
    return wrong


def main():
    tables = read_tables(sys.argv[1])
    top = tables["Top level"]
    groups = tables["A row of `groups`"]
    decisions = tables["A row of `decisions`"]
    assert len(top) == 23 and len(groups) == 20 and len(decisions) == 9, tables
    report = json.load(open(sys.argv[2]))
    wrong = check(report, top, "report")
    for row in report["groups"]:
        wrong += check(row, groups, "group")
        sectors = row["counted_sectors"]
        if sectors is not None and (
            sorted(sectors) != ["dram", "l2", "requested", "unique"]
            or not all(TYPES["integer"](v) for v in sectors.values())
        ):
            wrong.append("group: counted_sectors is %r" % sectors)
        for identity in row["ops"]:
            if not re.fullmatch(r"[^:]+:\d+:[^:]+:.*", identity):
                wrong.append("group: '%s' is no identity" % identity)
    for row in report["decisions"]:
        wrong += check(row, decisions, "decision")
    if not report["groups"]:
        wrong.append("report: no groups")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
