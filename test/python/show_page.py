# The page of a plan in a real browser: searched, filtered, opened, linked.
# REQUIRES: chromium, graphviz
# RUN: fuse-explain %S/../models/small/bert_like_layer_f32.mlir --report=%t.json
# RUN: fuse-run %S/../models/small/bert_like_layer_f32.mlir --report=%t.run.json > %t.txt
# RUN: env PYTHONPATH=%S/../../python python3 -m fuse_mlir.show %t.json --run=%t.run.json --html=%t.html
# RUN: python3 %s %t.html
"""Tests the page that `fuse_mlir.show` writes, with headless Chromium."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# What a reader does; the page tells what it then shows.
DRIVE = """
<script>
const seen = {}, click = e => e.dispatchEvent(new MouseEvent("click", {bubbles: true}));
const type = (id, value) => { el(id).value = value; el(id).dispatchEvent(new Event("input")); };
const rows = () => [...document.querySelectorAll("#decisionRows tr[data-d]")];
seen.ready = document.body.dataset.ready;
seen.order = [...document.querySelectorAll("#kernelRows tr")].map(e => e.dataset.k);
click(document.querySelector('th[data-c="0"]'));
seen.byName = [...document.querySelectorAll("#kernelRows tr")].map(e => e.dataset.k);
seen.all = rows().length;
type("verdict", "no"); seen.rejected = rows().length;
seen.ticks = rows().filter(e => e.textContent.includes("✓")).length;
type("rule", "row-mismatch"); seen.rule = rows().length;
type("verdict", ""); type("rule", ""); type("search", "matmul no-such-word"); seen.none = rows().length;
type("search", "#16"); seen.found = rows().length;
type("search", ""); click(rows()[0]);
seen.prices = document.querySelector("#decisionRows table.prices").innerText;
click(document.querySelector("#source div[data-k]"));
seen.fromSource = el("detailTitle").textContent;
seen.dram = el("dramLabel").textContent;
click(document.querySelector("#roofline circle"));
seen.fromRoofline = el("detailTitle").textContent;
click([...document.querySelectorAll("#picture g.node")].find(e => e.querySelector("title").textContent === seen.order[1]));
seen.fromGraph = el("detailTitle").textContent;
seen.marked = [...document.querySelectorAll(".on[data-k]")].map(e => e.dataset.k);
seen.nodeMarked = document.querySelectorAll("#picture g.node.on").length;
seen.detail = el("detailBody").innerText;
const ops = document.querySelector("#detailBody .ops");
ops.innerHTML = ops.innerHTML.repeat(100);
seen.opsHeight = ops.clientHeight;
seen.outside = performance.getEntriesByType("resource").length;
document.title = "seen" + JSON.stringify(seen) + "end";
</script>
"""


def drive(page: str) -> dict:
    """What the page shows while it is used."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page + DRIVE, encoding="utf-8")
        done = subprocess.run(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={folder}/profile",
                "--virtual-time-budget=20000",
                "--dump-dom",
                path.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
    title = re.search(r"<title>seen(.*)end</title>", done.stdout, re.S)
    assert title, done.stdout[:2000] + done.stderr
    text = title.group(1)
    for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, char)
    return json.loads(text)


def main(path: str) -> None:
    """Checks what is seen against the report in the page."""
    page = Path(path).read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=.https?:", page), "needs the network"
    data = re.search(r'id="data">(.*?)</script>', page, re.S)
    report = json.loads(data.group(1))
    seen = drive(page)
    assert seen["ready"] == "yes" and seen["outside"] == 0, seen
    times = {g["name"]: g["predicted_ns"] for g in report["groups"]}
    order = [times[name] for name in seen["order"]]
    assert len(order) == len(times) > 3 and order == sorted(order)[::-1], order
    assert seen["byName"] == sorted(times), seen["byName"]
    decisions = report["decisions"]
    refused = [d for d in decisions if not d["accepted"]]
    mismatch = [d for d in refused if d["rule"] == "row-mismatch"]
    assert 0 < len(mismatch) < len(refused) < len(decisions), refused
    assert seen["all"] == len(decisions), seen["all"]
    assert seen["rejected"] == len(refused) and seen["ticks"] == 0, seen
    assert seen["rule"] == len(mismatch), seen["rule"]
    assert seen["none"] == 0 and 0 < seen["found"] < len(decisions), seen
    assert "launch" in seen["prices"] and "sum" in seen["prices"], seen
    assert seen["dram"] == "DRAM 4.8 TB/s", seen["dram"]
    assert seen["fromSource"] in times and seen["fromRoofline"] in times, seen
    assert seen["fromGraph"] == seen["order"][1], seen
    assert set(seen["marked"]) == {seen["fromGraph"]}, seen["marked"]
    assert seen["nodeMarked"] == 1 and "sectors counted" in seen["detail"], seen
    assert "tiles" in seen["detail"], seen
    # A kernel of a thousand operators leaves the rest in sight.
    assert 0 < seen["opsHeight"] <= 180, seen["opsHeight"]


if __name__ == "__main__":
    main(sys.argv[1])
