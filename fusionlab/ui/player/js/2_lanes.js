// Where everything stands in the lane grid: x by registration order, y by lane. Computed once per
// run (x) and once per size of the box (y); a step never moves a column.

const GUTTER = 52;
const RULER = 38;
const WIDTHS = { small: 30, op: 88, drop: 44, drain: 44 };
const ROUND_GAP = 18;
const MONO = 7.25; // advance of one letter of the 12 px mono face

function columnWidth(column) {
  const letters = column.label.length;
  if (column.size === "small") return Math.max(30, Math.ceil(letters * MONO + 14));
  if (column.size !== "op") return WIDTHS[column.size];
  return letters <= 9 ? 88 : Math.ceil(letters * MONO + 24);
}

// x, width and node width of each column, and the extent of each round.
function columnsOf(run) {
  let x = 6;
  let round = 0;
  const columns = run.columns.map((column) => {
    if (column.round !== round) x += ROUND_GAP;
    round = column.round;
    const w = columnWidth(column);
    const node = { op: w - 16, small: w - 4, drop: 38 }[column.size] || 0;
    const at = { x, w, node, cx: x + w / 2 };
    x += w;
    return at;
  });
  return { columns, width: x + 12 };
}

// Top and height of each lane; index 0 is the queue. Free height goes to the block lanes.
function lanesOf(run, height) {
  const total = Math.max(run.max_blocks || run.lanes, run.lanes);
  const heights = [70, ...Array.from({ length: Math.min(total, run.lanes + 6) }, (_, i) => (i >= run.lanes ? 13 : i ? 68 : 98))];
  let free = height - RULER - 1 - heights.reduce((a, b) => a + b, 0);
  const grow = (from, to, limit) => {
    const share = Math.floor(free / Math.max(1, to - from));
    for (let i = from; i < to && free > 0; i++) {
      const more = Math.max(0, Math.min(share, limit - heights[i]));
      heights[i] += more;
      free -= more;
    }
  };
  grow(1, run.lanes + 1, 120);
  grow(0, 1, 96);
  grow(1, run.lanes + 1, 190);
  let top = RULER;
  const lanes = heights.map((h, lane) => {
    const at = { lane, top, h, used: lane <= run.lanes };
    top += h;
    return at;
  });
  return { lanes, height: top + 1 };
}

// The box of a node in a lane: below it there is room for the rails inside a frame.
function nodeBox(lane) {
  const h = lane.lane === 0 ? 36 : 38;
  const below = lane.lane === 0 ? 7 : lane.h >= 90 ? 19 + (lane.h - 98) / 3 : 7;
  const top = lane.top + lane.h - below - h;
  return { top, h, mid: top + h / 2, bottom: top + h };
}

function frameBox(grid, frame, columns) {
  const lane = grid.lanes[frame.lane];
  const box = nodeBox(lane);
  const first = grid.columns[columns[0]];
  const last = grid.columns[columns[columns.length - 1]];
  const pad = first.node < 40 && columns.length === 1 ? 3 : 7;
  const top = Math.max(lane.top + 11, box.top - 38);
  const bottom = Math.min(lane.top + lane.h - 3, box.bottom + 15);
  const x = first.cx - first.node / 2 - pad;
  const right = last.cx + last.node / 2 + pad;
  return { x, y: top, w: right - x, h: bottom - top, right, bottom, mid: box.mid, nodeTop: box.top, nodeBottom: box.bottom };
}

// Neighbours in registration order share a box; other members are joined by a line.
function neighbours(columns) {
  const groups = [];
  for (const column of columns) {
    const last = groups[groups.length - 1];
    if (last && last[last.length - 1] === column - 1) last.push(column);
    else groups.push([column]);
  }
  return groups;
}

// The lane of a column at a step: where it is, where it will first be, or where it was last.
function laneAt(column, step) {
  let lane = column.moves && column.moves.length ? column.moves[0][1] : 0;
  for (const [from, to] of column.moves || []) if (from <= step) lane = to;
  return lane;
}

// What a column is at a step.
function stateAt(column, step, now) {
  if (column.done !== undefined && step >= column.done) return "done";
  if (step < column.born) return "ghost";
  return now ? "now" : "wait";
}
