// The panes of text. Each is redrawn only when its index in the payload changes.

function head(title, text, right) {
  return [h("b", null, title), text ? h("span", null, text) : null, right ? h("span", { class: "r" }, right) : null];
}

function paintPanes(p, i) {
  const step = p.run.steps[i];
  const round = (p.run.columns[step.column] || {}).round;
  paintCaption(p, i, step);
  changed(p, "place", `${step.place}/${round}`, () => paintPlace(p, p.run.places[step.place] || {}, p.run.rounds[round]));
  changed(p, "queue", `${step.queue}/${step.column}`, () => paintQueue(p, p.run.queues[step.queue], step.column));
  changed(p, "pane", step.pane, () => paintDecision(p, p.run.panes[step.pane]));
  changed(p, "store", step.store, () => paintStore(p, p.run.stores[step.store]));
  paintLog(p, i, step);
  if (!p.$(".missview").hidden) openMiss(p, step.miss !== undefined, true);
}

function changed(p, name, value, paint) {
  if (p.seen[name] === value) return;
  p.seen[name] = value;
  paint();
}

function stepHead(p, step) {
  return [say(p.labels.at, { n: p.position() }), " · ", ...rich(step.head, p.run.lang)];
}

function paintCaption(p, i, step) {
  const kind = p.run.kinds[step.kind];
  const why = step.miss === undefined ? null
    : h("button", { type: "button", class: "why", title: "W", "aria-pressed": String(!p.$(".missview").hidden), onclick: () => openMiss(p, p.$(".missview").hidden) }, p.labels.why_miss);
  p.$(".cap .st").replaceChildren(badge(kind.tone, kind.badge, kind.icon), h("span", null, stepHead(p, step)), why || "");
  p.$(".cap h2").replaceChildren(...rich(step.what, p.run.lang).flat());
  p.$(".cap p").replaceChildren(...rich(step.why, p.run.lang).flat());
  clearTimeout(p.saying);
  const aloud = () => (p.$(".sr").textContent = `${kind.badge}. ${say(p.labels.at, { n: p.position() })}, ${plain(step.head)}. ${plain(step.what)}`);
  if (p.playing) p.saying = setTimeout(aloud, 500);
  else aloud();
}

function buildProgram(p) {
  const lines = p.run.program.map((text, n) => h("div", null, h("i", null, String(n + 1)), h("span", null, text)));
  p.$(".code").replaceChildren(...lines);
  p.lines = lines;
}

function paintPlace(p, place, round) {
  const right = round ? say(p.labels.round_of, { n: p.run.rounds.indexOf(round) + 1, total: p.run.rounds.length }) : "";
  p.$(".pn-program .ph").replaceChildren(...head(p.labels.program, null, right).filter(Boolean));
  p.$(".pn-program .ph b").after(h("span", { class: "m" }, p.run.name));
  p.lines.forEach((line, n) => {
    const current = n + 1 === place.line;
    line.className = current ? "cur" : (place.also || []).includes(n + 1) ? "on" : "";
    const text = p.run.program[n];
    const [a, b] = current && place.mark ? place.mark : [0, 0];
    line.lastChild.replaceChildren(...(b > a ? [text.slice(0, a), h("mark", null, text.slice(a, b)), text.slice(b)] : [text]));
  });
  const line = p.lines[place.line - 1];
  if (line) show(p.$(".code"), line);
}

// Scroll a child into view only when it is out of view, and never the page.
function show(box, child) {
  const top = child.offsetTop - box.offsetTop;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + child.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + child.offsetHeight - box.clientHeight;
}

