// Blocks: a frame around the members, a tab with its numbers, and the lines that cross the border.
// Memory traffic crosses it with a dot; what stays inside is dotted. So the score can be counted.

const look = (frame) => (frame.fuser ? hue(frame.fuser) : "none");

function drawFrame(p, frame) {
  const boxes = neighbours(frame.columns).map((columns) => frameBox(p.grid, frame, columns));
  const cls = `fr.fr-${look(frame)}`;
  const links = boxes.slice(1).map((box, n) => line(`${cls}.link`, `M${boxes[n].right} ${box.node.mid}H${box.x}`));
  const rects = boxes.map((box) => rect(cls, box.x, box.y, box.right - box.x, box.bottom - box.y, box.right - box.x < 50 ? 8 : 10));
  return [links, rects, drawTab(p, frame, boxes[0])];
}

function drawTab(p, frame, box) {
  const x = look(frame);
  const pad = frame.fuser ? 24 : 8;
  const at = box.x + (box.right - box.x < 50 ? 0 : 12);
  const letter = frame.fuser && [
    s("rect", { x: 0.8, y: 0.8, width: 17, height: 16.4, rx: 3, fill: `url(#h-${x})`, opacity: 0.75 }),
    rect(`wash-${x}`, 4, 3, 10.5, 12, 2),
    label(9.2, 13.4, `tabletter.t-${x}`, frame.fuser, true),
  ];
  return s("g", { transform: `translate(${at} ${box.y - 9})` },
    rect(`tab.line-${x}`, 0, 0, p.measure(frame.tab, 11.5) + pad + 9, 18, 4), letter, label(pad, 13.2, "s115", frame.tab));
}

function drawRails(p, frame) {
  if (!frame.lane) return null; // a stored plan around queued ops: its lines were drawn when it was found
  const boxes = neighbours(frame.columns).map((columns) => frameBox(p.grid, frame, columns));
  const at = (c) => p.x[c];
  const boxOf = (c) => boxes.find((box) => box.x <= at(c).cx && at(c).cx <= box.right) || boxes[0];
  const cls = `line-${look(frame)}`;
  const outs = (frame.out || []).map((c) => drawOut(frame, c, at(c), boxOf(c), cls));
  return [drawReads(p, frame, at, boxOf, cls), drawInside(frame, at, boxOf, cls), outs];
}

// One rail per value read, however many members use it: that is one access.
function drawReads(p, frame, at, boxOf, cls) {
  const pairs = frame.in || [];
  const sources = [...new Set(pairs.map(([source]) => source))];
  const arrived = {};
  const { y: top, node } = boxOf(frame.columns[0]);
  const gap = Math.min(5, (node.top - top - 12) / Math.max(1, sources.length));
  return sources.map((source, k) => {
    const members = pairs.filter(([from]) => from === source).map(([, member]) => member);
    const box = boxOf(members[0]);
    const from = at(source);
    const lane = p.rows[laneAt(p.columns[source], frame.from)];
    const up = lane.lane >= frame.lane;
    const start = nodeBox(lane)[up ? "top" : "bottom"];
    const y = box.y + 9 + k * gap;
    const rails = members.map((member) => {
      const count = pairs.filter(([, to]) => to === member).length;
      const n = (arrived[member] = (arrived[member] ?? -1) + 1);
      const x = at(member).cx + (n - (count - 1) / 2) * Math.min(22, 50 / count);
      return line("rail", railPath(from.cx, start, y, x, box.node.top - 2), "ah");
    });
    const outside = from.cx < box.x;
    return [rails, dot(`dot.${cls}`, outside ? box.x : from.cx, outside ? y : up ? box.bottom : box.y)];
  });
}

function railPath(x, y, rail, to, end) {
  const r = Math.min(5, Math.abs(to - x) / 2, Math.abs(end - rail));
  const down = rail < y ? -r : r;
  const turn = to < x ? -r : r;
  return `M${x} ${y}V${rail - down}q0 ${down} ${turn} ${down}H${to - turn}q${turn} 0 ${turn} ${r}V${end}`;
}

