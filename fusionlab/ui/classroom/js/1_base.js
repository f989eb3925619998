// Elements, words and small drawings. Text is only ever set as text, never as markup.

const LETTERS = [..."ABCDEFGH"];
const SVG = "http://www.w3.org/2000/svg";

function h(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  dress(node, attributes);
  put(node, children);
  return node;
}

function dress(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node[key] = value;
    else if (value === null || value === undefined || value === false) node.removeAttribute(key);
    else node.setAttribute(key, value === true ? "" : value);
  }
}

function put(node, children) {
  node.replaceChildren(...[children].flat(4).filter((child) => child !== null && child !== undefined && child !== false));
}

function drawn(viewBox, paths, attributes = {}) {
  const picture = document.createElementNS(SVG, "svg");
  dress(picture, { viewBox, "aria-hidden": "true", ...attributes });
  for (const path of paths) {
    const line = document.createElementNS(SVG, "path");
    dress(line, path);
    picture.append(line);
  }
  return picture;
}

const stroked = (d, width = 2) => ({ d, fill: "none", stroke: "currentColor", "stroke-width": width, "stroke-linecap": "round", "stroke-linejoin": "round" });
const tick = () => drawn("0 0 12 12", [stroked("M2 6.3 4.8 9 10 3")]);
const mark = () => drawn("0 0 22 22", [stroked("M2 5.5h5c4 0 3.5 5.5 7.5 5.5H20M2 16.5h5c4 0 3.5-5.5 7.5-5.5", 2.6)]);
const square = ({ size, path }, label) => drawn(`0 0 ${size} ${size}`, [{ d: path, fill: "currentColor" }], { class: "qr", "aria-hidden": null, role: "img", "aria-label": label, "shape-rendering": "crispEdges" });

// The catalog's placeholders: {n}, {n|vote|votes} with its number, {n?one|many} without.
const FORM = /\{(\w+)(?:([|?])([^{}|]*)\|([^{}|]*))?\}/g;

function fill(text, values) {
  return text.replace(FORM, (_, name, kind, one, many) => {
    const value = values[name] ?? "";
    if (!kind) return String(value);
    const form = value === 1 ? one : many;
    return kind === "?" ? form : `${value} ${form}`;
  });
}

class Words {
  constructor(labels, errors, lang) {
    Object.assign(this, { labels, errors, lang });
  }

  say(key, values = {}) {
    return fill(this.labels[key] ?? key, values);
  }

  // A text that comes in both languages.
  of(both) {
    return both ? both[this.lang] : "";
  }

  problem(code, values = {}) {
    return fill(this.errors[code] ?? this.errors.internal, values);
  }
}

// Inside sentences **bold** and `code` are marks, and nothing else is.
function marked(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**")) return h("b", {}, part.slice(2, -2));
    return part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part;
  });
}

// Long questions are set smaller: everything must fit on one screen. A Han letter counts twice.
function lengthOf(text) {
  const length = [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 2 : 1), 0);
  return length > 150 ? "longest" : length > 70 ? "long" : "";
}

// A code as it is read aloud: two groups of three.
const grouped = (pin) => `${pin.slice(0, 3)} ${pin.slice(3)}`;

function minutes(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}
