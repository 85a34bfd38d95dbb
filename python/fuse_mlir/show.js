// What the page of a plan does: tables, roofline, links. `report` and `source` are
// embedded by show.py.
"use strict";
const report = JSON.parse(document.getElementById("data").textContent);
const source = JSON.parse(document.getElementById("sourceData").textContent);
const el = id => document.getElementById(id);
const esc = text => String(text).replace(/[&<>"]/g, c => ({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;"
} [c]));
const num = (v, unit) => {
  if (v === null || v === undefined) return "–";
  for (const p of ["", "k", "M", "G", "T"]) {
    if (Math.abs(v) < 1000 || p === "T") return Number(v.toPrecision(3)) +
      " " + p + unit;
    v /= 1000;
  }
};
const time = ns => ns === null || ns === undefined ? "–" : (ns / 1000).toFixed(
  2) + " µs";
const tellTile = t => `${t.rows} × ${t.columns} × ${t.depth}, ` +
  `${t.row_warps} × ${t.column_warps} warps, ${t.stages} stages, ${t.unit}` +
  (t.parts > 1 ? `, sums in ${t.parts} parts` : "");
// function:ordinal:op-name:file:line:column
const op = id => {
  const p = id.split(":"),
    n = p.length;
  return {
    id,
    fn: p[0],
    ordinal: p[1],
    name: p[2],
    line: n >= 6 ? +p[n - 2] : 0
  };
};
const kernelOf = new Map(),
  lineKernels = new Map();
for (const g of report.groups) {
  g.list = g.ops.map(op);
  g.bytes = (g.bytes_read || 0) + (g.bytes_written || 0);
  for (const o of g.list) {
    kernelOf.set(o.id, g.name);
    if (o.line) lineKernels.set(o.line, g.name);
  }
}
const byName = new Map(report.groups.map(g => [g.name, g]));
const longest = Math.max(1, ...report.groups.map(g => g.predicted_ns || 0));
const total = report.groups.reduce((s, g) => s + (g.predicted_ns || 0), 0);

function cards() {
  const c = [
    ["kernels", report.kernels + " of " + report.kernels_unfused,
      "instead of one an operator"
    ],
    ["bytes moved", num(report.bytes, "B"), "unfused " + num(report
      .bytes_unfused, "B") + ", compulsory " + num(report.compulsory_bytes,
      "B")],
    ["predicted time", time(total), "on " + report.device],
    ["arithmetic", num(report.flops, "flop"), Number((report.flops_per_byte ||
      0).toPrecision(3)) + " per byte"],
    ["intermediates", report.intermediates + " of " + report
      .intermediates_unfused, "tensors between kernels"
    ],
    ["device memory", num(report.peak_bytes, "B"), "at the peak"],
    ["decisions", report.decisions.length, report.decisions.filter(d => d
      .accepted).length + " accepted"],
    ["planned in", report.seconds_planning.toFixed(3) + " s", report
      .strategy + ", " + report.cost_model
    ]
  ];
  if (report.verified !== null && report.verified !== undefined) c.push([
    "result", report.verified ? "verified" : "differs", "max error " +
    Number((report.max_error || 0).toPrecision(3))
  ]);
  el("cards").innerHTML = c.map(([n, v, s]) =>
    `<div class="card"><span>${n}</span><b>${esc(v)}</b><span>${esc(s)}</span></div>`
    ).join("");
  const name = report.model.split("/").pop();
  el("title").textContent = name;
  document.title = name + " – fuse plan";
}
const columns = [
  ["kernel", g => esc(g.name), g => g.name],
  ["path", g => esc(g.path || "–"), g => g.path || ""],
  ["ops", g => g.ops.length, g => g.ops.length],
  ["time", g => time(g.predicted_ns), g => g.predicted_ns || 0],
  ["", g =>
    `<div class="share" style="width:${Math.max(1, 90 * (g.predicted_ns || 0) / longest)}px"></div>`,
    null
  ],
  ["bytes", g => num(g.bytes, "B"), g => g.bytes],
  ["flop/B", g => g.bytes ? Number(((g.flops || 0) / g.bytes).toPrecision(
    3)) : "–", g => (g.flops || 0) / (g.bytes || 1)
  ],
  ["regs", g => g.registers || g.registers_predicted || "–", g => g
    .registers || g.registers_predicted || 0
  ]
];
let sorted = {
  column: 3,
  down: true
};

