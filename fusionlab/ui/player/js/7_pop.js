// What opens over the player: the key sheet, and one palette for "go to" and "find".

function openPop(p, label, ...content) {
  const pop = p.$(".pop");
  p.returnTo = p.root.getRootNode().activeElement || p.root;
  pop.setAttribute("aria-label", label);
  pop.replaceChildren(h("h3", { class: "ph" }, h("b", null, label), h("button", { type: "button", class: "x", "aria-label": p.labels.close, title: "Esc", onclick: () => closePop(p) }, "✕")), ...content);
  pop.hidden = false;
  (pop.querySelector("input") || pop.querySelector("button")).focus();
}

function closePop(p) {
  const pop = p.$(".pop");
  if (pop.hidden) return false;
  pop.hidden = true;
  (p.returnTo || p.root).focus({ preventScroll: true });
  return true;
}

function openKeys(p) {
  const rows = p.labels.key_sheet.map(([keys, text]) => h("div", null, h("dt", null, keys.split(" ").map((key) => h("kbd", null, key))), h("dd", null, text)));
  openPop(p, p.labels.keys, h("dl", { class: "keys" }, rows));
}

// A number goes to that step; words filter the steps of this level.
function openPalette(p) {
  const stops = p.stops[p.level];
  const line = (i, n) => ({ n, i, text: `${p.run.kinds[p.run.steps[i].kind].badge} ${plain(p.run.steps[i].head)} ${plain(p.run.steps[i].what)}`.toLowerCase() });
  const all = stops.map(line);
  const list = h("div", { class: "hits", role: "listbox", "aria-label": p.labels.steps });
  const input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", placeholder: p.labels.find, "aria-label": p.labels.find, autocomplete: "off" });
  let found = [];
  let chosen = 0;
  const choose = (n) => {
    chosen = Math.max(0, Math.min(found.length - 1, n));
    [...list.children].forEach((child, k) => child.setAttribute("aria-selected", String(k === chosen)));
    if (list.children[chosen]) show(list, list.children[chosen]);
  };
  const take = (n) => {
    if (!found[n]) return;
    closePop(p);
    p.go(found[n].n, { jump: true });
  };
  const filter = () => {
    const text = input.value.trim().toLowerCase();
    found = /^\d+$/.test(text) ? all.filter(({ n }) => String(n).startsWith(text)).sort((a, b) => a.n - b.n) : all.filter((item) => item.text.includes(text));
    found = found.slice(0, 200);
    list.replaceChildren(...found.map(({ n, i }, k) => {
      const step = p.run.steps[i];
      const kind = p.run.kinds[step.kind];
      return h("div", { role: "option", class: "hitrow", onclick: () => take(k) }, h("span", { class: "num" }, String(n)), badge(kind.tone, kind.badge, kind.icon), h("span", { class: "what" }, plain(step.what)));
    }));
    choose(text ? 0 : Math.max(0, p.position()));
  };
  input.addEventListener("input", filter);
  input.addEventListener("keydown", (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (move) choose(chosen + move);
    else if (event.key === "Enter") take(chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  openPop(p, p.labels.go_to, input, list);
  filter();
}
