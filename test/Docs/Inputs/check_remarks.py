"""Checks docs/Remarks.md against the code: every name of a remark and every id
of a rule is on the page and in a test, none is there that the code has not, and
every rule has its advice in lib/Planner/Explain.cpp.

    check_remarks.py ROOT
"""

import os
import re
import sys

RULE = r'"([a-z]+(?:-[a-z]+)*)"'
RULES = [
    r"refuse\(\s*" + RULE,
    r"RuleViolation\s*\{\s*" + RULE,
    r"intern\(\s*\{\s*" + RULE,
    r"\b(?:why|rule) = \{\s*" + RULE,
    r"\(([a-z]+(?:-[a-z]+)*)\)\"\)",  # in an error: "… (block)"
]
NAME = re.compile(r'"([A-Z][a-z]+(?:[A-Z][a-z]+)*)"')


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources(root, folder, *endings):
    for path, _, names in os.walk(os.path.join(root, folder)):
        for name in names:
            if name.endswith(endings):
                yield read(os.path.join(path, name))


def main(root):
    rules, names = set(), set()
    for text in sources(root, "lib", ".cpp"):
        for pattern in RULES:
            rules.update(re.findall(pattern, text))
        if "RemarkOpts::name" in text:
            names.update(NAME.findall(text))
    if len(rules) < 10 or "Fused" not in names:
        sys.exit("the patterns find nothing in the code: %s %s" % (rules, names))
    page = read(os.path.join(root, "docs", "Remarks.md"))
    tables = re.findall(r"^\| name \|.*?\n\n", page, re.M | re.S)
    documented = set(re.findall(r"^\| `(\w+)` \|", "".join(tables), re.M))
    table = re.search(r"^\| rule \| refuses.*?\n\n", page, re.M | re.S).group()
    explained = set(re.findall(r"^\| `([a-z-]+)` \|", table, re.M))
    advice = read(os.path.join(root, "lib", "Planner", "Explain.cpp"))
    tests = list(sources(root, "test", ".mlir", ".test", ".cpp"))
    tests += re.findall(r"^```console\n.*?^```", page, re.M | re.S)
    tested = "\n".join(tests)
    wrong = []
    for what, found, written in [
        ("remark", names, documented),
        ("rule", rules, explained),
    ]:
        wrong += ["%s '%s' is not on the page" % (what, n) for n in found - written]
        wrong += ["%s '%s' is not in the code" % (what, n) for n in written - found]
        wrong += [
            "%s '%s' is in no test" % (what, n)
            for n in found
            if not re.search(r"(?<![\w-])%s(?![\w-])" % n, tested)
        ]
    wrong += [
        "rule '%s' has no advice" % n for n in rules if '"%s"' % n not in advice
    ]
    print("\n".join(sorted(wrong)) or "%d names" % len(names | rules))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
