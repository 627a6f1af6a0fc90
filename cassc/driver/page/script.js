"use strict";
const report = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const make = (tag, text, attributes = {}) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};
const hex = (number) => number.toString(16).padStart(4, "0");
const SIGNS = { accepted: "✔", rejected: "✘", unverified: "?", refused: "–" };
const status = (word) => make("span", `${SIGNS[word] || "?"} ${word}`, { class: `status ${word}` });
const percent = (share) => `${Math.round(share * 100)} %`;

at("file").textContent = report.file;
at("version").textContent = `sha256 ${report.digest}…, cassc ${report.version}`;

// Counts ---------------------------------------------------------------------------------------------------------
const counts = { accepted: 0, rejected: 0, unverified: 0, refused: report.refused.length };
for (const kernel of report.kernels) {
  kernel.verdict = { launches: 0, coverage: 0, branches: 0, reason: "", ...kernel.verdict };
  counts[kernel.verdict.status] += 1;
}
for (const [word, number] of Object.entries(counts)) {
  const item = make("li");
  item.append(make("b", number), status(word));
  at("counts").append(item);
}

// The table of kernels -------------------------------------------------------------------------------------------
const COLUMNS = [
  ["Kernel", (k) => k.title],
  ["Status", (k) => k.verdict.status],
  ["Engine", (k) => k.verdict.engine],
  ["From, to", (k) => `${k.sm}, ${k.target}`],
  ["Launches", (k) => k.verdict.launches],
  ["Branches seen", (k) => k.verdict.branches, percent],
  ["SASS", (k) => k.sass.length],
  ["RDNA3", (k) => k.machine.length],
  ["VGPRs", (k) => Number(k.facts.VGPRs || 0)],
  ["SGPRs", (k) => Number(k.facts.SGPRs || 0)],
  ["LDS", (k) => Number((k.facts.LDS || "0").split(" ")[0]), (bytes) => `${bytes} B`],
  ["Occupancy", (k) => k.waves, (waves) => `${waves} of 32`],
];
let order = report.kernels.map((_, number) => number);
let sorted = -1, upwards = true, current = -1;

COLUMNS.forEach(([title], number) => {
  const cell = make("th", undefined, { scope: "col" });
  const button = make("button", title, { type: "button" });
  button.addEventListener("click", () => sortBy(number));
  cell.append(button);
  document.querySelector("#kernels thead tr").append(cell);
});

