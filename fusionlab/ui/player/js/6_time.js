// The scrub bar: one strip per round, one tick per decision; and the buttons below it.

const TICK_KINDS = ["new", "accept", "merge", "defer", "hit", "store", "execute"];

function buildTime(p) {
  const box = p.$(".time");
  const width = box.clientWidth;
  const k = p.scale;
  if (!width) return;
  p.strip = p.phone ? pills(p, width) : ticks(p, width / k);
  box.replaceChildren(p.strip.svg);
  p.strip.svg.style.width = "100%";
  p.timeAt = null;
}

// Ticks closer than 7 px collapse to ops.
function stopsShown(p, width) {
  const room = width - 7 * (p.run.rounds.length - 1);
  return room / p.stops[1].length >= 7 ? p.stops[1] : p.stops[0];
}

function ticks(p, width) {
  const { run } = p;
  const stops = stopsShown(p, width);
  const gap = run.rounds.length > 40 ? 0 : 6.5;
  const pitch = (width - 2 - gap * Math.max(0, run.rounds.length - 1)) / Math.max(1, stops.length);
  const roundOf = (i) => run.rounds.findIndex((round) => i <= round.steps[1]);
  const svg = s("svg", { class: "tk", viewBox: `0 -4 ${width} 44`, "aria-hidden": "true" });
  const at = new Map();
  const strips = new Map();
  stops.forEach((i, n) => {
    const r = Math.max(0, roundOf(i));
    const x = 1 + n * pitch + r * gap;
    at.set(i, x + pitch / 2);
    const strip = strips.get(r) || { from: x, to: x };
    strip.to = x + pitch;
    strips.set(r, strip);
  });
  const bands = [...strips].map(([r, { from, to }]) => {
    const band = s("rect", { class: "band", x: from, y: 0, width: to - from, height: 24, rx: 4 });
    const label = s("text", { class: "s115 roundname", x: from + 2, y: 37 });
    fitLabel(p, label, run.rounds[r], to - from);
    return { r, band, label };
  });
  const marks = stops.map((i) => tick(run, i, at.get(i), pitch));
  const head = s("g", { class: "playhead" }, s("path", { d: "M0 0V24", class: "line" }), s("path", { d: "M-5-1h10l-5 6z" }), s("circle", { cx: 0, cy: 24, r: 4.5 }));
  svg.append(...bands.flatMap(({ band, label }) => [band, label]), ...marks.map((mark) => mark.node), head);
  return { svg, stops, at, bands, marks, head };
}

function fitLabel(p, label, round, width) {
  if (!round) return;
  const sub = round.sub ? ` ${round.sub}` : "";
  if (p.measure(round.label + sub, 11.5) < width) label.append(round.label, s("tspan", { class: "f3" }, sub));
  else if (p.measure(round.label, 11.5) < width) label.append(round.label);
  else if (width > 14) label.append(round.label.replace(/\D+/g, ""));
}

function tick(run, i, x, pitch) {
  const name = run.kinds[run.steps[i].kind].icon;
  if (pitch < 7) return { i, node: s("path", { class: `tick ${name}`, d: `M${x} 8v8`, stroke: "currentColor", "stroke-width": Math.max(1, pitch * 0.5) }) };
  const scale = name === "accept" || name === "defer" ? 0.66 : 0.83;
  return { i, node: s("g", { class: `tick ${name}`, transform: `translate(${x - 6 * scale} ${12 - 6 * scale}) scale(${scale})` }, (ICONS[name] || ICONS.ask)()) };
}

// The phone has one pill per round instead.
function pills(p, width) {
  const { rounds } = p.run;
  const total = p.run.steps.length || 1;
  const shown = rounds.length > 24 ? [{ label: "", steps: [0, total - 1] }] : rounds;
  const gap = 2;
  const room = width - 20 - gap * (shown.length - 1);
  let x = 10;
  const bands = shown.map((round, r) => {
    const w = (room * (round.steps[1] - round.steps[0] + 1)) / total;
    const pill = { r, from: x, w, steps: round.steps };
    pill.band = s("rect", { class: "pill", x, y: 8, width: w, height: 8, rx: 4 });
    pill.fill = s("rect", { class: "pillfill", x, y: 8, width: 0, height: 8, rx: 4 });
    pill.label = s("text", { class: "s12 roundname", x: x + w / 2, y: 32, "text-anchor": "middle" }, round.label.replace(/\D+/g, ""));
    x += w + gap;
    return pill;
  });
  const head = s("circle", { class: "thumb", cx: 0, cy: 12, r: 8 });
  const svg = s("svg", { class: "tk", viewBox: `0 0 ${width} 36`, "aria-hidden": "true" }, ...bands.flatMap((b) => [b.band, b.fill, b.label]), head);
  return { svg, bands, head, pills: true };
}

