// The lanes: built once per run; a step only moves nodes between lanes and changes their looks.
// Frames, rails and remarks are few, so they are drawn anew.

function buildStage(p) {
  const { run } = p;
  p.grid = { ...columnsOf(run) };
  const layer = (name) => s("g", { class: name });
  p.layers = Object.fromEntries(["back", "wash", "frames", "rails", "nodes", "over", "ruler"].map((n) => [n, layer(n)]));
  p.nodes = run.columns.map((column, c) => buildColumn(p, column, c));
  p.layers.nodes.append(...p.nodes.map((node) => node.g));
  p.svg = s("svg", { class: "drawing", role: "img", "aria-label": p.labels.lanes }, ...Object.values(p.layers));
  p.gutter = h("div", { class: "gut", "aria-hidden": "true" });
  p.$(".lanes").replaceChildren(p.gutter, p.svg);
  layStage(p);
}

function buildColumn(p, column, c) {
  const { cx, x, node } = p.grid.columns[c];
  const title = column.title ? s("title", null, column.title) : null;
  if (column.size === "drain") {
    const line = s("path", { class: "drainline" });
    const label = s("text", { x: x + 7, y: 17, class: "s115" }, column.label);
    const sub = s("text", { x: x + 7, y: 32, class: "s11" }, column.sub || "");
    return { line, g: s("g", { class: "drain", "data-c": c }, line, label, sub, title) };
  }
  const plan = s("text", { x: cx, y: 33, class: "mono s11 f3 byplan", "text-anchor": "middle", "data-p": column.plan || null }, column.plan || "");
  const rect = s("rect", { class: "box", x: cx - node / 2, width: node, rx: 6, height: 38 });
  const hit = s("rect", { class: "hitarea", x, width: p.grid.columns[c].w, height: 44, y: -3 });
  const name = s("text", { x: cx, y: 16, class: "mono s12 name", "text-anchor": "middle" }, column.label);
  const tensor = s("text", { x: cx, y: 30, class: "mono s11 sub", "text-anchor": "middle" }, column.sub || "");
  const check = s("g", { class: "okdisc", transform: `translate(${cx + node / 2 - 10} 26)` },
    s("circle", { cx: 7, cy: 7, r: 7 }), s("g", { transform: "translate(1.6 1.6) scale(.9)" }, ICONS.hit()));
  const body = s("g", { class: "body" }, hit, rect, name, tensor, check, title);
  const open = () => p.go(p.stopAt(column.born), { jump: true });
  const g = s("g", { class: "column", "data-c": c, "data-t": column.sub || null, onclick: open }, plan, body);
  return { g, body, rect };
}

// Everything that depends on the height of the box.
function layStage(p) {
  const stage = p.$(".stage");
  p.zoom = p.scale * (p.userZoom || 1);
  const { lanes, height } = lanesOf(p.run, stage.clientHeight / p.zoom);
  Object.assign(p.grid, { lanes, height });
  const view = Math.max(p.grid.width, (stage.clientWidth - gutterWidth(p)) / p.zoom);
  p.grid.view = view;
  p.svg.setAttribute("viewBox", `0 0 ${view} ${height}`);
  p.svg.setAttribute("width", view * p.zoom);
  p.svg.setAttribute("height", height * p.zoom);
  p.layers.back.replaceChildren(...lanes.flatMap((lane) => laneBack(lane, view)));
  for (const node of p.nodes) if (node.line) node.line.setAttribute("d", `M${lineX(node)} 4V${height}`);
  p.gutter.replaceChildren(...lanes.map((lane) => laneName(p, lane)), freeLabel(p, lanes));
  p.gutter.style.height = `${height * p.zoom}px`;
  p.painted = null;
}

const lineX = (node) => Number(node.g.querySelector("text").getAttribute("x")) - 7;
const gutterWidth = (p) => (p.phone ? 0 : GUTTER * p.scale);

function laneBack(lane, view) {
  const wash = lane.lane === 0 ? [s("rect", { x: 0, y: lane.top, width: view, height: lane.h, class: "queuelane" })] : [];
  return [...wash, s("path", { d: `M0 ${lane.top + lane.h}H${view}`, class: "hair" })];
}

function laneName(p, lane) {
  const z = p.zoom;
  const text = lane.lane === 0 ? p.labels.queue_lane : lane.used ? say(p.labels.block, { n: lane.lane }) : String(lane.lane);
  const style = `top:${lane.top * z}px;height:${lane.h * z}px`;
  return h("div", { class: `lane ${lane.lane === 0 ? "q" : ""} ${lane.used ? "" : "free"}`, style, "data-lane": lane.lane }, h("span", null, text));
}

function freeLabel(p, lanes) {
  const free = lanes.filter((lane) => !lane.used);
  if (!free.length || !p.run.max_blocks || p.phone) return null;
  const lane = free[Math.floor(free.length / 2)];
  return h("div", { class: "freelabel", style: `top:${lane.top * p.zoom}px;line-height:${lane.h * p.zoom}px` }, say(p.labels.free_lanes, { n: p.run.max_blocks }));
}

