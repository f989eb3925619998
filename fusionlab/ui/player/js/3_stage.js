// The lanes: built once per run; a step only moves nodes between lanes and changes their looks.
// Frames, rails and remarks are few, so they are drawn anew.

function buildStage(p) {
  p.x = placeColumns(p.columns);
  p.layers = Object.fromEntries(["back", "wash", "frames", "rails", "nodes", "over", "ruler"].map((name) => [name, s(`g.${name}`)]));
  p.nodes = p.columns.map((column, c) => buildColumn(p, column, c));
  put(p.layers.nodes, p.nodes.map(({ g }) => g));
  p.svg = s("svg.drawing", { role: "img", "aria-label": p.labels.lanes }, Object.values(p.layers));
  p.gutter = h("div.gut", { "aria-hidden": "true" });
  put(p.$(".lanes"), p.gutter, p.svg);
  layStage(p);
}

function buildColumn(p, { label: name, sub, size, title, plan, born }, c) {
  const { cx, x, w, left, right, node } = p.x[c];
  const tip = title && s("title", title);
  if (size === "drain") {
    const rule = line("drainline", "");
    return { rule, x, g: s("g", { "data-c": c }, rule, label(x + 7, 17, "s115", name), label(x + 7, 32, "s11", sub), tip) };
  }
  const box = rect("box", left, 0, node, 38, 6);
  const check = s("g.okdisc", { transform: `translate(${right - 10} 26)` }, dot("disc", 7, 7, 7), use("hit", 1.6, 1.6, 10.8));
  const body = s("g.body", rect("hitarea", x, -3, w, 44), box,
    label(cx, 16, "mono.s12.name", name, true), label(cx, 30, "mono.s11.sub", sub, true), check, tip);
  const click = () => p.go(p.stopAt(born), true);
  return { body, box, g: s("g", { "data-c": c, "data-t": sub, "data-p": plan, click }, label(cx, 33, "mono.s11.f3.byplan", plan, true), body) };
}

// Everything that depends on the height of the box.
function layStage(p) {
  const { zoom } = p;
  p.rows = placeLanes(p.run, p.box.clientHeight / zoom);
  p.width = Math.max(p.x.length ? last(p.x).end + 12 : 0, p.viewWidth());
  p.height = last(p.rows).end + 1;
  dress(p.svg, { viewBox: `0 0 ${p.width} ${p.height}`, width: p.width * zoom, height: p.height * zoom });
  put(p.layers.back, p.rows.map(({ lane, top, tall, end }) => [!lane && rect("queuelane", 0, top, p.width, tall), line("hair", `M0 ${end}H${p.width}`)]));
  for (const { rule, x } of p.nodes) rule?.setAttribute("d", `M${x} 4V${p.height}`);
  const free = p.rows.filter(({ used }) => !used);
  put(p.gutter, p.rows.map((row) => laneName(p, row)), p.run.max_blocks && free.length > 0 && freeName(p, free[free.length >> 1]));
  p.gutter.style.height = `${p.height * zoom}px`;
  p.fresh = true;
}

const spanOf = (p, { top, tall }) => `top:${top * p.zoom}px;height:${tall * p.zoom}px;line-height:${tall * p.zoom}px`;
const freeName = (p, row) => h("div.freelabel", { style: spanOf(p, row) }, p.say("free_lanes", p.run.max_blocks));

function laneName(p, row) {
  const { lane, used } = row;
  const name = !lane ? p.labels.queue_lane : used ? p.say("block", lane) : String(lane);
  return h(`div.lane${lane ? "" : ".q"}${used ? "" : ".free"}`, { style: spanOf(p, row), "data-lane": lane }, h("span", name));
}