function sortBy(number) {
  upwards = sorted === number ? !upwards : true;
  sorted = number;
  const value = COLUMNS[number][1];
  order.sort((a, b) => {
    const x = value(report.kernels[a]), y = value(report.kernels[b]);
    return (x < y ? -1 : x > y ? 1 : a - b) * (upwards ? 1 : -1);
  });
  document.querySelectorAll("#kernels th").forEach((cell, k) => {
    if (k === number) cell.setAttribute("aria-sort", upwards ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
  });
  fill();
}

const shown = () => {
  const wanted = at("filter").value.toLowerCase();
  return order.filter((number) => {
    const kernel = report.kernels[number];
    return [kernel.title, kernel.name, kernel.verdict.status, kernel.verdict.engine].join(" ").toLowerCase().includes(wanted);
  });
};

function fill() {
  const body = document.querySelector("#kernels tbody");
  body.replaceChildren();
  const numbers = shown();
  for (const number of numbers) {
    const kernel = report.kernels[number];
    const row = make("tr");
    if (number === current) row.setAttribute("aria-current", "true");
    COLUMNS.forEach(([, value, format], column) => {
      const content = value(kernel);
      const cell = make("td", undefined, typeof content === "number" ? { class: "number" } : {});
      if (column === 0) cell.append(make("a", content, { href: `#k${number}` }));
      else if (column === 1) cell.append(status(content));
      else cell.textContent = format ? format(content) : content;
      row.append(cell);
    });
    body.append(row);
  }
  at("none").hidden = numbers.length > 0;
}
at("filter").addEventListener("input", fill);

// One kernel -----------------------------------------------------------------------------------------------------
let panes = {};

function verdict(kernel) {
  const box = at("verdict"), v = kernel.verdict;
  box.replaceChildren(make("h3", "Verdict"));
  const line = make("p");
  line.append(status(v.status), ` by engine “${v.engine}”`);
  box.append(line);
  if (v.reason) box.append(make("p", v.reason));
  const list = make("dl");
  const say = (name, value) => list.append(make("dt", name), make("dd", value));
  say("launches that agreed", v.launches);
  say("instructions that ran", percent(v.coverage));
  say("ways of branches", percent(v.branches));
  if ((v.approximate || []).length) say("approximations", v.approximate.join(" "));
  if (v.order_dependent) say("order", "some results depend on the order of warps");
  for (const [who, number] of Object.entries(v.witnesses || {})) say(who, `agreed in ${number}`);
  for (const [who, difference] of Object.entries(v.dissent || {})) say(who, `differs: ${difference}`);
  box.append(list);
  const example = v.counterexample;
  if (!example) return;
  box.append(make("h3", "Counterexample"));
  const details = make("dl");
  for (const [name, value] of [
    ["seed, attempt", `${example.seed}, ${example.attempt}`],
    ["grid, block", `${example.grid.join("×")}, ${example.block.join("×")}`],
    ["dynamic shared", `${example.dynamic_shared} bytes`],
    ["parameters", example.parameters],
    ["where", example.buffer ? `${example.buffer} + ${example.offset}` : "how the launch ended"],
    ["expected", example.expected],
    ["got", example.got],
  ]) details.append(make("dt", name), make("dd", value));
  box.append(details);
}

function pane(id, lines) {
  const box = at(id);
  box.replaceChildren();
  const rows = lines.map((line, number) => {
    const row = make("div", undefined, { role: "option", id: `${id}-${number}` });
    row.append(make("i", line.label), line.text);
    if (line.start) row.classList.add("start");
    if (line.title) row.className = "title";
    row.addEventListener("click", () => { box.focus({ preventScroll: true }); select(id, number); });
    box.append(row);
    return row;
  });
  box.removeAttribute("aria-activedescendant");
  panes[id] = { box, rows, lines, selected: -1 };
}

// A line belongs to a set of SASS instructions, by their numbers; lines with a common one belong together.
function show(number) {
  const kernel = report.kernels[number];
  current = number;
  at("kernel").hidden = false;
  at("kernel-title").textContent = kernel.title;
  verdict(kernel);
  at("facts").replaceChildren();
  for (const [name, value] of Object.entries(kernel.facts)) at("facts").append(make("dt", name), make("dd", value));
  profile(kernel);
  const index = new Map(kernel.sass.map((line, k) => [line[0], k]));
  const starts = new Set(kernel.graph.map((node) => node[0]));
  const byPlace = new Map();
  kernel.sass.forEach(([, , file, line], k) => {
    const key = `${file}:${line}`;
    if (file >= 0) byPlace.set(key, [...(byPlace.get(key) || []), k]);
  });
  const source = [];
  kernel.sources.forEach(({ file, first, lines }, f) => {
    source.push({ label: "", text: file, title: true, owners: [] });
    if (!lines.length) source.push({ label: "", text: "(the file is not on this machine)", title: true, owners: [] });
    lines.forEach((text, k) => source.push({ label: first + k, text, owners: byPlace.get(`${f}:${first + k}`) || [] }));
  });
  if (!source.length) source.push({ label: "", text: "no line information: build with -lineinfo", title: true, owners: [] });
  pane("source", source);
  pane("sass", kernel.sass.map(([address, text], k) => ({ label: hex(address), text, start: k > 0 && starts.has(address), owners: [k] })));
  pane("machine", kernel.machine.map(([address, text, sass]) => ({ label: hex(address), text, owners: index.has(sass) ? [index.get(sass)] : [] })));
  at("linking").textContent = kernel.linked
    ? "Choose a line: what belongs to it is marked in the other listings."
    : !kernel.sass.length ? "Compiled from source: there is no SASS."
    : "Which RDNA3 instruction was made from which SASS instruction is not known: this translation was made by another version.";
  graph(kernel, index);
  fill();
}

function profile(kernel) {
  const box = at("profile"), entries = Object.entries(kernel.profile || {});
  box.hidden = !entries.length;
  box.replaceChildren(make("h3", "Profile of a run"));
  const list = make("dl");
  for (const [name, value] of entries) {
    if (value !== null && typeof value === "object") {
      const parts = Object.entries(value).filter(([, v]) => typeof v !== "object" && v !== 0).map(([n, v]) => `${n} ${v}`);
      if (parts.length) list.append(make("dt", name), make("dd", parts.join(", ")));
    } else list.append(make("dt", name), make("dd", value));
  }
  box.append(list);
}

function mark(owners, from) {
  const wanted = new Set(owners);
  for (const [id, { rows, lines, box }] of Object.entries(panes)) {
    let first = null;
    rows.forEach((row, k) => {
      const on = lines[k].owners.some((owner) => wanted.has(owner));
      row.classList.toggle("on", on);
      if (on && !first) first = row;
    });
    if (first && id !== from) {
      const top = first.offsetTop, seen = top >= box.scrollTop && top < box.scrollTop + box.clientHeight - 30;
      if (!seen) box.scrollTop = Math.max(top - box.clientHeight / 3, 0);
    }
  }
  document.querySelectorAll(".graph a").forEach((link) => {
    const [low, high] = [Number(link.dataset.low), Number(link.dataset.high)];
    link.classList.toggle("on", owners.some((owner) => owner >= low && owner < high));
  });
}

function select(id, number) {
  const chosen = panes[id];
  if (number < 0 || number >= chosen.rows.length) return;
  for (const { rows } of Object.values(panes)) rows.forEach((row) => row.removeAttribute("aria-selected"));
  chosen.selected = number;
  const row = chosen.rows[number];
  row.setAttribute("aria-selected", "true");
  chosen.box.setAttribute("aria-activedescendant", row.id);
  const { box } = chosen;
  if (row.offsetTop < box.scrollTop) box.scrollTop = row.offsetTop;
  else if (row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight - 18) box.scrollTop = row.offsetTop + row.offsetHeight - box.clientHeight + 18;
  mark(chosen.lines[number].owners, id);
}

for (const id of ["source", "sass", "machine"]) {
  at(id).addEventListener("keydown", (event) => {
    const { selected, rows } = panes[id];
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };
    if (event.key in steps) {
      event.preventDefault();
      const next = selected < 0 ? 0 : selected + steps[event.key];
      select(id, Math.min(Math.max(next, 0), rows.length - 1));
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      event.preventDefault();
      const names = ["source", "sass", "machine"];
      const other = names[names.indexOf(id) + (event.key === "ArrowRight" ? 1 : -1)];
      if (!other) return;
      at(other).focus({ preventScroll: true });
      const owners = selected < 0 ? [] : panes[id].lines[selected].owners;
      const found = panes[other].lines.findIndex((line) => line.owners.some((owner) => owners.includes(owner)));
      if (found >= 0) select(other, found);
    }
  });
}

