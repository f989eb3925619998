// The plan store as a page. It draws what the payload says; text from outside only ever enters the
// page as a text node.

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

// burn's words stay English in a Chinese sentence; a screen reader must know where they are.
function words(text, lang) {
  if (lang !== "zh") return [text];
  return text.split(/([A-Za-z][\w.:()[\],# ]*[\w)\]])/).filter(Boolean)
    .map((part) => (/^[A-Za-z]/.test(part) ? el("span", { lang: "en" }, part) : part));
}

const rich = (text, lang) => text.split(/(\*\*[^*]+\*\*)/).map((part) =>
  part.startsWith("**") ? el("b", null, words(part.slice(2, -2), lang)) : words(part, lang)).flat();

const HUES = "EMRBN";
const hue = (letter) => (letter && HUES.includes(letter) ? letter : "X");

// A key: one group of cells per tensor.
const cells = (groups) => el("span", { class: "key", lang: "en" }, groups.map((group) => group === ">"
  ? el("span", { class: "ar" }, "→")
  : el("span", { class: "g" }, group.map((token, n) => el("span", { class: n ? "tok" : "tok first" }, token)))));

function tree(node) {
  if (node.items) return el("li", null, el("span", { class: "t2" }, node.head), el("ul", null, node.items.map(tree)));
  const tile = node.letter ? el("span", { class: `tile ${hue(node.letter)}`, "aria-hidden": "true" }, node.letter) : null;
  return el("li", null, tile, el("span", { lang: "en" }, node.head), el("code", null, `[${node.ops.join(", ")}]`));
}

// A step of the run as a link to it: "step 25".
function at(p, step) {
  const link = p.links[step];
  return link ? el("a", { href: link.href, target: "_self" }, p.labels.at.replace("{n}", link.at)) : "";
}

function plan(p, item) {
  const { labels: l, lang } = p;
  const row = (name, ...value) => el("div", { class: "row" }, el("dt", null, name), el("dd", null, ...value));
  const drops = item.drops.map((drop) => el("li", null, words(drop.text, lang), " ", el("span", { class: "t3" }, drop.times), " ", at(p, drop.step)));
  return el("article", { class: "plan", id: `plan-${item.plan}`, "data-plan": item.plan, "aria-label": item.id },
    el("h3", null, el("b", null, item.id), el("span", { class: "t2" }, words(item.use, lang))),
    el("div", { class: "two" },
      el("div", null, el("h4", null, l.key), el("ol", { class: "ops" }, item.ops.map((op) => el("li", null, el("span", { class: "at" }, String(op.at)), cells(op.groups)))),
        item.more ? el("p", { class: "t3" }, item.more) : null),
      el("dl", null,
        row(l.triggers, item.triggers.map((text) => el("span", { class: "chip", lang: "en" }, text))),
        row(l.strategy, el("ul", { class: "tree" }, tree(item.strategy))),
        row(l.stored, item.stored_text, " ", at(p, item.stored)),
        item.hits.length ? row(l.hits, el("span", { class: "hits" }, item.hits.map((step) => at(p, step)), item.more_hits)) : null,
        item.drops.length ? row(l.dropped, el("ul", { class: "drops" }, drops)) : null)));
}

const group = (p, item) => el("section", { class: "group" },
  el("h2", null, cells(item.groups), el("span", { class: "t3" }, words(item.text, p.lang))), item.plans.map((one) => plan(p, one)));

function draw(root, { store: p, theme }) {
  root.dataset.theme = theme;
  root.lang = p.lang === "zh" ? "zh-CN" : "en";
  const index = el("nav", { class: "index", "aria-label": p.labels.index }, el("h2", null, p.labels.index),
    el("ul", null, p.groups.map((item) => el("li", null, el("code", { lang: "en" }, item.key), " ",
      item.plans.map((one, n) => [n ? " " : "", el("a", { href: `#plan-${one.plan}`, "data-to": one.plan }, one.id)])))),
    el("p", { class: "t2" }, rich(p.lookup, p.lang)));
  const list = el("div", { class: "list" }, p.empty ? el("p", { class: "t2" }, p.empty) : p.groups.map((item) => group(p, item)));
  root.querySelector(".body").replaceChildren(el("p", { class: "sum", role: "status" }, words(p.text, p.lang)), index, list);
  // Inside a shadow tree an address fragment finds nothing.
  for (const link of root.querySelectorAll("[data-to]")) {
    link.onclick = (event) => {
      event.preventDefault();
      const target = root.querySelector(`#plan-${link.dataset.to}`);
      target.setAttribute("tabindex", "-1");
      target.focus();
      target.scrollIntoView({ block: "start" });
    };
  }
}

export default function ({ parentElement, data }) {
  draw(parentElement.querySelector(".plans"), data);
}