function paintStage(p, i, calm) {
  const step = p.steps[i];
  const segment = p.run.segments[step.segment] || { columns: [] };
  const matched = new Set(segment.columns.slice(0, step.matched || 0));
  const frames = p.run.frames.filter(({ from, to }) => from <= i && i < to);
  p.svg.classList.toggle("calm", calm);
  p.nodes.forEach((node, c) => paintColumn(p, node, c, i, c === step.column, matched.has(c)));
  p.fresh = false;
  keepInView(p, step, segment.columns, frames);
  put(p.layers.frames, frames.map((frame) => drawFrame(p, frame)));
  // A stored plan around queued ops: its lines were drawn when it was found.
  put(p.layers.rails, frames.map((frame) => frame.lane && drawRails(p, frame)));
  const at = p.x[step.column];
  const top = p.nodes[step.column]?.rule ? 0 : RULER;
  put(p.layers.wash, at && rect("nowwash", at.x, top, at.w, p.height - top));
  put(p.layers.ruler, drawRuler(p, step, segment));
  put(p.layers.over, step.was && drawWas(p, step.was, frames), step.note && drawNote(p, i, step));
  for (const { dataset, classList } of p.gutter.children) classList.toggle("on", dataset.lane === String(step.block));
}

function paintColumn(p, node, c, i, now, ok) {
  const state = stateAt(p.columns[c], i, now);
  const lane = node.rule ? 0 : p.laneOf(c, i);
  const key = `${state}${now}${ok}${lane}`;
  if (node.key === key && !p.fresh) return;
  node.key = key;
  node.g.setAttribute("class", `${node.rule ? "drain" : "column"} ${state}${now ? " current" : ""}${ok ? " matched" : ""}`);
  if (node.rule) return;
  const { top, h: tall } = nodeBox(p.rows[lane]);
  node.body.style.transform = `translateY(${top}px)`;
  node.box.setAttribute("height", tall);
}

// Scroll only when what matters is out of view, by whole rounds if they fit.
function keepInView(p, step, columns, frames) {
  const block = frames.find(({ lane }) => lane === step.block);
  const at = p.x[step.was?.columns[0] ?? (p.nodes[step.column]?.rule && block ? last(block.columns) : step.column)];
  if (!at) return;
  const [left, right] = p.view();
  const width = right - left;
  const spans = [p.roundOf(step)?.columns, columns].filter((span) => span?.length).map((span) => [p.x[span[0]].x - 6, p.x[last(span)].end + 6]);
  const fitting = !p.phone && spans.find(([a, b]) => b - a <= width + 8);
  if (fitting) {
    if (fitting[0] < left - 1 || fitting[1] > right + 9) p.scroll("left", fitting[0]);
  } else if (at.x < left + 60 || at.end > right - 40) {
    p.scroll("left", at.cx - width * (p.phone ? 0.55 : 0.5));
  }
  const { top, end } = p.rows[step.block || 0];
  const tall = p.box.clientHeight / p.zoom;
  if (end > p.top / p.zoom + tall) p.scroll("top", end - tall);
  if (top < p.top / p.zoom + RULER) p.scroll("top", step.block > 1 ? top - RULER : 0);
}

function drawRuler(p, step, { columns, text }) {
  const now = p.x[step.column];
  const start = p.x[p.roundOf(step)?.columns[0]]?.x;
  const end = columns.length ? p.x[columns[0]].x : now?.end;
  return [
    rect("rulerback", 0, 0, p.width, RULER),
    now && !p.nodes[step.column].rule && line("nowmark", `M${now.cx - 6} 31h12l-6 7z`),
    end - start > 84 && label(start + 2, 17, "s115.f3", p.labels.done_by),
    columns.map((c, n) => p.columns[c].size !== "small" && p.near(c) && label(p.x[c].x + 10, 34, "mono.s11.f3", n)),
    columns.length > 0 && drawBracket(p, end + 4, p.x[last(columns)].end - 6, text),
  ];
}

function drawBracket(p, a, b, text) {
  const half = p.measure(text, 12) / 2 + 10;
  if (b - a < 60) return null;
  const [left, right] = p.view();
  const mid = Math.max(a + half, Math.min(b - half, (Math.max(a, left) + Math.min(b, right)) / 2));
  const gap = 2 * half < b - a ? `H${mid - half}M${mid + half} 19` : "";
  return [line("bracket", `M${a} 22V19${gap}H${b}v3`), gap && label(mid, 22, "s12", text, true)];
}
