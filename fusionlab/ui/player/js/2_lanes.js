// Where everything stands in the lane grid: x by registration order, y by lane. Computed once per
// run (x) and once per size of the box (y); a step never moves a column.

const GUTTER = 52;
const RULER = 38;
const ROUND_GAP = 18;
const MONO = 7.25; // advance of one letter of the 12 px mono face

function columnWidth({ size, label: { length } }) {
  if (size === "small") return Math.max(30, Math.ceil(length * MONO + 14));
  if (size !== "op") return 44;
  return length <= 9 ? 88 : Math.ceil(length * MONO + 24);
}

// x, width and node width of each column.
function columnsOf(run) {
  let x = 6;
  let round = 0;
  const columns = run.columns.map((column) => {
    if (column.round !== round) x += ROUND_GAP;
    round = column.round;
    const w = columnWidth(column);
    const node = { op: w - 16, small: w - 4, drop: 38 }[column.size] || 0;
    const at = { x, w, node, end: x + w, cx: x + w / 2, left: x + w / 2 - node / 2, right: x + w / 2 + node / 2 };
    x += w;
    return at;
  });
  return { columns, width: x + 12 };
}

// Top and height of each lane; index 0 is the queue. Free height goes to the block lanes.
function lanesOf(run, height) {
  const used = run.lanes;
  const total = Math.min(Math.max(run.max_blocks || used, used), used + 6);
  const heights = [used > 3 ? 52 : 70];
  for (let lane = 1; lane <= total; lane++) heights.push(lane > used ? 13 : lane === 1 && used < 4 ? 98 : 68);
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
  const lanes = heights.map((h_, lane) => ({ lane, top: end, h: h_, end: (end += h_), used: lane <= used }));
  return { lanes, height: end + 1 };
}

// The box of a node in a lane: below it there is room for the rails inside a frame.
function nodeBox({ lane, h: height, end }) {
  const h_ = lane ? 38 : 36;
  const bottom = end - (lane && height >= 90 ? 19 + (height - 98) / 3 : 7);
  return { top: bottom - h_, h: h_, mid: bottom - h_ / 2, bottom };
}

function frameBox(grid, frame, columns) {
  const lane = grid.lanes[frame.lane];
  const node = nodeBox(lane);
  const first = grid.columns[columns[0]];
  const last = grid.columns[columns[columns.length - 1]];
  const pad = first.node < 40 && columns.length === 1 ? 3 : 7;
  const y = Math.max(lane.top + 11, node.top - 38);
  const bottom = Math.min(lane.end - 3, node.bottom + 15);
  return { x: first.left - pad, right: last.right + pad, y, bottom, node };
}

// Neighbours in registration order share a box; other members are joined by a line.
function neighbours(columns) {
  const groups = [];
  for (const column of columns) {
    const last = groups[groups.length - 1];
    if (last?.[last.length - 1] === column - 1) last.push(column);
    else groups.push([column]);
  }
  return groups;
}

// The lane of a column at a step: where it is, or where it was last.
function laneAt({ moves = [] }, step) {
  return (moves.findLast(([from]) => from <= step) || moves[0] || [0, 0])[1];
}

function stateAt(column, step, now) {
  if (column.done !== undefined && step >= column.done) return "done";
  return step < column.born ? "ghost" : now ? "now" : "wait";
}
