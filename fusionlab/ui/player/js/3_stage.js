// The lanes: built once per run; a step only moves nodes between lanes and changes their looks.
// Frames, rails and remarks are few, so they are drawn anew.

function buildStage(p) {
  p.grid = columnsOf(p.run);
  p.layers = Object.fromEntries(["back", "wash", "frames", "rails", "nodes", "over", "ruler"].map((name) => [name, s(`g.${name}`)]));
  p.nodes = p.columns.map((column, c) => buildColumn(p, column, c));
  p.layers.nodes.append(...p.nodes.map((node) => node.g));
  p.svg = s("svg.drawing", { role: "img", "aria-label": p.labels.lanes }, Object.values(p.layers));
  p.gutter = h("div.gut", { "aria-hidden": "true" });
  put(p.$(".lanes"), p.gutter, p.svg);
  layStage(p);
}

function buildColumn(p, column, c) {
  const { cx, x, w, left, right, node } = p.x[c];
  const title = column.title && s("title", column.title);
  if (column.size === "drain") {
    const rule = line("drainline", "");
    const names = [label(x + 7, 17, "s115", column.label), label(x + 7, 32, "s11", column.sub || "")];
    return { rule, x, g: s("g", { "data-c": c }, rule, names, title) };
  }
  const plan = label(cx, 33, "mono.s11.f3.byplan", column.plan || "", true);
  const box = rect("box", left, 0, node, 38, 6);
  const check = s("g.okdisc", { transform: `translate(${right - 10} 26)` }, s("circle", { cx: 7, cy: 7, r: 7 }), use("hit", 1.6, 1.6, 10.8));
  const names = [label(cx, 16, "mono.s12.name", column.label, true), label(cx, 30, "mono.s11.sub", column.sub || "", true)];
  const body = s("g.body", rect("hitarea", x, -3, w, 44), box, names, check, title);
  const open = () => p.go(p.stopAt(column.born), true);
  return { body, box, g: s("g", { "data-c": c, "data-t": column.sub, "data-p": column.plan, click: open }, plan, body) };
}

// Everything that depends on the height of the box.
function layStage(p) {
  const stage = p.$(".stage");
  p.zoom = p.scale * p.userZoom;
  const { lanes, height } = lanesOf(p.run, stage.clientHeight / p.zoom);
  const view = Math.max(p.grid.width, p.viewWidth());
  Object.assign(p.grid, { lanes, height, view });
  dress(p.svg, { viewBox: `0 0 ${view} ${height}`, width: view * p.zoom, height: height * p.zoom });
  put(p.layers.back, lanes.map((lane) => [lane.lane === 0 && rect("queuelane", 0, lane.top, view, lane.h), line("hair", `M0 ${lane.end}H${view}`)]));
  for (const node of p.nodes) node.rule?.setAttribute("d", `M${node.x} 4V${height}`);
  put(p.gutter, lanes.map((lane) => laneName(p, lane)), freeLabel(p, lanes.filter((lane) => !lane.used)));
  p.gutter.style.height = `${height * p.zoom}px`;
  p.painted = null;
}

function laneName(p, { lane, top, h: height, used }) {
  const text = lane === 0 ? p.labels.queue_lane : used ? say(p.labels.block, { n: lane }) : lane;
  const style = `top:${top * p.zoom}px;height:${height * p.zoom}px`;
  return h(`div.lane${lane ? "" : ".q"}${used ? "" : ".free"}`, { style, "data-lane": lane }, h("span", String(text)));
}

function freeLabel(p, free) {
  if (!free.length || !p.run.max_blocks || p.phone) return null;
  const { top, h: height } = free[Math.floor(free.length / 2)];
  return h("div.freelabel", { style: `top:${top * p.zoom}px;line-height:${height * p.zoom}px` }, say(p.labels.free_lanes, { n: p.run.max_blocks }));
}

function paintStage(p, i, calm) {
  const step = p.steps[i];
  p.svg.classList.toggle("calm", calm);
  const segment = p.run.segments[step.segment] || { columns: [] };
  const matched = new Set(segment.columns.slice(0, step.matched || 0));
  p.nodes.forEach((_, c) => paintColumn(p, c, i, c === step.column, matched.has(c)));
  const frames = p.run.frames.filter((frame) => frame.from <= i && i < frame.to);
  put(p.layers.frames, frames.map((frame) => drawFrame(p, frame)));
  put(p.layers.rails, frames.map((frame) => drawRails(p, frame)));
  put(p.layers.wash, drawNow(p, step));
  keepInView(p, step, segment, frames);
  put(p.layers.ruler, drawRuler(p, step, segment));
  put(p.layers.over, step.was && drawWas(p, step.was, frames), step.note && drawNote(p, i, step));
  for (const name of p.gutter.children) name.classList.toggle("on", name.dataset.lane === String(step.block));
}

