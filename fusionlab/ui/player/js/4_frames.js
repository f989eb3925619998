// Blocks: a frame around the members, a tab with its numbers, and the lines that cross the border.
// Memory traffic crosses it with a dot; what stays inside is dotted. So the score can be counted.

function drawFrame(p, frame) {
  const h_ = hue(frame.fuser);
  const look = frame.fuser ? `fr fr-${h_}` : "fr fr-none";
  const groups = neighbours(frame.columns);
  const boxes = groups.map((columns) => frameBox(p.grid, frame, columns));
  const links = boxes.slice(1).map((box, n) => s("path", { class: `${look} link`, d: `M${boxes[n].right} ${box.mid}H${box.x}` }));
  const rects = boxes.map((box) => s("rect", { class: look, x: box.x, y: box.y, width: box.w, height: box.h, rx: boxes[0].w < 50 ? 8 : 10 }));
  return [...links, ...rects, drawTab(p, frame, boxes[0])];
}

function drawTab(p, frame, box) {
  const letter = frame.fuser;
  const pad = letter ? 24 : 8;
  const width = p.measure(frame.tab, 11.5) + pad + 9;
  const x = box.w < 50 ? box.x : box.x + 12;
  const parts = letter
    ? [s("rect", { x: 0.8, y: 0.8, width: 17, height: 16.4, rx: 3, fill: `url(#h-${hue(letter)})`, opacity: 0.75 }),
       s("rect", { x: 4, y: 3, width: 10.5, height: 12, rx: 2, class: `wash-${hue(letter)}` }),
       s("text", { x: 9.2, y: 13.4, class: `tabletter t-${hue(letter)}`, "text-anchor": "middle" }, letter)]
    : [];
  return s("g", { transform: `translate(${x} ${box.y - 9})` },
    s("rect", { class: `tab ${letter ? `line-${hue(letter)}` : "line-none"}`, width, height: 18, rx: 4 }),
    ...parts, s("text", { x: pad, y: 13.2, class: "s115" }, frame.tab));
}

function drawRails(p, frame) {
  const groups = neighbours(frame.columns).map((columns) => frameBox(p.grid, frame, columns));
  const boxOf = (c) => groups.find((box) => box.x <= p.grid.columns[c].cx && p.grid.columns[c].cx <= box.right) || groups[0];
  const cls = frame.fuser ? `line-${hue(frame.fuser)}` : "line-none";
  return [
    ...drawReads(p, frame, boxOf, cls),
    ...drawInside(p, frame, boxOf, cls),
    ...(frame.out || []).flatMap((c) => drawOut(p, frame, c, boxOf(c), cls)),
  ];
}

// One rail per value read, however many members use it: that is one access.
function drawReads(p, frame, boxOf, cls) {
  const bySource = new Map();
  for (const [source, member] of frame.in || []) bySource.set(source, [...(bySource.get(source) || []), member]);
  const into = new Map();
  for (const members of bySource.values()) for (const m of members) into.set(m, (into.get(m) || 0) + 1);
  const used = new Map();
  const room = boxOf(frame.columns[0]).nodeTop - boxOf(frame.columns[0]).y - 12;
  const gap = Math.min(5, room / Math.max(1, bySource.size));
  return [...bySource].flatMap(([source, members], k) => {
    const box = boxOf(members[0]);
    const y = box.y + 9 + k * gap;
    const from = p.grid.columns[source];
    const lane = p.grid.lanes[laneAt(p.run.columns[source], frame.from)];
    const start = nodeBox(lane);
    const up = lane.top >= p.grid.lanes[frame.lane].top;
    const ends = members.map((m) => {
      const n = used.get(m) || 0;
      used.set(m, n + 1);
      const count = into.get(m);
      return p.grid.columns[m].cx + (count > 1 ? (n - (count - 1) / 2) * Math.min(22, 50 / count) : 0);
    });
    const lines = ends.map((x) => s("path", { class: "rail", d: railPath(from.cx, up ? start.top : start.bottom, y, x, box.nodeTop - 2), "marker-end": "url(#ah)" }));
    const outside = from.cx < box.x;
    const dot = s("circle", { class: `dot ${cls}`, cx: outside ? box.x : from.cx, cy: outside ? y : up ? box.bottom : box.y, r: 3.2 });
    return [...lines, dot];
  });
}

function railPath(x, y, rail, to, end) {
  const r = Math.min(5, Math.abs(to - x) / 2, Math.abs(end - rail));
  const dir = rail < y ? -1 : 1;
  const turn = to < x ? -1 : 1;
  return `M${x} ${y}V${rail - dir * r}q0 ${dir * r} ${turn * r} ${dir * r}H${to - turn * r}q${turn * r} 0 ${turn * r} ${r}V${end}`;
}

