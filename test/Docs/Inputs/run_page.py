"""Runs the commands of a page and compares what they print with the page.

    run_page.py PAGE FOLDER

In each block ```console a line `$ COMMAND` is run by the shell in FOLDER, with
lines `> …` that follow as its continuation; the lines up to the next command
are its output (errors included). `…` stands for any text, also of several
lines. A command that fails ends the page, unless the page says what comes of it
(`|| echo …`).
"""

import re
import subprocess
import sys


def read_commands(text):
    """Pairs of a command and its expected output."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        command, output = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command is not None:
                    yield command, "\n".join(output)
                command, output = line[2:], []
            elif line.startswith("> ") and not output:
                command += "\n" + line[2:]
            else:
                output.append(line)
        yield command, "\n".join(output)


def matches(text, pattern):
    """Whether `text` is `pattern`, in which `…` stands for any text. Blanks and
    line ends are alike, so that a number may get longer."""
    text, pattern = " ".join(text.split()), " ".join(pattern.split())
    head, *rest = pattern.split("…")
    if not rest:
        return text == head
    *middle, tail = rest
    if not text.startswith(head):
        return False
    at = len(head)
    for part in middle:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - at >= len(tail) and text.endswith(tail)


def main(page, folder):
    with open(page, encoding="utf-8") as file:
        commands = list(read_commands(file.read()))
    if not commands:
        sys.exit("%s: no commands" % page)
    for command, expected in commands:
        result = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        got = result.stdout.strip()
        if result.returncode or not matches(got, expected):
            sys.exit(
                "$ %s\nexit code %d\n--- got\n%s\n--- expected\n%s"
                % (command, result.returncode, got, expected)
            )
    print("%d commands" % len(commands))


if __name__ == "__main__":
    main(*sys.argv[1:])