function paintQueue(p, queue, now) {
  const { labels } = p;
  p.$(".pn-queue .ph").replaceChildren(...head(labels.queue, queue && queue.text).filter(Boolean));
  const body = p.$(".pn-queue .body");
  if (!queue || !(queue.rows.length + (queue.ghosts || []).length)) {
    body.replaceChildren(h("p", { class: "note" }, labels.queue_empty));
    return;
  }
  const line = (index, ghost) => {
    const row = p.run.rows[index];
    const cls = ghost ? "gh" : row.column === now ? "cur" : "";
    return h("div", { class: cls, role: "row", title: row.title || null, "data-c": row.column },
      h("span", { role: "cell" }, row.op), h("span", { role: "cell" }, tensors(row.global, true)), h("span", { role: "cell" }, tensors(row.relative, false)));
  };
  const heads = h("div", { class: "h", role: "row" }, ...["op", "global", "relative"].map((k) => h("span", { role: "columnheader" }, labels[k])));
  const table = h("div", { class: "q", role: "table", "aria-label": labels.queue }, heads,
    ...queue.rows.map((r) => line(r, false)), ...(queue.ghosts || []).map((r) => line(r, true)));
  const facts = (queue.facts || []).flatMap(([name, a, b]) => [h("span", null, name), h("span", { class: "m" }, a, h("span", { class: "ar" }, "→"), b)]);
  const key = h("div", { class: "kv key" }, ...["rw", "ro", "ni"].map((k) => h("span", { class: k }, labels[k])));
  body.replaceChildren(h("div", { class: "qs" }, table), h("div", { class: "kv" }, ...facts), key);
  const current = body.querySelector(".cur span");
  if (current) show(body.querySelector(".qs"), current);
}

function paintDecision(p, pane) {
  const box = p.$(".pn-decision");
  if (!pane) return box.replaceChildren(h("h3", { class: "ph" }, h("b", null, p.labels.decision)), h("p", { class: "note" }, p.labels.decision_empty));
  const body = { arena: arena, match: match, execution: execution, note: () => [] }[pane.type](p, pane);
  box.replaceChildren(h("h3", { class: "ph" }, head(pane.title, pane.text).filter(Boolean)), ...body, ...notes(p, pane.notes));
  box.dataset.type = pane.type;
  box.scrollTop = 0;
}

const notes = (p, list) => (list || []).map((text) => h("p", { class: "note" }, rich(text, p.run.lang)));

function arena(p, pane) {
  return [h("div", { class: "ar5" }, pane.cards.map((card) => scoreCard(p, card)))];
}

function scoreCard(p, card) {
  const lines = card.ledger ? ledger(p, card) : null;
  if (lines && !card.leads) lines.hidden = true;
  const open = lines && !card.leads ? () => (lines.hidden = !lines.hidden) : null;
  return h("div", { class: card.leads ? "fu win" : "fu lose", onclick: open, "data-fuser": card.letter },
    tile(card.letter, card.fuser),
    h("div", null, h("div", { class: "n", lang: "en" }, card.fuser), h("div", { class: "w" }, rich(card.why, p.run.lang))),
    h("div", { class: "sc" }, card.leads ? String(card.score) : h("s", { "aria-label": say(p.labels.does_not_count, { n: card.score }) }, String(card.score))),
    lines);
}

function ledger(p, { ledger: rows, points }) {
  const { labels } = p;
  const heads = ["", labels.one_by_one, labels.fused, labels.saved, labels.points].map((text) => h("span", { class: "h" }, text));
  const cells = rows.flatMap(([label, ...numbers], n) => {
    const line = [h("span", { class: "l" }, label), ...numbers.map((value) => h("span", null, String(value)))];
    if (n === 0) return [...line, h("span", { class: "two" }, points[0] || "")];
    return n === 1 ? line : [...line, h("span", { class: "one" }, points[n - 1] || "")];
  });
  return h("div", { class: "led" }, heads, cells);
}

