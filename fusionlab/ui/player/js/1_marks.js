// Small builders: elements, sentences, tensor lists, icons. Text from outside only ever enters the
// page as a text node.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attrs, kids) {
  for (const [name, value] of Object.entries(attrs || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...kids.flat().filter((kid) => kid !== null && kid !== undefined && kid !== false));
  return node;
}

const h = (tag, attrs, ...kids) => fill(document.createElement(tag), attrs, kids);
const s = (tag, attrs, ...kids) => fill(document.createElementNS(SVG, tag), attrs, kids);

// burn's words stay English in a Chinese sentence; a screen reader must know where they are.
function words(text, lang) {
  if (lang !== "zh") return [text];
  return text
    .split(/([A-Za-z][A-Za-z0-9_.:()[\]]*(?: [A-Za-z0-9_.:()[\]]+)*)/)
    .filter((part) => part)
    .map((part) => (/^[A-Za-z]/.test(part) ? h("span", { lang: "en" }, part) : part));
}

// A sentence of the payload: **bold** and `code`.
function rich(text, lang) {
  return (text || "").split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**")) return h("b", null, words(part.slice(2, -2), lang));
    if (part.startsWith("`")) return h("code", { lang: "en" }, part.slice(1, -1));
    return words(part, lang);
  });
}

const plain = (text) => (text || "").replace(/\*\*|`/g, "");

// A label with {placeholders}.
const say = (label, values) =>
  (label || "").replace(/\{(\w+)\}/g, (_, name) => (values[name] ?? ""));

const STATUS = { w: "rw", o: "ro", n: "ni" };

// "wt1 ot2>nt4" as dots and names. Only global names are linked across panes.
function tensors(text, linked) {
  const one = (token) =>
    h("span", { class: STATUS[token[0]], "data-t": linked ? token.slice(1) : null }, token.slice(1));
  const side = (part) => part.split(" ").filter((t) => t).flatMap((t, i) => (i ? [" ", one(t)] : [one(t)]));
  const [ins, outs] = (text || "").split(">");
  const arrow = outs ? [h("span", { class: "ar" }, "→")] : [];
  return [...side(ins || ""), ...arrow, ...side(outs || "")];
}

const STROKE = { fill: "none", stroke: "currentColor", "stroke-linecap": "round", "stroke-linejoin": "round" };
const path = (d, width) => () => s("path", { ...STROKE, d, "stroke-width": width });
const solid = (d) => () => s("path", { d, fill: "currentColor" });

// 12 × 12
const ICONS = {
  new: () => s("rect", { x: 1.5, y: 1.5, width: 9, height: 9, rx: 2, fill: "none", stroke: "currentColor", "stroke-width": 1.6 }),
  accept: () => s("circle", { cx: 6, cy: 6, r: 3, fill: "currentColor" }),
  merge: path("M1.5 2C5 2 5 6 8 6h2.5M1.5 10C5 10 5 6 8 6", 1.8),
  defer: () => s("g", { fill: "currentColor" }, ...[2, 6, 10].map((cx) => s("circle", { cx, cy: 6, r: 1.3 }))),
  hit: path("M2 6.3 4.8 9 10 3", 2),
  store: path("M2 2h8v8H2zM2 5h8M2 7.6h8", 1.4),
  execute: solid("M2.5 1.2 10.5 6l-8 4.8z"),
  miss: path("M2.5 2.5l7 7m0-7l-7 7", 2),
  ask: path("M6 1.2 10.8 6 6 10.8 1.2 6z", 1.5),
};

const icon = (name) => s("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, (ICONS[name] || ICONS.ask)());

// 16 × 16, for the transport
const CONTROLS = {
  first: path("M4 3v10M12.5 3.5 7 8l5.5 4.5", 1.7),
  back: path("M10.5 3 5.5 8l5 5", 1.7),
  play: solid("M4.5 2.6v10.8L13 8z"),
  pause: path("M5.5 3.5v9M10.5 3.5v9", 2.2),
  next: path("M5.5 3l5 5-5 5", 1.7),
  last: path("M12 3v10M3.5 3.5 9 8l-5.5 4.5", 1.7),
  jump: path("M2 12.5c4 0 3-6 6.5-6H14M10.8 3.2 14 6.5l-3.2 3.3", 1.7),
  table: path("M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6 3.5v9", 1.2),
};

const control = (name) => s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, CONTROLS[name]());

const HUES = "EMRBN";
// A fuser without a hue of its own is grey and hatched with crossed lines.
const hue = (letter) => (letter && HUES.includes(letter) ? letter : "X");

function badge(tone, text, iconName) {
  return h("span", { class: `bdg ${tone}` }, iconName ? icon(iconName) : null, text);
}

function tile(letter, name) {
  const hatch = s("svg", { "aria-hidden": "true" }, s("rect", { width: "100%", height: "100%", fill: `url(#h-${hue(letter)})`, opacity: 0.75 }));
  return h("span", { class: `tile ${hue(letter)}`, title: name }, hatch, h("em", null, letter));
}