function paintTime(p, i) {
  const { strip } = p;
  const box = p.$(".time");
  if (!strip) return;
  box.setAttribute("aria-valuenow", p.position());
  box.setAttribute("aria-valuemax", p.last());
  box.setAttribute("aria-valuetext", plain(`${say(p.labels.at, { n: p.position() })}: ${p.run.steps[i].what}`));
  if (strip.pills) return paintPills(strip, i);
  const stop = [...strip.at.keys()].find((s_) => s_ >= i) ?? strip.stops[strip.stops.length - 1];
  strip.head.setAttribute("transform", `translate(${strip.at.get(stop)} 0)`);
  const from = p.timeAt ?? -1;
  const span = p.timeAt === null ? strip.marks : strip.marks.filter((m) => m.i > Math.min(from, i) - 1 && m.i <= Math.max(from, i));
  for (const mark of span) mark.node.classList.toggle("past", mark.i <= i);
  const round = p.run.rounds.findIndex((r) => i <= r.steps[1]);
  for (const { r, band, label } of strip.bands) {
    band.classList.toggle("on", r === round);
    label.classList.toggle("on", r === round);
  }
  p.timeAt = i;
}

function paintPills({ bands, head }, i) {
  for (const pill of bands) {
    const [a, b] = pill.steps;
    const part = Math.max(0, Math.min(1, (i - a + 1) / (b - a + 1)));
    const on = i >= a && i <= b;
    pill.fill.setAttribute("width", pill.w * part);
    pill.fill.classList.toggle("on", on);
    pill.label.classList.toggle("on", on);
    if (on) head.setAttribute("cx", pill.from + pill.w * part);
  }
}

// The step under a pointer on the strip.
function stepUnder(p, event) {
  const rect = p.strip.svg.getBoundingClientRect();
  const x = ((event.clientX - rect.left) / rect.width) * Number(p.strip.svg.getAttribute("viewBox").split(" ")[2]);
  if (p.strip.pills) {
    const pill = p.strip.bands.findLast((b) => b.from <= x) || p.strip.bands[0];
    const [a, b] = pill.steps;
    return Math.round(a + Math.min(1, Math.max(0, (x - pill.from) / pill.w)) * (b - a));
  }
  let best = p.strip.stops[0];
  for (const [i, at] of p.strip.at) if (Math.abs(at - x) < Math.abs(p.strip.at.get(best) - x)) best = i;
  return best;
}

function buildTransport(p) {
  const { labels } = p;
  const button = (name, key, act, cls = "ib") => h("button", { type: "button", class: cls, "aria-label": labels[name], title: `${labels[name]} (${key})`, "data-do": name, onclick: act }, control(name));
  const level = (n) => h("button", { type: "button", role: "radio", class: "lvb", "data-level": n, title: "↑ ↓", onclick: () => p.setLevel(n) }, labels[`level_${n}`]);
  const pick = (kind) => h("button", { type: "button", class: "pick", "data-kind": kind, title: labels.pause_here, onclick: () => p.togglePause(kind) }, icon(kind), labels[`kind_${kind}`]);
  const present = new Set(p.run.steps.map((step) => p.run.kinds[step.kind].icon));
  p.$(".tr").replaceChildren(
    button("first", "Home", () => p.go(0), "ib hide"),
    button("back", "←", () => p.move(-1)),
    button("play", "Space", () => p.play(), "ib pri"),
    h("button", { type: "button", class: "pos", title: `${labels.go_to} (G)`, onclick: () => openPalette(p) }),
    button("next", "→", () => p.move(1)),
    button("last", "End", () => p.go(p.last()), "ib hide"),
    button("jump", "Shift+→", () => p.jump(1), "ib bd hide"),
    h("span", { class: "lv", role: "radiogroup", "aria-label": labels.levels }, [0, 1, 2].map(level)),
    h("span", { class: "lg", role: "group", "aria-label": labels.pause_here }, TICK_KINDS.filter((kind) => present.has(kind)).map(pick),
      h("button", { type: "button", class: "help", "aria-label": labels.keys, title: `${labels.keys} (?)`, onclick: () => openKeys(p) }, h("kbd", null, "?"))));
}

function paintTransport(p) {
  const { labels } = p;
  const [before, after] = say(labels.position, { n: "\u0000", total: p.last() }).split("\u0000");
  p.$(".tr .pos").replaceChildren(before, h("b", null, String(p.position())), after);
  for (const b of p.all("[data-level]")) {
    const on = Number(b.dataset.level) === p.level;
    b.classList.toggle("on", on);
    b.setAttribute("aria-checked", String(on));
  }
  for (const b of p.all("[data-kind]")) b.setAttribute("aria-pressed", String(p.pauseAt.has(b.dataset.kind)));
  const play = p.$("[data-do=play]");
  const name = p.playing ? "pause" : "play";
  play.replaceChildren(control(name));
  play.setAttribute("aria-label", labels[name]);
  p.$("[data-do=back]").disabled = p.position() === 0;
  p.$("[data-do=next]").disabled = p.position() === p.last();
}