function drawInside(p, frame, boxOf, cls) {
  const into = new Map();
  let row = 0;
  return (frame.inside || []).map(([a, b]) => {
    const from = p.grid.columns[a];
    const to = p.grid.columns[b];
    const box = boxOf(a);
    if (b === a + 1) {
      return s("path", { class: `inner ${cls}`, d: `M${from.cx + from.node / 2} ${box.mid}H${to.cx - to.node / 2 - 2}`, "marker-end": "url(#ah)" });
    }
    const n = into.get(b) || 0;
    into.set(b, n + 1);
    const room = box.bottom - box.nodeBottom;
    const y = box.nodeBottom + Math.min(room - 3, Math.min(10, room - 5) + (row++ % 3) * 2.5);
    const x = to.cx - 6 + n * 9;
    return s("path", { class: `inner ${cls}`, d: `M${from.cx + 2} ${box.nodeBottom}V${y - 4}q0 4 4 4H${x - 4}q4 0 4-4V${box.nodeBottom + 2}`, "marker-end": "url(#ah)" });
  });
}

// A result that must be written: a hollow dot where it leaves the frame.
function drawOut(p, frame, c, box, cls) {
  const at = p.grid.columns[c];
  const right = at.cx + at.node / 2;
  const last = right + 12 > box.right;
  const next = (frame.next || []).find(([a]) => a === c);
  const ghost = last && next && next[1] === c + 1;
  const line = last ? `M${right} ${box.mid}H${ghost ? box.right + 7 : box.right}` : `M${at.cx + 12} ${box.nodeBottom}V${box.bottom}`;
  return [
    s("path", { class: "outline", d: line, "marker-end": ghost ? "url(#ah)" : null }),
    s("circle", { class: `hole ${cls}`, cx: last ? box.right : at.cx + 12, cy: last ? box.mid : box.bottom, r: 3.2 }),
  ];
}

// Where merged ops came from.
function drawWas(p, was, frames) {
  const from = nodeBox(p.grid.lanes[was.lane]);
  const up = was.to < was.lane;
  const frame = frames.find((f) => f.lane === was.to && was.columns.some((c) => f.columns.includes(c)));
  const target = frame ? frameBox(p.grid, frame, frame.columns) : nodeBox(p.grid.lanes[was.to]);
  const mid = p.grid.columns[was.columns[Math.floor((was.columns.length - 1) / 2)]];
  const boxes = was.columns.map((c) => {
    const { cx, node } = p.grid.columns[c];
    return s("rect", { class: "wasbox", x: cx - node / 2, y: from.top, width: node, height: from.h, rx: 6 });
  });
  const arrow = up ? `M${mid.cx} ${from.top + 2}V${target.bottom + 2}` : `M${mid.cx} ${from.bottom - 2}V${(target.y ?? target.top) - 2}`;
  return [
    ...boxes,
    s("path", { class: "wasarrow", d: arrow, "marker-end": "url(#ahb)" }),
    s("text", { x: mid.cx, y: from.mid + 4, class: "s115 f2", "text-anchor": "middle" }, was.text),
  ];
}

// One remark, in the widest empty part of its lane; it is left out when nothing is wide enough.
function drawNote(p, i, step) {
  const { lines, lane, inside } = step.note;
  const stage = p.$(".stage");
  const left = stage.scrollLeft / p.zoom;
  const right = left + (stage.clientWidth - gutterWidth(p)) / p.zoom;
  const busy = p.run.columns.map((column, c) => [column, p.grid.columns[c], c])
    .filter(([column, , c]) => column.size !== "drain" && (laneAt(column, i) === lane || (step.was && step.was.lane === lane && step.was.columns.includes(c))))
    .map(([, at]) => [at.x, at.x + at.w]);
  const width = Math.max(...lines.map((line) => p.measure(line, 13))) + (inside ? 38 : 0);
  const gap = widestGap(left, right, busy);
  if (gap[1] - gap[0] < width + 8) return [];
  const at = nodeBox(p.grid.lanes[lane]);
  const y = at.mid - (lines.length - 1) * 9 + 4;
  const x = inside ? gap[0] + 6 : (gap[0] + gap[1]) / 2;
  const text = lines.map((line, n) => s("text", { x: inside ? x + 32 : x, y: y + n * (inside ? 15 : 19), class: inside ? "s115 f2" : "s13 f2", "text-anchor": inside ? null : "middle" }, line));
  const sample = inside ? [s("path", { class: `inner line-${hue(inside)}`, d: `M${x} ${y - 4}h26` })] : [];
  return [...sample, ...text];
}

function widestGap(left, right, busy) {
  let best = [0, 0];
  let from = left;
  for (const [a, b] of [...busy.filter(([a, b]) => b > left && a < right).sort((m, n) => m[0] - n[0]), [right, right]]) {
    if (a - from > best[1] - best[0]) best = [from, a];
    from = Math.max(from, b);
  }
  return best;
}
