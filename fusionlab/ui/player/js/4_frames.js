// Blocks: a frame around the members, a tab with its numbers, and the lines that cross the border.
// Memory traffic crosses it with a dot; what stays inside is dotted. So the score can be counted.

const look = ({ fuser }) => (fuser ? hue(fuser) : "none");

function drawFrame(p, frame) {
  const boxes = frameBoxes(p, frame);
  const cls = `fr.fr-${look(frame)}`;
  // Members that are not neighbours are joined by a line.
  const links = boxes.slice(1).map(({ x, node }, n) => line(`${cls}.link`, `M${boxes[n].right} ${node.mid}H${x}`));
  const rects = boxes.map(({ x, y, w, bottom }) => rect(cls, x, y, w, bottom - y, w < 50 ? 8 : 10));
  return [links, rects, drawTab(p, frame, boxes[0])];
}

function drawTab(p, frame, { x, y, w }) {
  const { fuser, tab } = frame;
  const name = look(frame);
  const pad = fuser ? 24 : 8;
  const letter = fuser && [hatch(name, 16.6, 0.8), rect(`wash-${name}`, 4, 3, 10.5, 12, 2), label(9.2, 13.4, `tabletter.t-${name}`, fuser, true)];
  return s("g.frtab", { transform: `translate(${w < 50 ? x : x + 12} ${y - 9})` },
    rect(`tab.line-${name}`, 0, 0, p.measure(tab, 11.5) + pad + 9, 18, 4), letter, label(pad, 13.2, "s115", tab));
}

function drawRails(p, frame) {
  const boxes = frameBoxes(p, frame);
  const boxOf = (c) => boxes.find(({ x, right }) => x <= p.x[c].cx && p.x[c].cx <= right) || boxes[0];
  const cls = `line-${look(frame)}`;
  return [drawReads(p, frame, boxOf, cls), drawInside(p, frame, boxOf, cls), (frame.out || []).map((c) => p.near(c) && drawOut(p, frame, c, boxOf(c), cls))];
}

// One rail per value read, however many members use it: that is one access.
function drawReads(p, { in: pairs = [], lane, from: step, columns }, boxOf, cls) {
  const sources = [...new Set(pairs.map(([source]) => source))];
  const arrived = {};
  const { y: top, node } = boxOf(columns[0]);
  const gap = Math.min(5, (node.top - top - 12) / Math.max(1, sources.length));
  return sources.map((source, k) => {
    const members = pairs.filter(([from]) => from === source).map(([, member]) => member);
    const box = boxOf(members[0]);
    const { cx } = p.x[source];
    const row = p.rows[laneAt(p.columns[source], step)];
    const up = row.lane >= lane;
    const y = box.y + 9 + k * gap;
    const rails = members.map((member) => {
      const count = pairs.filter(([, to]) => to === member).length;
      const n = (arrived[member] = (arrived[member] ?? -1) + 1);
      const x = p.x[member].cx + (n - (count - 1) / 2) * Math.min(22, 50 / count);
      return line("rail", railPath(cx, nodeBox(row)[up ? "top" : "bottom"], y, x, box.node.top - 2), "ah");
    });
    return [rails, cx < box.x ? dot(`dot.${cls}`, box.x, y) : dot(`dot.${cls}`, cx, up ? box.bottom : box.y)];
  });
}

function railPath(x, y, rail, to, end) {
  const r = Math.min(5, Math.abs(to - x) / 2, Math.abs(end - rail));
  const down = rail < y ? -r : r;
  const turn = to < x ? -r : r;
  return `M${x} ${y}V${rail - down}q0 ${down} ${turn} ${down}H${to - turn}q${turn} 0 ${turn} ${r}V${end}`;
}

function drawInside(p, { inside = [] }, boxOf, cls) {
  const arrived = {};
  let rows = 0;
  return inside.map(([a, b]) => {
    if (!p.near(a, b)) return null;
    const { bottom, node } = boxOf(a);
    const { right, cx } = p.x[a];
    if (b === a + 1) return line(`inner.${cls}`, `M${right} ${node.mid}H${p.x[b].left - 2}`, "ah");
    const n = (arrived[b] = (arrived[b] ?? -1) + 1);
    const room = bottom - node.bottom;
    const y = node.bottom + Math.min(room - 3, Math.min(10, room - 5) + (rows++ % 3) * 2.5);
    const x = p.x[b].cx - 6 + n * 9;
    return line(`inner.${cls}`, `M${cx + 2} ${node.bottom}V${y - 4}q0 4 4 4H${x - 4}q4 0 4-4V${node.bottom + 2}`, "ah");
  });
}

// A result that must be written: a hollow dot where it leaves the frame.
function drawOut(p, { next = [] }, c, box, cls) {
  const { cx, right } = p.x[c];
  const end = right + 12 > box.right;
  const soon = end && next.some(([a, b]) => a === c && b === c + 1);
  const [x, y] = end ? [box.right, box.node.mid] : [cx + 12, box.bottom];
  return [line("outline", end ? `M${right} ${y}H${soon ? x + 7 : x}` : `M${x} ${box.node.bottom}V${y}`, soon && "ah"), dot(`hole.${cls}`, x, y)];
}

// Where merged ops came from.
function drawWas(p, { columns, lane, to, text }, frames) {
  const from = nodeBox(p.rows[lane]);
  const frame = frames.find((f) => f.lane === to && columns.some((c) => f.columns.includes(c)));
  const goal = frame ? frameBoxes(p, frame)[0] : { ...nodeBox(p.rows[to]), y: nodeBox(p.rows[to]).top };
  const { cx } = p.x[columns[(columns.length - 1) >> 1]];
  return [
    columns.map((c) => rect("wasbox", p.x[c].left, from.top, p.x[c].node, from.h, 6)),
    line("wasarrow", to < lane ? `M${cx} ${from.top + 2}V${goal.bottom + 2}` : `M${cx} ${from.bottom - 2}V${goal.y - 2}`, "ahb"),
    label(cx, from.mid + 4, "s115.f2", text, true),
  ];
}

// One remark, in the widest empty part of its lane; it is left out when nothing is wide enough.
function drawNote(p, i, { note: { lines, lane, inside }, was }) {
  const taken = p.columns.map((column, c) => {
    const here = column.size !== "drain" && (p.laneOf(c, i) === lane || (was?.lane === lane && was.columns.includes(c)));
    return here && [p.x[c].x, p.x[c].end];
  });
  const [left, right] = p.view();
  const [from, to] = widestGap(left + (p.phone ? 64 : 0), right, taken.filter(Boolean));
  const width = Math.max(...lines.map((text) => p.measure(text, 13))) + (inside ? 38 : 0);
  if (to - from < width + 8) return null;
  const y = nodeBox(p.rows[lane]).mid - (lines.length - 1) * 9 + 4;
  const x = inside ? from + 38 : (from + to) / 2;
  return [
    inside && line(`inner.line-${hue(inside)}`, `M${x - 32} ${y - 4}h26`),
    lines.map((text, n) => label(x, y + n * (inside ? 15 : 19), inside ? "s115.f2" : "s13.f2", text, !inside)),
  ];
}

function widestGap(left, right, taken) {
  let best = [0, 0];
  let from = left;
  for (const [a, b] of [...taken.filter(([x, end]) => end > left && x < right), [right, right]]) {
    if (a - from > best[1] - best[0]) best = [from, a];
    from = Math.max(from, b);
  }
  return best;
}
