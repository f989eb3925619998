// Small builders: elements, sentences, tensor lists, icons. Text from outside only ever enters the
// page as a text node.

// What needs to know sizes waits until everything is written, so that a step is laid out once.
const after = [];
const settle = () => after.splice(0).forEach((act) => act());

const real = (kids) => kids.flat(9).filter((kid) => kid || kid === 0).map((kid) => (kid === 0 ? "0" : kid));
const put = (node, ...kids) => node.replaceChildren(...real(kids));

function dress(node, attrs) {
  for (const [name, value] of Object.entries(attrs)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  return node;
}

// h("span.note", {title: …}, child, …)
const maker = (create) => (spec, ...kids) => {
  const [tag, ...classes] = spec.split(".");
  const node = create(tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  if (kids[0]?.constructor === Object) dress(node, kids.shift());
  node.append(...real(kids));
  return node;
};
const h = maker((tag) => document.createElement(tag));
const s = maker((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));

const label = (x, y, cls, text, mid) => s(`text.${cls}`, { x, y, "text-anchor": mid && "middle" }, text);
const line = (cls, d, end) => s(`path.${cls}`, { d, "marker-end": end && `url(#${end})` });
const rect = (cls, x, y, width, height, rx) => s(`rect.${cls}`, { x, y, width, height, rx });
const dot = (cls, cx, cy, r = 3.2) => s(`circle.${cls}`, { cx, cy, r });
const use = (name, x, y, size) => s("use", { href: `#i-${name}`, x, y, width: size, height: size });
const icon = (name) => s("svg", { "aria-hidden": "true" }, use(name));

// A sentence of the payload: **bold** and `code`. burn's words stay English in a Chinese sentence,
// and a screen reader must know where they are.
let chinese = false;
const ENGLISH = /([A-Za-z][\w.:()[\]]*(?: [\w.:()[\]]+)*)/;
const words = (text) => (chinese ? text.split(ENGLISH).map((part, n) => (n % 2 ? h("span", { lang: "en" }, part) : part)) : text);

function rich(text = "") {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**")) return h("b", words(part.slice(2, -2)));
    return part.startsWith("`") ? h("code", { lang: "en" }, part.slice(1, -1)) : words(part);
  });
}

const plain = (text = "") => text.replace(/\*\*|`/g, "");
const STATUS = { w: ".rw", o: ".ro", n: ".ni" };

// "wt1 ot2>nt4" as dots and names. Only global names are linked across panes.
function tensors(text = "", linked) {
  const one = (token, n) => {
    const name = token.slice(1);
    return [n > 0 && " ", h(`span${STATUS[token[0]] || ""}`, linked ? { "data-t": name } : {}, name)];
  };
  const [ins, outs] = text.split(">").map((side) => side.split(" ").filter(Boolean).map(one));
  return [ins, outs && h("span.ar", "→"), outs];
}

// A fuser without a hue of its own is grey and hatched with crossed lines.
const hue = (letter) => ("EMRBN".includes(letter || "?") ? letter : "X");
const hatch = (x, size, inset) => s("rect", { x: inset, y: inset, width: size, height: size, rx: 3, fill: `url(#h-${x})`, opacity: 0.75 });
const badge = (tone, text, name) => h(`span.bdg.${tone}`, name && icon(name), text);

function tile(letter, title) {
  const x = hue(letter);
  return h(`span.tile.${x}`, { title }, letter && s("svg", hatch(x, "100%")), h("em", letter || "–"));
}

// A copy of a template with its slots filled; texts are sentences, an empty slot is removed.
function stamp(p, name, slots, cls, attrs = {}) {
  const node = p.$(`#t-${name}`).content.firstElementChild.cloneNode(true);
  for (const slot of node.querySelectorAll("[data-s]")) {
    const value = slots[slot.dataset.s];
    if (value === undefined || value === false) slot.remove();
    else put(slot, typeof value === "string" ? rich(value) : value);
  }
  if (cls) node.className += ` ${cls}`;
  return dress(node, attrs);
}