function paintColumn(p, c, i, now, ok) {
  const [node, column] = [p.nodes[c], p.columns[c]];
  const state = stateAt(column, i, now);
  const lane = node.rule ? 0 : p.laneOf(c, i);
  const key = `${state}${now}${ok}${lane}`;
  if (node.key === key && p.painted !== null) return;
  node.key = key;
  node.g.setAttribute("class", `${node.rule ? "drain" : "column"} ${state}${now ? " current" : ""}${ok ? " matched" : ""}`);
  if (node.rule) return;
  const box = nodeBox(p.rows[lane]);
  node.body.style.transform = `translateY(${box.top}px)`;
  node.box.setAttribute("height", box.h);
}

function drawNow(p, { column }) {
  const at = p.x[column];
  const top = p.nodes[column]?.rule ? 0 : RULER;
  return at && rect("nowwash", at.x, top, at.w, p.grid.height - top);
}

// Scroll only when what matters is out of view, by whole rounds if they fit.
function keepInView(p, step, { columns }, frames) {
  const block = frames.find((frame) => frame.lane === step.block);
  const drain = p.nodes[step.column]?.rule;
  const focus = step.was?.columns[0] ?? (drain && block ? block.columns[block.columns.length - 1] : step.column);
  const at = p.x[focus];
  if (!at) return;
  const stage = p.$(".stage");
  const [left, right] = p.view();
  const width = right - left;
  const round = p.roundOf(step);
  const span = ([a, b]) => [p.x[a].x - 6, p.x[b].end + 6];
  const spans = [round && span(round.columns), columns.length && span([columns[0], columns[columns.length - 1]])];
  const fitting = !p.phone && spans.find((part) => part && part[1] - part[0] <= width + 8);
  if (fitting) {
    if (fitting[0] < left - 1 || fitting[1] > right + 9) stage.scrollLeft = fitting[0] * p.zoom;
  } else if (at.x < left + 60 || at.end > right - 40) {
    stage.scrollLeft = (at.cx - width * (p.phone ? 0.55 : 0.5)) * p.zoom;
  }
  const lane = p.rows[step.block || 0];
  const top = stage.scrollTop / p.zoom;
  const height = stage.clientHeight / p.zoom;
  if (lane.end > top + height) stage.scrollTop = (lane.end - height) * p.zoom;
  if (lane.top < top + RULER) stage.scrollTop = step.block > 1 ? (lane.top - RULER) * p.zoom : 0;
}

function drawRuler(p, step, segment) {
  const live = segment.columns.map((c) => p.x[c]);
  const round = p.roundOf(step);
  const start = round && p.x[round.columns[0]].x;
  const end = live.length ? live[0].x : p.x[step.column]?.end;
  const numbers = segment.columns.map((c, n) => p.columns[c].size !== "small" && label(p.x[c].x + 10, 34, "mono.s11.f3", String(n)));
  return [
    p.svg.height.baseVal.value > p.$(".stage").clientHeight && rect("rulerback", 0, 0, p.grid.view, RULER),
    line("nowmark", p.nodes[step.column]?.rule ? "" : `M${p.x[step.column]?.cx - 6} 31h12l-6 7z`),
    end - start > 84 && label(start + 2, 17, "s115.f3", p.labels.done_by),
    numbers,
    live.length && drawBracket(p, live[0].x + 4, live[live.length - 1].end - 6, segment.text),
  ];
}

function drawBracket(p, a, b, text) {
  if (b - a < 60) return null;
  const [left, right] = p.view();
  const half = p.measure(text, 12) / 2 + 10;
  const mid = Math.max(a + half, Math.min(b - half, (Math.max(a, left) + Math.min(b, right)) / 2));
  const gap = 2 * half < b - a ? `H${mid - half}M${mid + half} 19` : "";
  return [line("bracket", `M${a} 22V19${gap}H${b}v3`), gap && label(mid, 22, "s12", text, true)];
}
