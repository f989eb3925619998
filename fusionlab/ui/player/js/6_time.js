// The scrub bar: one strip per round and one tick per decision, or on the phone one pill per round.

function buildTime(p) {
  const width = p.$(".time").clientWidth;
  if (!width) return;
  p.strip = p.phone ? pills(p, width) : ticks(p, width / p.scale);
  put(p.$(".time"), p.strip.svg);
  p.timeAt = null;
}

const roundAt = (run, i) => Math.max(0, run.rounds.findIndex((round) => i <= round.steps[1]));

function ticks(p, width) {
  const { run } = p;
  const gap = run.rounds.length > 40 ? 0 : 6.5;
  const room = width - 2 - gap * Math.max(0, run.rounds.length - 1);
  // Ticks closer than 7 px collapse to ops.
  const stops = room / p.stops[1].length >= 7 ? p.stops[1] : p.stops[0];
  const pitch = room / Math.max(1, stops.length);
  const at = stops.map((i, n) => 1 + (n + 0.5) * pitch + roundAt(run, i) * gap);
  const bands = run.rounds.map((round, r) => {
    const own = at.filter((_, n) => roundAt(run, stops[n]) === r);
    const x = (own[0] ?? 0) - pitch / 2;
    const w = own.length * pitch;
    return { r, band: rect("band", x, 0, w, 24, 4), name: roundName(p, round, x + 2, w) };
  });
  const marks = stops.map((i, n) => tick(p.iconAt(i), at[n], pitch));
  const head = s("g.playhead", line("line", "M0 0V24"), line("tip", "M-5-1h10l-5 6z"), dot("knob", 0, 24, 4.5));
  const svg = s("svg.tk", { viewBox: `0 -4 ${width} 44`, "aria-hidden": "true" }, bands.map(({ band, name }) => [band, name]), marks, head);
  return { svg, stops, at, bands, marks, head, width };
}

function roundName(p, { label: name, sub }, x, width) {
  const fits = (text) => p.measure(text, 11.5) < width;
  const long = sub && fits(`${name} ${sub}`);
  const text = fits(name) ? name : width > 14 ? name.replace(/\D+/g, "") : "";
  return s("text.s115.roundname", { x, y: 37 }, text, long && s("tspan.f3", ` ${sub}`));
}

function tick(name, x, pitch) {
  const size = pitch < 7 ? 4 : name === "accept" || name === "defer" ? 8 : 10;
  const mark = pitch < 7 ? rect("bead", x - pitch / 4, 8, Math.max(1, pitch / 2), 8) : use(name, x - size / 2, 12 - size / 2, size);
  return s(`g.tick.${name}`, mark);
}

function pills(p, width) {
  const total = p.steps.length;
  const many = p.run.rounds.length > 24 || !p.run.rounds.length;
  const shown = many ? [{ label: "", steps: [0, total - 1] }] : p.run.rounds;
  const room = width - 20 - 2 * (shown.length - 1);
  let x = 10;
  const bands = shown.map(({ label: name, steps }, r) => {
    const w = (room * (steps[1] - steps[0] + 1)) / total;
    const pill = { r, x, w, steps, band: rect("pill", x, 8, w, 8, 4), fill: rect("pillfill", x, 8, 0, 8, 4) };
    pill.name = label(x + w / 2, 32, "s12.roundname", name.replace(/\D+/g, ""), true);
    x += w + 2;
    return pill;
  });
  const head = dot("thumb", 0, 12, 8);
  const svg = s("svg.tk", { viewBox: `0 0 ${width} 36`, "aria-hidden": "true" }, bands.map(({ band, fill, name }) => [band, fill, name]), head);
  return { svg, bands, head, width, pills: true };
}

function paintTime(p, i) {
  const { strip, run } = p;
  if (!strip) return;
  const text = plain(`${say(p.labels.at, { n: p.position() })}: ${run.steps[i].what}`);
  dress(p.$(".time"), { "aria-valuenow": p.position(), "aria-valuemax": p.last(), "aria-valuetext": text });
  const now = strip.pills ? strip.bands.findIndex(({ steps }) => i <= steps[1]) : roundAt(run, i);
  for (const { r, band, name } of strip.bands) for (const part of [band, name]) part.classList.toggle("on", r === now);
  if (strip.pills) return paintPills(strip, i, now);
  const n = strip.stops.findIndex((stop) => stop >= i);
  strip.head.setAttribute("transform", `translate(${strip.at[n < 0 ? strip.at.length - 1 : n]} 0)`);
  const [a, b] = p.timeAt === null ? [-1, Infinity] : [Math.min(p.timeAt, i), Math.max(p.timeAt, i)];
  strip.stops.forEach((stop, k) => stop >= a && stop <= b && strip.marks[k].classList.toggle("past", stop <= i));
  p.timeAt = i;
}

function paintPills({ bands, head }, i, now) {
  for (const { r, x, w, steps: [a, b], fill } of bands) {
    const part = Math.max(0, Math.min(1, (i - a + 1) / (b - a + 1)));
    fill.setAttribute("width", w * part);
    fill.classList.toggle("on", r === now);
    if (r === now) head.setAttribute("cx", x + w * part);
  }
}

// The step under a pointer on the strip.
function stepUnder({ strip }, event) {
  const box = strip.svg.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * strip.width;
  if (strip.pills) {
    const { steps: [a, b], x: from, w } = strip.bands.findLast((pill) => pill.x <= x) || strip.bands[0];
    return Math.round(a + Math.min(1, Math.max(0, (x - from) / w)) * (b - a));
  }
  const far = strip.at.map((at) => Math.abs(at - x));
  return strip.stops[far.indexOf(Math.min(...far))];
}

function paintTransport(p) {
  const { labels } = p;
  const [before, after] = say(labels.position, { n: "|", total: p.last() }).split("|");
  put(p.slot("position"), before, h("b", String(p.position())), after);
  for (const button of p.all("[data-level]")) button.setAttribute("aria-checked", Number(button.dataset.level) === p.level);
  for (const button of p.all("[data-kind]")) button.setAttribute("aria-pressed", p.pauseAt.has(button.dataset.kind));
  const name = p.playing ? "pause" : "play";
  p.$("[data-do=play] use").setAttribute("href", `#i-${name}`);
  p.$("[data-do=play]").setAttribute("aria-label", labels[name]);
  p.$("[data-do=back]").disabled = p.position() === 0;
  p.$("[data-do=next]").disabled = p.position() === p.last();
}