function kernels() {
  const key = columns[sorted.column][2],
    rows = [...report.groups].sort((a, b) => {
      const x = key(a),
        y = key(b);
      return (x < y ? -1 : x > y ? 1 : 0) * (sorted.down ? -1 : 1);
    });
  el("kernelHead").innerHTML = columns.map(([n, , k], i) =>
    `<th class="${i > 1 ? "n " : ""}${k ? "sort" : ""}" data-c="${i}">${n}${i === sorted.column ? (sorted.down ? " ▾" : " ▴") : ""}</th>`
    ).join("");
  el("kernelRows").innerHTML = rows.map(g => `<tr data-k="${esc(g.name)}">` +
    columns.map(([, f], i) =>
      `<td class="${i > 1 && i !== 4 ? "n" : ""}">${f(g)}</td>`).join("") +
    "</tr>").join("");
  mark();
}

function roofline() {
  const w = 520,
    h = 380,
    l = 62,
    b = 42,
    r = 14,
    t = 14,
    peaks = report.device_peaks;
  const points = report.groups.filter(g => g.flops && g.bytes && g.predicted_ns)
    .map(g => ({
      g,
      x: g.flops / g.bytes,
      y: g.flops / g.predicted_ns
    }));
  if (!peaks || !points.length) {
    el("roofline").remove();
    el("roof").innerHTML +=
      '<p class="dim">No kernel has both arithmetic and a price, or the report has no peaks (fuse-explain --report writes them).</p>';
    return;
  }
  const top = Math.max(peaks.tensor_gflops, peaks.f32_gflops) * 1.5,
    x0 = Math.min(0.05, ...points.map(p => p.x)) / 2,
    x1 = Math.max(1000, ...points.map(p => p.x)) * 2,
    y0 = Math.min(1, ...points.map(p => p.y)) / 2;
  const X = v => l + (w - l - r) * Math.log(v / x0) / Math.log(x1 / x0),
    Y = v => h - b - (h - b - t) * Math.log(v / y0) / Math.log(top / y0);
  let s = "";
  for (let e = Math.ceil(Math.log10(x0)); e <= Math.log10(x1); e++) s +=
    `<line x1="${X(10 ** e)}" x2="${X(10 ** e)}" y1="${t}" y2="${h - b}" stroke="#e4eaf0"/><text x="${X(10 ** e)}" y="${h - b + 15}" font-size="11" text-anchor="middle" fill="#66788a">${Number((10 ** e).toPrecision(1))}</text>`;
  for (let e = Math.ceil(Math.log10(y0)); e <= Math.log10(top); e++) s +=
    `<line x1="${l}" x2="${w - r}" y1="${Y(10 ** e)}" y2="${Y(10 ** e)}" stroke="#e4eaf0"/><text x="${l - 6}" y="${Y(10 ** e) + 4}" font-size="11" text-anchor="end" fill="#66788a">${num(10 ** e * 1e9, "")}</text>`;
  for (const [peak, name, color] of [
      [peaks.f32_gflops, "f32", "#2e7d4f"],
      [peaks.tensor_gflops, "matrix units", "#b3452c"]
    ]) {
    const knee = Math.max(peak / peaks.dram_gb_per_second, x0 * 1.01),
      start = Math.max(x0, y0 / peaks.dram_gb_per_second);
    s +=
      `<polyline fill="none" stroke="${color}" stroke-width="1.6" points="${X(start)},${Y(start * peaks.dram_gb_per_second)} ${X(knee)},${Y(peak)} ${X(x1)},${Y(peak)}"/><text x="${w - r - 4}" y="${Y(peak) - 5}" font-size="11" text-anchor="end" fill="${color}">${name} ${num(peak * 1e9, "flop/s")}</text>`;
  }
  // Along the slope, above its middle below the first knee.
  const dram = peaks.dram_gb_per_second,
    from = Math.max(x0, y0 / dram),
    knee = Math.max(peaks.f32_gflops / dram, x0 * 1.01),
    at = Math.sqrt(from * knee),
    tilt = Math.atan2(Y(knee * dram) - Y(from * dram), X(knee) - X(from)) *
    180 / Math.PI;
  s +=
    `<text id="dramLabel" transform="translate(${X(at) - 4} ${Y(at * dram) - 6}) rotate(${tilt})" font-size="11" text-anchor="middle" fill="#66788a">DRAM ${num(dram * 1e9, "B/s")}</text>`;
  for (const {
      g,
      x,
      y
    }
    of [...points].sort((a, c) => c.g.predicted_ns - a.g.predicted_ns)) s +=
    `<circle class="k" data-k="${esc(g.name)}" cx="${X(x)}" cy="${Y(y)}" r="${4 + 10 * Math.sqrt(g.predicted_ns / (total || 1))}"><title>${esc(g.name)}: ${time(g.predicted_ns)}, ${Number(x.toPrecision(3))} flop/B</title></circle>`;
  s +=
    `<text x="${(w + l) / 2}" y="${h - 8}" font-size="12" text-anchor="middle">flop per byte that must be moved</text><text transform="translate(13 ${h / 2}) rotate(-90)" font-size="12" text-anchor="middle">flop/s, predicted</text>`;
  el("roofline").innerHTML = s;
}
const bars = (terms, scale) => terms ? Object.entries(terms).filter(([, v]) =>
  v > 0.5).sort((a, b) => b[1] - a[1]).map(([n, v]) =>
  `<tr><td>${esc(n)}</td><td class="n">${time(v)}</td><td><div class="share" style="width:${Math.max(1, 220 * v / (scale || 1))}px"></div></td></tr>`
  ).join("") : "";
