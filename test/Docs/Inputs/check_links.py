"""Checks that what the pages link to, and pages that the sources name, exist."""

import os
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MENTION = re.compile(r"\b(docs/[A-Za-z]+\.md)\b")


def files(root, *endings):
    for folder in ["", "docs", "include", "lib", "tools", "test", "python"]:
        top = os.path.join(root, folder)
        for path, names, found in os.walk(top):
            if not folder:
                names.clear()
            names[:] = [n for n in names if not n.startswith(("build", "."))]
            for name in found:
                if name.endswith(endings):
                    yield os.path.join(path, name)


def main(root):
    broken = []
    for path in files(root, ".md"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for target in LINK.findall(text):
            if "://" in target:
                continue
            if not os.path.exists(os.path.join(os.path.dirname(path), target)):
                broken.append((path, target))
    for path in files(root, ".md", ".td", ".h", ".cpp", ".py"):
        with open(path, encoding="utf-8") as file:
            for target in MENTION.findall(file.read()):
                if not os.path.exists(os.path.join(root, target)):
                    broken.append((path, target))
    for path, target in sorted(set(broken)):
        print("%s: no such page: %s" % (os.path.relpath(path, root), target))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
