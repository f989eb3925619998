// Small helpers. Text from outside only ever enters the page as a text node.

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node[name] = value;
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

// burn's words stay English in a Chinese sentence; a screen reader must know where they are.
function words(text, lang) {
  if (lang !== "zh") return [text];
  return String(text).split(/([A-Za-z][\w.:()[\],# ]*[\w)\]])/).filter(Boolean)
    .map((part) => (/^[A-Za-z]/.test(part) ? el("span", { lang: "en" }, part) : part));
}

// A sentence with its marks: **bold** and `code`.
function rich(text, lang) {
  return String(text).split(/(\*\*[^*]+\*\*|`[^`]+`)/).filter(Boolean).map((part) => {
    if (part.startsWith("**")) return el("b", null, words(part.slice(2, -2), lang));
    if (part.startsWith("`")) return el("code", { lang: "en" }, part.slice(1, -1));
    return words(part, lang);
  }).flat();
}

const SVG = "http://www.w3.org/2000/svg";
function glyph(path, size = 12) {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  for (const [name, value] of Object.entries({ viewBox: "0 0 12 12", width: size, height: size, "aria-hidden": "true" })) svg.setAttribute(name, value);
  for (const [name, value] of Object.entries({ d: path, fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" })) line.setAttribute(name, value);
  svg.append(line);
  return svg;
}
const TICK = "M2 6.3 4.8 9 10 3";
const CROSS = "M2.5 2.5l7 7m0-7l-7 7";
const DOTS = "M2 6h.01M6 6h.01M10 6h.01";

// A tensor as the player writes it: its status as a mark, then its name.
const STATUS = { w: "rw", o: "ro", n: "ni" };
const tensors = (list) => list.flatMap((text, n) => [n ? " " : "", el("span", { class: STATUS[text[0]] }, text.slice(1))]);

function panel(...children) {
  return el("div", { class: "card" }, ...children);
}

// One of several options, as a radio button with a large surface.
function option({ group, n, text, chosen, lang, choose, hint = false }) {
  return el("label", { class: chosen ? "option chosen" : "option", "data-option": n },
    el("input", { type: "radio", name: group, value: String(n), checked: chosen, onchange: () => choose(n) }),
    el("span", { class: "value" }, rich(text, lang)), hint ? el("kbd", { "aria-hidden": "true" }, String(n + 1)) : null);
}

// Mark an option as chosen without drawing anything anew, so that the focus stays.
function mark(box, n) {
  for (const label of box.querySelectorAll("[data-option]")) {
    const chosen = Number(label.dataset.option) === n;
    label.classList.toggle("chosen", chosen);
    label.querySelector("input").checked = chosen;
    if (chosen) label.querySelector("input").focus();
  }
}

// Options of at most so many letters stand in pairs.
const SHORT = 40;
const columns = (options) => (options.every((text) => text.length <= SHORT) ? "options short" : "options");

// What a learner masters is kept by the browser: read once, written whenever the page says so.
const KEPT = "fusionlab-learning";
function keep(text, tell) {
  let kept = "";
  try {
    if (text === null) kept = localStorage.getItem(KEPT) || "";
    else localStorage.setItem(KEPT, text);
  } catch {
    // A browser that keeps nothing still asks questions.
  }
  if (text === null) setTimeout(() => tell(kept || "none"));
}