const opLink = o =>
  `<a data-line="${o.line}" data-k="${esc(kernelOf.get(o.id) || "")}">${esc(o.name)} #${o.ordinal}${o.line ? " :" + o.line : ""}</a>`;
const kernelLink = name => name ? `<a data-k="${esc(name)}">${esc(name)}</a>` :
  "outside";

function detail(g) {
  el("detailTitle").textContent = g.name;
  const facts = [
    ["class", g.class],
    ["path", g.path || "–"],
    ["tiles", g.tiles.map(tellTile).join("; ") || "–"],
    ["time", time(g.predicted_ns)],
    ["read", num(g.bytes_read, "B")],
    ["written", num(g.bytes_written, "B")],
    ["arithmetic", num(g.flops, "flop")],
    ["registers", (g.registers ?? "–") + " assembled, " + (g
      .registers_predicted ?? "–") + " predicted"],
    ["kernels emitted", g.kernels]
  ];
  for (const [name, c] of [
      ["sectors predicted", g.predicted_sectors],
      ["sectors counted", g.counted_sectors]
    ])
    if (c) facts.push([name,
      `${c.requested} asked for, ${c.l2 ?? "–"} L2, ${c.dram ?? "–"} DRAM`
    ]);
  const edges = report.edges || [],
    ins = edges.filter(e => e.to === g.name),
    outs = edges.filter(e => e.from === g.name);
  el("detailBody").className = "two";
  el("detailBody").innerHTML =
    `<div><table class="terms">${facts.map(([n, v]) => `<tr><td class="dim">${n}</td><td>${esc(v)}</td></tr>`).join("")}<tr><td class="dim">reads from</td><td>${ins.map(e => kernelLink(e.from) + " " + num(e.bytes, "B")).join(", ")}</td></tr><tr><td class="dim">read by</td><td>${outs.map(e => kernelLink(e.to) + " " + num(e.bytes, "B")).join(", ")}</td></tr></table><p class="ops">${g.list.map(opLink).join(" · ")}</p><p><a id="ownDecisions">its decisions</a></p></div><div><span class="dim">price, term by term</span><table class="terms">${bars(g.terms, g.predicted_ns)}</table></div>`;
  el("ownDecisions").onclick = () => {
    el("search").value = g.name;
    shown = 200;
    decisions();
    el("decisions").scrollIntoView();
  };
}
let shown = 200,
  open = null;
