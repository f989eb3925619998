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

function openKeys(p) {
  const row = ([keys, text]) => h("div", h("dt", keys.split(" ").map((key) => h("kbd", key))), h("dd", text));
  openPop(p, p.labels.keys, h("dl.keys", p.labels.key_sheet.map(row)));
}

// A number goes to that step; words filter the steps of this level.
function openPalette(p) {
  const { find, steps, go_to } = p.labels;
  const all = p.stops[p.level].map((i, n) => {
    const { kind: name, head, what } = p.steps[i];
    const kind = p.run.kinds[name];
    return { n, what: plain(what), badge: [kind.tone, kind.badge, kind.icon], text: `${kind.badge} ${plain(head)} ${plain(what)}`.toLowerCase() };
  });
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
  const take = (n) => found[n] && (closePop(p), p.go(found[n].n, true));
  const filter = () => {
    const text = input.value.trim().toLowerCase();
    const fits = /^\d+$/.test(text) ? ({ n }) => String(n).startsWith(text) : (item) => item.text.includes(text);
    found = all.filter(fits).slice(0, 400);
    put(list, found.map((item) => stamp(p, "step", { ...item, badge: badge(...item.badge) })));
    choose(text ? 0 : p.position());
  };
  const keydown = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by) choose(chosen + by);
    else if (event.key === "Enter") take(chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  dress(input, { input: filter, keydown });
  dress(list, { click: ({ target }) => take([...list.children].indexOf(target.closest(".hitrow"))) });
  openPop(p, go_to, input, list);
  filter();
}