// Control flow: blocks in rows by their distance from the entry, edges as curves ---------------------------------
function graph(kernel, index) {
  const box = at("graph"), nodes = kernel.graph;
  at("graph-size").textContent = `${nodes.length} blocks`;
  const place = new Map(nodes.map((node, k) => [node[0], k]));
  const rank = nodes.map(() => 0);
  nodes.forEach(([start, , successors], k) => {
    for (const [, target] of successors) {
      const t = place.get(target);
      if (t !== undefined && target > start) rank[t] = Math.max(rank[t], rank[k] + 1);
    }
  });
  if (!nodes.length) { box.replaceChildren(); return; }
  const rows = [];
  rank.forEach((row, k) => (rows[row] = rows[row] || []).push(k));
  const W = 190, H = 46, GX = 26, GY = 44, positions = [];
  const widest = Math.max(...rows.map((row) => row.length));
  rows.forEach((row, y) => row.forEach((k, x) => {
    positions[k] = [36 + (x + (widest - row.length) / 2) * (W + GX), 20 + y * (H + GY)];
  }));
  const width = 76 + widest * (W + GX), height = 20 + rows.length * (H + GY);
  const svg = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const arrow = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  arrow.append(svg("path", { d: "M0,0 L8,4 L0,8 z", style: "fill: var(--soft); stroke: none" }));
  picture.append(arrow);
  nodes.forEach(([start, , successors], k) => {
    for (const [kind, target] of successors) {
      const t = place.get(target);
      if (t === undefined) continue;
      const [x, y] = positions[k], [u, v] = positions[t];
      const from = x + W / 2 + (kind === "branch" ? 24 : -24), to = u + W / 2;
      const back = target <= start;
      const d = back
        ? `M${x + W},${y + H / 2} C${x + W + 50},${y + H / 2} ${u + W + 50},${v + H / 2} ${u + W},${v + H / 2}`
        : rank[t] > rank[k] + 1 && Math.abs(u - x) < W
          ? `M${x},${y + H / 2} C${x - 22},${y + H / 2 + 20} ${u - 22},${v + H / 2 - 20} ${u},${v + H / 2}`
          : `M${from},${y + H} C${from},${y + H + GY / 2} ${to},${v - GY / 2} ${to},${v}`;
      picture.append(svg("path", { d, class: back ? "back" : kind, "marker-end": "url(#arrow)" }));
    }
  });
  nodes.forEach(([start, end, successors], k) => {
    const [x, y] = positions[k], low = index.get(start), high = low + (end - start) / 16;
    const names = successors.map(([, target]) => hex(target)).join(", ") || "none";
    const link = svg("a", { tabindex: 0, role: "button", "data-low": low, "data-high": high, "aria-label": `block ${hex(start)}, ${high - low} instructions, goes to ${names}` });
    link.append(svg("rect", { x, y, width: W, height: H, rx: 6 }));
    link.append(svg("text", { x: x + 10, y: y + 19 }, `${hex(start)}  ${high - low} instructions`));
    const last = kernel.sass[high - 1] ? kernel.sass[high - 1][1] : "";
    link.append(svg("text", { x: x + 10, y: y + 36 }, last.length > 23 ? `${last.slice(0, 22)}…` : last));
    const go = () => {
      select("sass", low);
      mark(Array.from({ length: high - low }, (_, n) => low + n), "graph");
    };
    link.addEventListener("click", go);
    link.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); }
    });
    picture.append(link);
  });
  box.replaceChildren(picture);
}