function paintStage(p, i, calm) {
  const step = p.run.steps[i];
  p.svg.classList.toggle("calm", calm);
  const segment = p.run.segments[step.segment] || { columns: [], text: "" };
  const matched = new Set(segment.columns.slice(0, step.matched || 0));
  p.nodes.forEach((node, c) => paintColumn(p, node, p.run.columns[c], i, c === step.column, matched.has(c)));
  const frames = p.run.frames.filter((frame) => frame.from <= i && i < frame.to);
  p.layers.frames.replaceChildren(...frames.flatMap((frame) => drawFrame(p, frame)));
  p.layers.rails.replaceChildren(...frames.flatMap((frame) => drawRails(p, frame)));
  p.layers.wash.replaceChildren(...drawNow(p, step));
  keepInView(p, step, segment);
  p.layers.ruler.replaceChildren(...drawRuler(p, i, step, segment));
  p.layers.over.replaceChildren(...(step.was ? drawWas(p, step.was, frames) : []), ...(step.note ? drawNote(p, i, step) : []));
  for (const lane of p.gutter.children) lane.classList.toggle("on", Number(lane.dataset.lane) === step.block && step.block !== undefined);
}

function paintColumn(p, node, column, i, now, ok) {
  const state = stateAt(column, i, now);
  const lane = node.line ? 0 : laneAt(column, i);
  const key = `${state}${now}${ok}${lane}`;
  if (node.key === key && p.painted !== null) return;
  node.key = key;
  node.g.setAttribute("class", `${node.line ? "drain" : "column"} ${column.size} ${state}${now ? " current" : ""}${ok ? " matched" : ""}`);
  if (node.line) return;
  const box = nodeBox(p.grid.lanes[lane]);
  node.body.style.transform = `translateY(${box.top}px)`;
  node.rect.setAttribute("height", box.h);
}

// The column of the current op, and the triangle in the ruler.
function drawNow(p, step) {
  const at = p.grid.columns[step.column];
  if (!at) return [];
  const drain = p.run.columns[step.column].size === "drain";
  const wash = s("rect", { class: "nowwash", x: at.x, width: at.w, y: drain ? 0 : RULER, height: p.grid.height - (drain ? 0 : RULER) });
  return drain ? [wash] : [wash, s("path", { class: "nowmark", d: `M${at.cx - 6} 31h12l-6 7z` })];
}

// Scroll only when what matters is out of view, by whole rounds if they fit.
function keepInView(p, step, segment) {
  const stage = p.$(".stage");
  const width = (stage.clientWidth - gutterWidth(p)) / p.zoom;
  const at = p.grid.columns[step.column];
  if (!at) return;
  const round = p.run.rounds[p.run.columns[step.column].round];
  const span = (a, b) => [p.grid.columns[a].x - 6, p.grid.columns[b].x + p.grid.columns[b].w + 6];
  const spans = [round && span(...round.columns), segment.columns.length && span(segment.columns[0], segment.columns[segment.columns.length - 1])];
  const fitting = spans.filter(Boolean).find(([a, b]) => b - a <= width + 8);
  const left = stage.scrollLeft / p.zoom;
  if (fitting && !p.phone) {
    if (fitting[0] < left - 1 || fitting[1] > left + width + 9) stage.scrollLeft = fitting[0] * p.zoom;
  } else if (at.x < left + 60 || at.x + at.w > left + width - 40) {
    stage.scrollLeft = (at.cx - width * (p.phone ? 0.55 : 0.5)) * p.zoom;
  }
  if (stage.scrollHeight > stage.clientHeight + 2 && step.block) {
    const lane = p.grid.lanes[step.block];
    const top = stage.scrollTop / p.zoom;
    if (lane.top < top || lane.top + lane.h > top + stage.clientHeight / p.zoom) stage.scrollTop = (lane.top - RULER) * p.zoom;
  }
}

function drawRuler(p, i, step, segment) {
  const out = [];
  const live = segment.columns.map((c) => p.grid.columns[c]);
  const first = live.length ? live[0].x : Infinity;
  const round = p.run.rounds[(p.run.columns[step.column] || {}).round];
  if (round) {
    const start = p.grid.columns[round.columns[0]].x;
    const end = Math.min(first, p.grid.columns[step.column].x + (live.length ? 0 : p.grid.columns[step.column].w));
    if (end - start > 84) out.push(s("text", { x: start + 2, y: 17, class: "s115 f3" }, p.labels.done_by));
  }
  if (!live.length) return out;
  segment.columns.forEach((c, n) => {
    if (p.run.columns[c].size !== "small") out.push(s("text", { x: p.grid.columns[c].x + 10, y: 34, class: "mono s11 f3" }, String(n)));
  });
  const last = live[live.length - 1];
  return [...out, ...drawBracket(p, first + 4, last.x + last.w - 6, segment.text)];
}

function drawBracket(p, a, b, text) {
  if (b - a < 60) return [];
  const stage = p.$(".stage");
  const left = Math.max(a, stage.scrollLeft / p.zoom);
  const right = Math.min(b, (stage.scrollLeft + stage.clientWidth - gutterWidth(p)) / p.zoom);
  const w = p.measure(text) + 20;
  const mid = Math.max(a + w / 2, Math.min(b - w / 2, (left + right) / 2));
  const gap = w < b - a ? `H${mid - w / 2}M${mid + w / 2} 19` : "";
  return [
    s("path", { class: "bracket", d: `M${a} 22V19${gap}H${b}v3` }),
    w < b - a + 30 ? s("text", { x: mid, y: 22, class: "s12", "text-anchor": "middle" }, text) : null,
  ];
}
