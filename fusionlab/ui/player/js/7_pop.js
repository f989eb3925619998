// What opens over the player: the key sheet, and one palette for "go to" and "find".

function openPop(p, title, ...content) {
  p.returnTo = p.focused() || p.root;
  p.$(".pop").setAttribute("aria-label", title);
  p.$(".pop").hidden = false;
  put(p.slot("poptitle"), title);
  put(p.slot("popbody"), content);
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
  const { labels, run } = p;
  const all = p.stops[p.level].map((i, n) => {
    const { kind, head, what } = run.steps[i];
    const text = `${run.kinds[kind].badge} ${plain(head)} ${plain(what)}`;
    return { n, kind: run.kinds[kind], what: plain(what), text: text.toLowerCase() };
  });
  const list = h("div.hits", { role: "listbox", "aria-label": labels.steps });
  const input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", placeholder: labels.find, "aria-label": labels.find, autocomplete: "off" });
  let found = [];
  let chosen = 0;
  const choose = (n) => {
    chosen = Math.max(0, Math.min(found.length - 1, n));
    [...list.children].forEach((child, k) => child.setAttribute("aria-selected", k === chosen));
    if (list.children[chosen]) show(list, list.children[chosen]);
  };
  const take = (n) => found[n] && (closePop(p), p.go(found[n].n, true));
  const filter = () => {
    const text = input.value.trim().toLowerCase();
    const fits = /^\d+$/.test(text) ? ({ n }) => String(n).startsWith(text) : (item) => item.text.includes(text);
    found = all.filter(fits).slice(0, 400);
    put(list, found.map(({ n, kind, what }) => stamp(p, "step", { n, badge: badge(kind.tone, kind.badge, kind.icon), what })));
    choose(text ? 0 : p.position());
  };
  dress(input, { input: filter, keydown: (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by) choose(chosen + by);
    else if (event.key === "Enter") take(chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  } });
  list.addEventListener("click", (event) => take([...list.children].indexOf(event.target.closest(".hitrow"))));
  openPop(p, labels.go_to, input, list);
  filter();
}
