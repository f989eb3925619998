// Two runs side by side. It draws what the payload says, once, as one table; it knows no rule of
// burn. Text from outside only ever enters the page as a text node.

const SVG = "http://www.w3.org/2000/svg";

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

const el = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

const PATHS = {
  hit: "M2 6.3 4.8 9 10 3",
  miss: "M2.5 2.5l7 7m0-7l-7 7",
  ask: "M6 1.2 10.8 6 6 10.8 1.2 6z",
  execute: "M2.5 1.2 10.5 6l-8 4.8z",
};

function icon(name) {
  const shape = name === "defer"
    ? [2, 6, 10].map((cx) => svg("circle", { cx, cy: 6, r: 1.3, fill: "currentColor" }))
    : svg("path", { d: PATHS[name] || PATHS.ask, fill: name === "execute" ? "currentColor" : "none", stroke: name === "execute" ? null : "currentColor", "stroke-width": 1.9, "stroke-linecap": "round", "stroke-linejoin": "round" });
  return svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, shape);
}

// burn's words stay English in a Chinese sentence; a screen reader must know where they are.
function words(text, lang) {
  if (lang !== "zh") return [text];
  return text.split(/([A-Za-z][\w.:()[\],→ ]*[\w)\]])/).filter(Boolean)
    .map((part) => (/^[A-Za-z]/.test(part) ? el("span", { lang: "en" }, part) : part));
}

// A sentence with `code` in it.
const rich = (text, lang) => text.split(/(`[^`]+`)/).map((part) =>
  part.startsWith("`") ? el("code", { lang: "en" }, part.slice(1, -1)) : words(part, lang)).flat();

const mark = (item, lang) => item.tone
  ? el("span", { class: `bdg ${item.tone}` }, icon(item.icon), words(item.text, lang))
  : el("span", { class: item.icon === "absent" ? "t3" : "t2" }, words(item.text, lang));

const HUES = "EMRBN";
const hue = (letter) => (letter && HUES.includes(letter) ? letter : "X");

const tile = (letter) => el("span", { class: `tile ${hue(letter)}`, "aria-hidden": "true" },
  svg("svg", {}, svg("rect", { width: "100%", height: "100%", fill: `url(#h-${hue(letter)})`, opacity: 0.75 })), el("em", null, letter));

const row = (kind, label, a, b, extra) => el("tr", { class: kind, ...extra },
  el("th", { scope: "row" }, label), el("td", null, a), el("td", null, b));

function header(c) {
  const side = (head) => el("th", { scope: "col" }, el("div", { class: "sm" },
    el("div", null, el("b", null, head.title), " ", el("span", { class: "t3" }, head.sub)),
    el("div", { class: "nums" }, head.totals.map(([n, name]) => el("span", null, el("b", null, String(n)), ` ${name}`)))));
  return el("thead", null, el("tr", { class: "hdr" }, el("th", { scope: "col", class: "t3" }, c.corner), c.heads.map(side)));
}

const LONG = 76; // characters of a program line that are shown
const BEFORE = 40; // of them in front of the changed part

function sourceLine(line) {
  const [from, to] = line.mark;
  const start = line.text.length > LONG ? Math.max(0, from - BEFORE) : 0;
  const end = Math.min(line.text.length, Math.max(start + LONG, to));
  return el("div", { class: line.alone ? "src alone" : "src", title: `${line.title}: ${line.text}` }, el("i", null, String(line.line)),
    el("code", { lang: "en" }, start ? "…" : "", line.text.slice(start, from), el("mark", null, line.text.slice(from, to)), line.text.slice(to, end), end < line.text.length ? "…" : ""));
}

function program(c) {
  const shown = (lines) => (lines.length ? lines.map(sourceLine) : el("span", { class: "t3" }, c.program.none));
  return row("prog", c.program.label, shown(c.program.a), shown(c.program.b));
}

function requests(c) {
  return c.rows.flatMap((r) => {
    const side = (marks) => el("div", { class: "marks" }, marks.map((item) => mark(item, c.lang)));
    const kind = `cr${r.parting ? " div" : ""}${r.differs ? "" : " same"}`;
    const line = row(kind, el("code", { lang: "en" }, r.label), side(r.a), side(r.b), { "data-differs": r.differs });
    return r.parting && c.why ? [line, reason(c)] : [line];
  });
}

const reason = (c) => el("tr", { class: "why", "data-testid": "parting" }, el("td", { colspan: 3 },
  el("p", null, icon("miss"), el("b", null, c.why.title), " ", words(c.why.text, c.lang))));

function lanes(c) {
  const unit = (u) => el("div", { class: `unit ${u.letter ? hue(u.letter) : "loose"}` },
    el("span", { class: "tab" }, u.tab), el("div", { class: "ops" }, u.ops.map((op) => el("span", { class: "node", lang: "en" }, op))));
  const side = (lane) => el("div", { class: "lane" }, el("span", { class: "t2 where" }, lane.label), el("div", { class: "units" }, lane.units.map(unit)));
  return row("mini", c.lanes_label, side(c.lanes[0]), side(c.lanes[1]));
}

function foot(c) {
  const { letter, lead, text } = c.foot;
  return el("p", { class: "foot", "data-testid": "verdict" }, letter ? tile(letter) : null,
    el("span", null, el("b", null, words(lead, c.lang)), " ", words(text, c.lang)));
}

const note = (text) => el("tr", { class: "note" }, el("td", { colspan: 3 }, text));

function draw(root, { cmp: c, theme, only, bar }) {
  root.dataset.theme = theme;
  root.lang = c.lang === "zh" ? "zh-CN" : "en";
  root.toggleAttribute("data-only", Boolean(only));
  root.toggleAttribute("data-dim", Boolean(bar));
  const line = root.querySelector(".bar");
  line.hidden = !bar;
  line.className = `bar ${bar ? bar.tone : ""}`;
  line.replaceChildren(...(bar ? rich(bar.text, c.lang) : []));
  const settings = c.settings.map((s) => row("cr set", el("code", { lang: "en" }, s.label), s.a, s.b));
  const body = [
    c.program ? program(c) : null, settings, c.before ? note(c.before) : null,
    requests(c), c.more ? note(c.more) : null, lanes(c),
  ];
  const table = el("table", null, el("caption", { class: "sr" }, c.caption), header(c), el("tbody", null, body));
  root.querySelector(".body").replaceChildren(table, ...(c.foot ? [foot(c)] : []));
  root.dataset.rows = c.rows.length;
}

export default function ({ parentElement, data }) {
  draw(parentElement.querySelector(".cmp"), data);
}