function drawInside(frame, at, boxOf, cls) {
  const arrived = {};
  let rows = 0;
  return (frame.inside || []).map(([a, b]) => {
    const { bottom, node } = boxOf(a);
    if (b === a + 1) return line(`inner.${cls}`, `M${at(a).right} ${node.mid}H${at(b).left - 2}`, "ah");
    const n = (arrived[b] = (arrived[b] ?? -1) + 1);
    const room = bottom - node.bottom;
    const y = node.bottom + Math.min(room - 3, Math.min(10, room - 5) + (rows++ % 3) * 2.5);
    const x = at(b).cx - 6 + n * 9;
    return line(`inner.${cls}`, `M${at(a).cx + 2} ${node.bottom}V${y - 4}q0 4 4 4H${x - 4}q4 0 4-4V${node.bottom + 2}`, "ah");
  });
}

// A result that must be written: a hollow dot where it leaves the frame.
function drawOut(frame, c, { cx, right }, box, cls) {
  const last = right + 12 > box.right;
  const soon = last && (frame.next || []).some(([a, b]) => a === c && b === c + 1);
  const [x, y] = last ? [box.right, box.node.mid] : [cx + 12, box.bottom];
  const path = last ? `M${right} ${y}H${soon ? x + 7 : x}` : `M${x} ${box.node.bottom}V${y}`;
  return [line("outline", path, soon && "ah"), dot(`hole.${cls}`, x, y)];
}

// Where merged ops came from.
function drawWas(p, was, frames) {
  const from = nodeBox(p.rows[was.lane]);
  const frame = frames.find((f) => f.lane === was.to && was.columns.some((c) => f.columns.includes(c)));
  const to = frame ? frameBox(p.grid, frame, frame.columns) : { y: nodeBox(p.rows[was.to]).top, bottom: nodeBox(p.rows[was.to]).bottom };
  const { cx } = p.x[was.columns[Math.floor((was.columns.length - 1) / 2)]];
  const arrow = was.to < was.lane ? `M${cx} ${from.top + 2}V${to.bottom + 2}` : `M${cx} ${from.bottom - 2}V${to.y - 2}`;
  return [
    was.columns.map((c) => rect("wasbox", p.x[c].left, from.top, p.x[c].node, from.h, 6)),
    line("wasarrow", arrow, "ahb"),
    label(cx, from.mid + 4, "s115.f2", was.text, true),
  ];
}

// One remark, in the widest empty part of its lane; it is left out when nothing is wide enough.
function drawNote(p, i, { note, was }) {
  const { lines, lane, inside } = note;
  const [left, right] = p.view();
  const busy = p.columns.flatMap((column, c) => {
    const here = column.size !== "drain" && (p.laneOf(c, i) === lane || (was?.lane === lane && was.columns.includes(c)));
    return here ? [[p.x[c].x, p.x[c].end]] : [];
  });
  const [from, to] = widestGap(left, right, busy);
  const width = Math.max(...lines.map((text) => p.measure(text, 13))) + (inside ? 38 : 0);
  if (to - from < width + 8) return null;
  const y = nodeBox(p.rows[lane]).mid - (lines.length - 1) * 9 + 4;
  const x = inside ? from + 38 : (from + to) / 2;
  return [
    inside && line(`inner.line-${hue(inside)}`, `M${x - 32} ${y - 4}h26`),
    lines.map((text, n) => label(x, y + n * (inside ? 15 : 19), inside ? "s115.f2" : "s13.f2", text, !inside)),
  ];
}

function widestGap(left, right, busy) {
  let best = [0, 0];
  let from = left;
  const taken = busy.filter(([a, b]) => b > left && a < right).sort((m, n) => m[0] - n[0]);
  for (const [a, b] of [...taken, [right, right]]) {
    if (a - from > best[1] - best[0]) best = [from, a];
    from = Math.max(from, b);
  }
  return best;
}