for (const d of report.decisions) {
  d.p = op(d.producer);
  d.c = op(d.consumer);
  d.text = [d.p.name, "#" + d.p.ordinal, ":" + d.p.line, d.c.name, "#" + d.c
    .ordinal, ":" + d.c.line, d.reason, d.kind, d.rule, kernelOf.get(d
      .producer), kernelOf.get(d.consumer)
  ].join(" ").toLowerCase();
}

function filters() {
  for (const key of ["kind", "rule"]) el(key).innerHTML =
    `<option value="">every ${key}</option>` + [...new Set(report.decisions.map(
      d => d[key]).filter(Boolean))].sort().map(v =>
      `<option>${esc(v)}</option>`).join("");
}

function decisions() {
  const words = el("search").value.toLowerCase().split(/\s+/).filter(Boolean),
    verdict = el("verdict").value,
    kind = el("kind").value,
    rule = el("rule").value;
  const rows = report.decisions.map((d, i) => [d, i]).filter(([d]) => words
    .every(w => d.text.includes(w)) && (!verdict || d.accepted === (
      verdict === "yes")) && (!kind || d.kind === kind) && (!rule || d
      .rule === rule));
  el("count").textContent = rows.length + " of " + report.decisions.length;
  el("decisionRows").innerHTML = rows.slice(0, shown).map(([d, i]) =>
      `<tr data-d="${i}" class="${i === open ? "on" : ""}"><td class="${d.accepted ? "yes" : "no"}">${d.accepted ? "✓" : "✗"}</td><td style="white-space:nowrap">${esc(d.kind)}</td><td>${opLink(d.p)}</td><td>${opLink(d.c)}</td><td class="n">${time(d.cost_fused_ns)}</td><td class="n">${time(d.cost_unfused_ns)}</td><td class="n">${num(d.bytes_saved, "B")}</td><td>${esc(d.reason)}${d.rule ? ` <span class="dim">[${esc(d.rule)}]</span>` : ""}</td></tr>` +
      (i === open ? `<tr class="on"><td colspan="8">${both(d)}</td></tr>` : ""))
    .join("");
  el("more").style.display = rows.length > shown ? "" : "none";
}

function both(d) {
  if (!d.terms_fused && !d.terms_unfused)
  return "The report has no terms for this pair (fuse-explain --report writes them).";
  const names = [...new Set([...Object.keys(d.terms_fused || {}), ...Object
    .keys(d.terms_unfused || {})
  ])].filter(n => (d.terms_fused || {})[n] > 0.5 || (d.terms_unfused || {})[
    n] > 0.5);
  const scale = Math.max(1, ...names.map(n => Math.max((d.terms_fused || {})[
    n] || 0, (d.terms_unfused || {})[n] || 0)));
  const cell = (t, n) => t ?
    `<td class="n">${time(t[n] || 0)}</td><td><div class="share" style="width:${160 * (t[n] || 0) / scale}px"></div></td>` :
    '<td class="n">–</td><td></td>';
  const sum = t => t ? time(Object.values(t).reduce((s, v) => s + v, 0)) : "–";
  return `<span class="dim">Both sides in the finished plan: one kernel that holds the two operators, and the kernels without it.</span><table class="terms prices"><tr><th>term</th><th class="n">in one kernel</th><th></th><th class="n">apart</th><th></th></tr>${names.map(n => `<tr><td>${esc(n)}</td>${cell(d.terms_fused, n)}${cell(d.terms_unfused, n)}</tr>`).join("")}<tr><td><b>sum</b></td><td class="n"><b>${sum(d.terms_fused)}</b></td><td></td><td class="n"><b>${sum(d.terms_unfused)}</b></td></tr></table>`;
}