function match(p, pane) {
  const row = (r) => h("div", { class: r.ok ? "mr" : "mr bad" },
    h("span", { class: "t3" }, String(r.at)), h("span", { class: r.ok ? "ok" : "no" }, icon(r.ok ? "hit" : "miss")),
    h("span", { class: "op", lang: "en" }, r.op),
    h("span", { class: "ky" }, tensors(r.key, false), r.extra ? h("span", { class: "t3" }, ` ${r.extra}`) : null),
    h("span", { class: "r" }, r.right ? badge(r.ok ? "defer" : "miss", r.right, r.ok ? "defer" : null) : null));
  const rows = pane.rows.map(row);
  const last = pane.last;
  if (last) {
    rows.push(h("div", { class: last.ok ? "mr fin" : "mr bad" }, h("span"), h("span", { class: last.ok ? "ok" : "no" }, icon(last.ok ? "hit" : "miss")),
      h("span", { class: "op ui", lang: "en" }, last.op), h("span", { class: "ky ui" }, rich(last.text, p.run.lang)),
      h("span", { class: "r" }, last.plan ? badge("execute", last.plan, "execute") : null)));
  }
  return [h("div", { class: "mt" }, rows)];
}

function execution(p, pane) {
  const unit = (u) => h("div", { class: "unit" },
    h("div", { class: "uh" }, u.letter ? tile(u.letter, u.head) : h("span", { class: "tile X" }, h("em", null, "–")), h("b", { lang: "en" }, u.head), h("span", { class: "t3" }, u.text)),
    h("div", { class: "xt" }, u.rows.map(([at, op, ins, outs]) => h("div", null, h("span", { class: "t3" }, String(at)), h("span", null, op),
      h("span", null, tensors(`${ins.split(" ").filter(Boolean).map((t) => `_${t}`).join(" ")}${outs ? `>_${outs.split(" ").join(" _")}` : ""}`, true))))));
  return [h("div", { class: "units" }, pane.units.map(unit))];
}

function planRow(p, plan) {
  return h("div", { class: `pr ${{ on: "on", out: "out", ghost: "gh" }[plan.state] || ""}`, "data-p": plan.id },
    h("span", { class: "id" }, plan.id), h("span", { class: plan.state === "ghost" ? "" : "m" }, plan.key),
    h("span", { class: "tg", lang: "en" }, plan.trigger || ""), plan.sub ? h("span", { class: "sub" }, rich(plan.sub, p.run.lang)) : null);
}

function paintStore(p, store) {
  const box = p.$(".pn-plans");
  const list = store ? store.plans.map((index) => planRow(p, p.run.plans[index])) : [];
  const empty = list.length ? [] : [h("p", { class: "note" }, p.labels.store_empty)];
  box.replaceChildren(h("h3", { class: "ph" }, head(p.labels.store, store && store.text).filter(Boolean)), h("div", { class: "pl" }, list), ...empty, ...notes(p, store && store.notes));
  const on = box.querySelector(".pr.on");
  if (on) show(box, on);
}

const LOG_TAIL = 80;

function paintLog(p, i, step) {
  const before = p.before(i);
  const from = before < 0 ? 0 : p.run.steps[before].log;
  const key = `${from}-${step.log}`;
  if (p.seen.log === key) return;
  p.seen.log = key;
  const lines = p.run.log.slice(Math.max(0, step.log - LOG_TAIL), step.log);
  const first = step.log - lines.length;
  const rows = lines.flatMap((text, n) => text.split("\n").map((part) => h("div", { class: first + n >= from ? "cur" : "" }, part)));
  const silent = step.log === from ? [h("div", { class: "silent" }, p.labels.log_silent)] : [];
  const box = p.$(".log");
  box.replaceChildren(h("div", { class: "lab" }, p.labels.log), h("div", { class: "tail" }, rows, silent));
  const tail = box.lastChild;
  tail.scrollTop = tail.scrollHeight;
}

