// The scrub bar: one strip per round and one tick per decision; on the phone the strips alone.

function buildTime(p) {
  const { rounds } = p.run;
  const width = p.$(".time").clientWidth / p.scale;
  if (!width) return;
  const gap = rounds.length > 40 ? 0 : p.phone ? 2 : 6.5;
  const edge = p.phone ? 10 : 1;
  const room = width - 2 * edge - gap * Math.max(0, rounds.length - 1);
  // Ticks closer than 7 px collapse to ops.
  const stops = p.phone || room / p.stops[1].length >= 7 ? p.stops[1] : p.stops[0];
  const pitch = room / Math.max(1, stops.length);
  const roundAt = (i) => Math.max(0, rounds.findIndex(({ steps }) => i <= steps[1]));
  const at = stops.map((i, n) => edge + (n + 0.5) * pitch + roundAt(i) * gap);
  const bands = rounds.map((round, r) => {
    const own = at.filter((_, n) => roundAt(stops[n]) === r);
    const [x, w] = [(own[0] ?? 0) - pitch / 2, own.length * pitch];
    if (p.phone) return { x, w, band: rect("pill", x, 8, w, 8, 4), fill: rect("pillfill", x, 8, 0, 8, 4), name: label(x + w / 2, 32, "s12.roundname", w > 12 && String(r + 1), true) };
    return { x, w, band: rect("band", x, 0, w, 24, 4), name: roundName(p, round, x + 2, w) };
  });
  const marks = p.phone ? [] : stops.map((i, n) => tick(p.iconAt(i), at[n], pitch));
  const head = p.phone ? s("g", dot("thumb", 0, 12, 8)) : s("g.playhead", line("line", "M0 0V24"), line("tip", "M-5-1h10l-5 6z"), dot("knob", 0, 24, 4.5));
  const svg = s("svg.tk", { viewBox: `0 -4 ${width} 44`, "aria-hidden": "true" }, bands.map(({ band, fill, name }) => [band, fill, name]), marks, s("g.flags"), head);
  put(p.$(".time"), svg);
  p.strip = { svg, stops, at, bands, marks, head, width, roundAt };
}

function roundName(p, { label: name, sub }, x, width) {
  const fits = (text) => p.measure(text, 11.5) < width;
  const text = fits(name) ? name : width > 14 && name.replace(/\D+/g, "");
  return s("text.s115.roundname", { x, y: 37 }, text, sub && fits(`${name} ${sub}`) && s("tspan.f3", ` ${sub}`));
}

function tick(name, x, pitch) {
  const size = name === "accept" || name === "defer" ? 8 : 10;
  return s(`g.tick.${name}`, pitch < 7 ? rect("bead", x - pitch / 4, 8, Math.max(1, pitch / 2), 8) : use(name, x - size / 2, 12 - size / 2, size));
}

function paintTime(p, i) {
  if (!p.strip) return;
  const { stops, at, bands, marks, head, roundAt } = p.strip;
  const n = p.position();
  dress(p.$(".time"), { "aria-valuenow": n, "aria-valuemax": p.last(), "aria-valuetext": plain(`${p.say("at", n)}: ${p.steps[i].what}`) });
  const here = stops.findIndex((stop) => stop >= i);
  const x = here < 0 ? last(at) : at[here];
  head.setAttribute("transform", `translate(${x} 0)`);
  const flag = ([n, i]) => label(at[Math.max(0, stops.findIndex((stop) => stop >= i))], 6, "flag", n, true);
  put(p.$(".flags"), Object.entries(p.bookmarks).map(flag));
  marks.forEach((mark, k) => mark.classList.toggle("past", stops[k] <= i));
  bands.forEach((band, r) => {
    for (const part of [band.band, band.name, band.fill]) part?.classList.toggle("on", r === roundAt(i));
    band.fill?.setAttribute("width", Math.max(0, Math.min(band.w, x - band.x)));
  });
}

// The step under a pointer on the strip.
function stepUnder({ strip }, { clientX }) {
  const { left, width } = strip.svg.getBoundingClientRect();
  const far = strip.at.map((at) => Math.abs(at - ((clientX - left) / width) * strip.width));
  return strip.stops[far.indexOf(Math.min(...far))];
}

function paintTransport(p) {
  const n = p.position();
  const [before, after] = p.say("position", "|", p.last()).split("|");
  p.fill("position", before, h("b", n), after);
  for (const button of p.all("[data-level]")) button.setAttribute("aria-checked", Number(button.dataset.level) === p.level);
  for (const button of p.all("[data-kind]")) button.setAttribute("aria-pressed", p.pauseAt.has(button.dataset.kind));
  const watch = p.$("[data-do=unwatch]");
  watch.hidden = !p.watch;
  p.fill("watch", p.watch);
  p.$("[data-do=brief]").setAttribute("aria-pressed", Boolean(p.brief));
  const name = p.playing ? "pause" : "play";
  p.$("[data-do=play]").setAttribute("aria-label", p.labels[name]);
  p.$("[data-do=play] use").setAttribute("href", `#i-${name}`);
  p.$("[data-do=back]").disabled = n === 0;
  p.$("[data-do=next]").disabled = n === p.last();
}