// Refused kernels ------------------------------------------------------------------------------------------------
at("refused-box").hidden = !report.refused.length;
for (const { title, sm, reason } of report.refused) {
  const item = make("li");
  item.append(make("code", title), ` (${sm}): ${reason}`);
  at("refused").append(item);
}

// Moving about ---------------------------------------------------------------------------------------------------
function fromAddress(focus) {
  const found = /^#k(\d+)$/.exec(location.hash);
  const number = found ? Number(found[1]) : -1;
  if (!report.kernels[number] || number === current) return;
  show(number);
  if (focus) at("kernel-title").focus();
}
function step(by) {
  const numbers = shown();
  if (!numbers.length) return;
  const place = numbers.indexOf(current);
  const next = place < 0 ? 0 : Math.min(Math.max(place + by, 0), numbers.length - 1);
  location.hash = `#k${numbers[next]}`;
  fromAddress(true);
}
window.addEventListener("hashchange", () => fromAddress(true));
at("previous").addEventListener("click", () => step(-1));
at("next").addEventListener("click", () => step(1));
at("help").addEventListener("click", () => at("keys").showModal());

const THEMES = [["", "as the system"], ["light", "light"], ["dark", "dark"]];
let theme = 0;
const setTheme = () => {
  const [name, title] = THEMES[theme];
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  document.querySelector("#theme span").textContent = title;
};
const nextTheme = () => { theme = (theme + 1) % THEMES.length; setTheme(); };
at("theme").addEventListener("click", nextTheme);

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input") || at("keys").open;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input") && event.key === "Escape") { event.target.value = ""; fill(); event.target.blur(); }
  if (typing) return;
  const actions = {
    "/": () => at("filter").focus(),
    j: () => step(1),
    k: () => step(-1),
    t: nextTheme,
    "?": () => at("keys").showModal(),
    s: () => { if (current >= 0) { at("sass").focus(); if (panes.sass.selected < 0) select("sass", 0); } },
    g: () => { if (current >= 0) at("graph").focus(); },
  };
  if (event.key in actions) { event.preventDefault(); actions[event.key](); }
});

fill();
fromAddress(false);
if (current < 0 && report.kernels.length) show(0);