// Why nothing stored fits: opened by the reader, closed by the reader.
function openMiss(p, open, keep) {
  const view = p.$(".missview");
  const step = p.run.steps[p.at];
  const miss = p.run.misses[step.miss];
  view.hidden = !(open && miss);
  if (!keep) p.$(".cap .why")?.setAttribute("aria-pressed", String(!view.hidden));
  p.root.toggleAttribute("data-why", !view.hidden);
  if (!miss || view.hidden) return;
  const { sizes, nearest, would } = miss;
  view.replaceChildren(
    h("div", { class: "pane" }, h("h3", { class: "ph" }, head(miss.title, null, miss.text).filter(Boolean)), keyRows(p, miss)),
    h("div", { class: "two2" },
      h("div", { class: "pane" }, sizes ? [h("h3", { class: "ph" }, h("b", null, sizes.title)), sizeTable(p, sizes)] : null),
      h("div", { class: "pane" }, h("h3", { class: "ph" }, head(nearest.title, nearest.text).filter(Boolean)),
        h("div", { class: "pl wide" }, nearest.plans.map((plan) => planRow(p, plan))), would ? wouldRow(would) : null)));
  const at = view.querySelector(".firstref");
  const mark = view.querySelector(".mark");
  if (at && mark) mark.style.paddingLeft = `${Math.max(0, at.offsetLeft - 4)}px`;
}

function keyRows(p, miss) {
  const at = (spot, g, t) => spot && spot[0] === g && spot[1] === t;
  const row = (key, n) => h("div", { class: "kr" }, h("span", { class: "kl" }, h("b", null, key.name), h("small", null, key.text)),
    key.groups.map((group, g) => (group === ">" ? h("span", { class: "ar" }, "→") : h("span", { class: "g", lang: "en" }, group.map((token, t) => {
      const first = at(miss.first, g, t) ? (n ? " first" : " firstref") : "";
      const later = n && (miss.later || []).some((spot) => at(spot, g, t)) ? " later" : "";
      return h("span", { class: `tok${g === 0 && t === 0 ? " op" : ""}${first}${later}` }, token);
    })))));
  const mark = h("div", { class: "mark" }, h("span", null, icon("miss"), " ", miss.mark || ""));
  return h("div", { class: "ks" }, miss.keys.flatMap((key, n) => (n === 1 ? [mark, row(key, n)] : [row(key, n)])));
}

function sizeTable(p, sizes) {
  const cell = (tag) => (text, n) => h(tag, { class: n === 1 || n === 2 ? "m" : null }, rich(text, p.run.lang));
  return h("table", { class: "nt" }, h("thead", null, h("tr", null, sizes.head.map((t) => h("th", null, t)))),
    h("tbody", null, sizes.rows.map((row) => h("tr", { class: row.on ? "x" : null }, row.cells.map(cell("td"))))));
}

function wouldRow({ hit, miss, text }) {
  return h("div", { class: "try" }, h("span", { class: "t3" }, text[0]), hit.map((t) => badge("hit", t, "hit")),
    h("span", { class: "t3" }, text[1]), miss.map((t) => badge("miss", t, "miss")));
}

// The lanes as a table, in the same order.
function paintTable(p, i) {
  const box = p.$(".table");
  if (box.hidden) return;
  const { labels, run } = p;
  const place = (column) => (column.size === "drain" ? "" : laneAt(column, i) === 0 ? labels.queue_lane : say(labels.block, { n: laneAt(column, i) }));
  const row = (column, c) => {
    const now = c === run.steps[i].column;
    const state = stateAt(column, i, now);
    return h("tr", { class: now ? "cur" : state, "aria-current": now ? "step" : null }, [String(c), column.label, column.sub || "", place(column), labels[`is_${state}`], state === "done" ? column.plan || "" : ""].map((text) => h("td", null, text)));
  };
  const heads = ["t_index", "t_op", "t_tensor", "t_place", "t_state", "t_plan"].map((k) => h("th", { scope: "col" }, labels[k]));
  box.replaceChildren(h("table", null, h("caption", { class: "sr" }, labels.lanes), h("thead", null, h("tr", null, heads)), h("tbody", null, run.columns.map(row))));
  const current = box.querySelector(".cur");
  if (current) box.scrollTop = Math.max(0, current.offsetTop - box.clientHeight / 2);
}
