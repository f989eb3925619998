// What opens over the player: the key sheet, and one palette for "go to" and "find".

function openPop(p, title, ...content) {
  const pop = p.$(".pop");
  p.returnTo = p.focused() || p.root;
  pop.setAttribute("aria-label", title);
  pop.hidden = false;
  p.fill("poptitle", title);
  p.fill("popbody", content);
  (p.$(".pop input") || p.$(".pop .x")).focus();
}

function closePop(p) {
  if (p.$(".pop").hidden) return false;
  p.$(".pop").hidden = true;
  p.returnTo.focus({ preventScroll: true });
  return true;
}

// The key sheet, with the switch for keys without Ctrl or Shift.
const KEYS_OFF = "fusionlab_keys_off";
function openKeys(p) {
  const row = ([keys, text]) => h("div", h("dt", keys.split(" ").map((key) => h("kbd", key))), h("dd", text));
  openPop(p, p.labels.keys, h("dl.keys", p.labels.key_sheet.map(row)),
    h("button.switch", { type: "button", "data-do": "single", "aria-pressed": String(!localStorage[KEYS_OFF]) }, p.labels.single_keys));
}

// What a step can be found by, and what the reader may stop at.
function textOf(p, i) {
  const { kind, head, what, block, column } = p.steps[i];
  const { label: op, sub, plan } = p.columns[column] || {};
  return plain([p.run.kinds[kind].badge, head, what, block && p.say("block", block), op, sub, plan].join(" ")).toLowerCase();
}

// Steps of this level, ops, plans and the pages of the menu.
function findable(p) {
  const { run, labels, columns } = p;
  const steps = p.stops[p.level].map((i, n) => {
    const { kind, what } = p.steps[i];
    const { tone, badge: name, icon: sign } = run.kinds[kind];
    return { n, what: plain(what), mark: badge(tone, name, sign), text: textOf(p, i) };
  });
  const other = (mark, what, n, link) => ({ n, link, what, mark: badge("explore", mark), text: `${mark} ${what}`.toLowerCase() });
  const stored = run.steps.flatMap(({ kind, what }, i) => (kind === "store" ? [other(labels.store, plain(what), p.stopAt(i))] : []));
  const pages = [...document.querySelectorAll("header a[href]")].filter((link) => link.innerText).map((link) => other(labels.page, link.innerText, undefined, link));
  return [...steps, ...columns.map(({ label: op, sub = "", title, born }) => other(labels.op, title || `${op} ${sub}`, p.stopAt(born))), ...stored, ...pages];
}

// A number goes to that step, words filter; Shift+Enter stops at every step with these words.
function openPalette(p) {
  const { find, steps, go_to } = p.labels;
  const all = findable(p);
  const list = h("div.hits", { role: "listbox", "aria-label": steps });
  const input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", placeholder: find, "aria-label": find, autocomplete: "off" });
  let found = [];
  let chosen = 0;
  const choose = (n) => {
    chosen = Math.max(0, Math.min(found.length - 1, n));
    [...list.children].forEach((child, k) => child.setAttribute("aria-selected", k === chosen));
    show(list, list.children[chosen]);
    settle();
  };
  const take = (n) => found[n] && (closePop(p), found[n].link ? found[n].link.click() : p.go(found[n].n, true));
  const wanted = () => input.value.trim().toLowerCase();
  const filter = () => {
    const text = wanted();
    const fits = /^\d+$/.test(text) ? ({ n }) => String(n).startsWith(text) : (item) => item.text.includes(text);
    found = all.filter(fits).slice(0, 400);
    put(list, found.map((item) => stamp(p, "step", { n: item.n ?? "", what: h("span", item.what), badge: item.mark })));
    choose(text ? 0 : p.position());
  };
  const keydown = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by) choose(chosen + by);
    else if (event.key === "Enter" && event.shiftKey) closePop(p), p.watchFor(wanted());
    else if (event.key === "Enter") take(chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  dress(input, { input: filter, keydown });
  dress(list, { click: ({ target }) => take([...list.children].indexOf(target.closest(".hitrow"))) });
  openPop(p, go_to, input, list, h("p.note", p.labels.watch_help));
  filter();
}
