// Where everything stands in the lane grid: x by registration order, y by lane. Computed once per
// run (x) and once per size of the box (y); a step never moves a column.

const GUTTER = 52;
const RULER = 38;
const MONO = 7.25; // advance of one letter of the 12 px mono face
const last = (list) => list[list.length - 1];

function columnWidth({ size, label: { length } }) {
  if (size === "small") return Math.max(30, Math.ceil(length * MONO + 14));
  if (size !== "op") return 44;
  return length <= 9 ? 88 : Math.ceil(length * MONO + 24);
}

// Extent of each column, and of the node in it. Rounds stand apart.
function placeColumns(columns) {
  let x = 6;
  return columns.map((column, c) => {
    if (c && column.round !== columns[c - 1].round) x += 18;
    const w = columnWidth(column);
    const node = { op: w - 16, small: w - 4, drop: 38 }[column.size] || 0;
    const cx = x + w / 2;
    const at = { x, w, node, cx, end: x + w, left: cx - node / 2, right: cx + node / 2 };
    x += w;
    return at;
  });
}

// Top and height of each lane; index 0 is the queue. Free height goes to the block lanes.
function placeLanes({ lanes: used, max_blocks: most }, height) {
  const heights = [used > 3 ? 52 : 70];
  for (let lane = 1; lane <= Math.min(Math.max(most || 0, used), used + 6); lane++) {
    heights.push(lane > used ? 13 : lane === 1 && used < 4 ? 98 : 68);
  }
  let free = height - RULER - 1 - heights.reduce((a, b) => a + b);
  const grow = (from, to, limit) => {
    const share = Math.floor(free / (to - from));
    for (let lane = from; lane < to && free > 0; lane++) {
      const more = Math.max(0, Math.min(share, limit - heights[lane]));
      heights[lane] += more;
      free -= more;
    }
  };
  grow(1, used + 1, 120);
  grow(0, 1, 96);
  grow(1, used + 1, 190);
  let end = RULER;
  return heights.map((tall, lane) => ({ lane, top: end, tall, end: (end += tall), used: lane <= used }));
}

// The box of a node in a lane: below it there is room for the rails inside a frame.
function nodeBox({ lane, tall, end }) {
  const h_ = lane ? 38 : 36;
  const bottom = end - (lane && tall >= 90 ? 19 + (tall - 98) / 3 : 7);
  return { top: bottom - h_, h: h_, mid: bottom - h_ / 2, bottom };
}

// The boxes of a frame: neighbours in registration order share one.
function frameBoxes(p, { lane, columns }) {
  const { top, end } = p.rows[lane];
  const node = nodeBox(p.rows[lane]);
  const y = Math.max(top + 11, node.top - 38);
  const bottom = Math.min(end - 3, node.bottom + 15);
  const groups = [];
  for (const c of columns) {
    if (groups.length && last(last(groups)) === c - 1) last(groups).push(c);
    else groups.push([c]);
  }
  return groups.map((group) => {
    const [a, b] = [p.x[group[0]], p.x[last(group)]];
    const pad = a.node < 40 && !group[1] ? 3 : 7;
    const x = a.left - pad;
    return { x, right: b.right + pad, w: b.right + pad - x, y, bottom, node };
  });
}

// The lane of a column at a step: where it is, or where it was last.
function laneAt({ moves = [] }, step) {
  return (moves.findLast(([from]) => from <= step) || moves[0] || [0, 0])[1];
}

function stateAt({ born, done }, step, now) {
  if (step >= done) return "done";
  return step < born ? "ghost" : now ? "now" : "wait";
}