function lines() {
  if (!source) {
    el("source").textContent =
      "The source was not there when this page was written.";
    return;
  }
  el("source").innerHTML = source.split("\n").map((text, i) => {
    const k = lineKernels.get(i + 1);
    return `<div id="L${i + 1}"${k ? ` data-k="${esc(k)}" title="${esc(k)}"` : ""}><i>${i + 1}</i>${esc(text.length > 400 ? text.slice(0, 400) + " …" : text)}</div>`;
  }).join("");
}
let chosen = null;

function mark() {
  document.querySelectorAll(".on[data-k], g.node.on").forEach(e => e.classList
    .remove("on"));
  if (!chosen) return;
  document.querySelectorAll(`[data-k="${CSS.escape(chosen)}"]:not(a)`).forEach(
    e => e.classList.add("on"));
  for (const node of document.querySelectorAll("#picture g.node"))
    if (node.querySelector("title").textContent === chosen) node.classList.add(
      "on");
  const dot = document.querySelector("#roofline circle.on");
  if (dot) dot.parentNode.append(dot);
}

function choose(name, line) {
  if (name && byName.has(name)) {
    chosen = name;
    detail(byName.get(name));
    mark();
    history.replaceState(null, "", "#kernel=" + encodeURIComponent(name));
  }
  const target = el("L" + (line || (byName.get(name) || {
    list: []
  }).list.map(o => o.line).find(Boolean)));
  if (target) el("source").scrollTop = target.offsetTop - el("source")
    .offsetTop - 120;
  const box = document.querySelector("#picture g.node.on"),
    view = el("picture");
  if (box) {
    const at = box.getBoundingClientRect(),
      frame = view.getBoundingClientRect();
    view.scrollBy(at.left - frame.left - view.clientWidth / 3, at.top - frame
      .top - view.clientHeight / 3);
  }
  const row = document.querySelector("#kernelRows tr.on");
  if (row) row.scrollIntoView({
    block: "nearest"
  });
}
document.addEventListener("click", event => {
  const head = event.target.closest("th.sort");
  if (head) {
    const c = +head.dataset.c;
    sorted = {
      column: c,
      down: sorted.column === c ? !sorted.down : c > 1
    };
    kernels();
    return;
  }
  const linked = event.target.closest("[data-k], [data-line]");
  if (linked) {
    choose(linked.dataset.k, +linked.dataset.line || +(linked.id || "")
      .slice(1) || 0);
    if (linked.dataset.line) el("lines").scrollIntoView();
    return;
  }
  const node = event.target.closest("g.node");
  if (node) {
    choose(node.querySelector("title").textContent);
    el("detail").scrollIntoView({
      block: "nearest"
    });
    return;
  }
  const row = event.target.closest("tr[data-d]");
  if (row) {
    open = open === +row.dataset.d ? null : +row.dataset.d;
    decisions();
  }
});
for (const id of ["search", "verdict", "kind", "rule"]) el(id).addEventListener(
  "input", () => {
    shown = 200;
    decisions();
  });
el("more").onclick = () => {
  shown += 500;
  decisions();
};
cards();
kernels();
roofline();
filters();
decisions();
lines();
const wanted = decodeURIComponent((location.hash.match(/^#kernel=(.*)/) || [])[
  1] || "");
if (wanted) choose(wanted);
document.body.dataset.ready = "yes";
