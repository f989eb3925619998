// The panes of text. Each is filled again only when its index in the payload changes.

function paintPanes(p, i) {
  const step = p.steps[i];
  const { places, queues, panes, stores } = p.run;
  const round = p.roundOf(step);
  const changed = (name, key, paint) => p.seen[name] !== key && ((p.seen[name] = key), paint());
  paintCaption(p, step);
  changed("place", `${step.place}/${round?.label}`, () => paintPlace(p, places[step.place] || {}, round));
  changed("queue", `${step.queue}/${step.column}`, () => paintQueue(p, queues[step.queue] || { rows: [] }, step.column));
  const runs = ["hit", "execute"].includes(p.iconAt(i));
  changed("pane", `${step.pane}/${runs}`, () => paintDecision(p, runs, panes[step.pane]));
  changed("store", step.store, () => paintStore(p, stores[step.store] || { plans: [] }));
  const before = p.before(i);
  const from = before < 0 ? 0 : p.steps[before].log;
  changed("log", `${from}-${step.log}`, () => paintLog(p, from, step.log));
  if (!p.$(".missview").hidden) openMiss(p, step.miss !== undefined);
}

function paintCaption(p, step) {
  const { lang } = p.run;
  const kind = p.run.kinds[step.kind];
  const at = say(p.labels.at, { n: p.position() });
  put(p.slot("badge"), badge(kind.tone, kind.badge, kind.icon));
  put(p.slot("head"), at, " · ", rich(step.head, lang));
  put(p.$(".cap h2"), rich(step.what, lang));
  put(p.$(".cap p"), rich(step.why, lang));
  p.$(".cap").classList.toggle("long", p.measure(plain(step.what), 20 * p.scale) * 1.05 > p.$(".cap").clientWidth - 34);
  p.$(".why").hidden = step.miss === undefined;
  clearTimeout(p.saying);
  // A screen reader gets one sentence per step, and no more than it can say while playing.
  p.saying = setTimeout(() => put(p.$(".sr"), `${kind.badge}. ${at}, ${plain(step.head)}. ${plain(step.what)}`), p.playing ? 500 : 0);
}

function paintPlace(p, { line: now, mark, also = [] }, round) {
  const { program, rounds } = p.run;
  put(p.slot("round"), round && say(p.labels.round_of, { n: rounds.indexOf(round) + 1, total: rounds.length }));
  p.lines.forEach((row, n) => {
    const current = n + 1 === now;
    const text = program[n];
    row.className = current ? "cur" : also.includes(n + 1) ? "on" : "";
    put(row.lastChild, current && mark ? [text.slice(0, mark[0]), h("mark", text.slice(...mark)), text.slice(mark[1])] : text);
  });
  if (p.lines[now - 1]) show(p.$(".code"), p.lines[now - 1]);
}

// Scroll a child into view only when it is out of view, and never the page.
function show(box, { offsetTop, offsetHeight }) {
  const top = offsetTop - (box.offsetParent === null || getComputedStyle(box).position !== "static" ? 0 : box.offsetTop);
  if (top < box.scrollTop) box.scrollTop = top;
  else box.scrollTop = Math.max(box.scrollTop, top + offsetHeight - box.clientHeight);
}

function paintQueue(p, { text, rows, ghosts = [], facts = [] }, now) {
  const empty = !rows.length && !ghosts.length;
  put(p.slot("waiting"), text);
  p.slot("idle").hidden = !empty;
  for (const name of ["queuebox", "facts", "dots"]) p.slot(name).hidden = empty;
  const row = (index, cls) => {
    const { op, global, relative, title, column } = p.run.rows[index];
    const node = stamp(p, "row", { op, global: tensors(global, true), relative: tensors(relative) }, cls || (column === now && "cur"));
    dress(node, { title, "data-c": column });
    return node;
  };
  put(p.slot("queue"), rows.map((index) => row(index)), ghosts.map((index) => row(index, "gh")));
  put(p.slot("facts"), facts.map(([name, a, b]) => [h("span", name), h("span.m", a, h("span.ar", "→"), b)]));
  const current = p.slot("queue").querySelector(".cur span");
  if (current) show(p.slot("queuebox"), current);
}

const notes = (p, list = []) => list.map((text) => h("p.note", rich(text, p.run.lang)));

function paintDecision(p, runs, pane = { type: "note", title: p.labels.decision, notes: [p.labels.decision_empty] }) {
  const { title, text, cards = [], rows = [], last, units = [] } = pane;
  const box = p.$(".pn-decision");
  put(box, stamp(p, "pane", { title, text }),
    cards.length > 0 && h("div.ar5", cards.map((card) => scoreCard(p, card))),
    pane.type === "match" && h("div.mt", rows.map((row) => matchRow(p, row)), last && matchLast(p, last, runs, rows.some((row) => row.ok === false))),
    units.map((unit) => unitTable(p, unit)), notes(p, pane.notes));
  box.dataset.type = pane.type;
  box.scrollTop = 0;
}

function scoreCard(p, card) {
  const { letter, fuser, score, leads } = card;
  const lost = () => h("s", { "aria-label": say(p.labels.does_not_count, { n: score }) }, String(score));
  const ledger = card.ledger && ledgerOf(p, card);
  const node = stamp(p, "card", { tile: tile(letter, fuser), name: fuser, why: rich(card.why, p.run.lang), score: leads ? score : lost(), ledger }, leads ? "win" : "lose");
  dress(node, { "data-fuser": letter, "data-do": ledger && !leads && "unfold" });
  return node;
}

function ledgerOf(p, { ledger, points = [] }) {
  const { one_by_one, fused, saved, points: title } = p.labels;
  const heads = ["", one_by_one, fused, saved, title].map((text) => h("span.h", text));
  const cells = ledger.map(([name, ...numbers], n) => {
    const sum = n === 0 ? h("span.two", points[0]) : n > 1 && h("span.one", points[n - 1]);
    return [h("span.l", name), numbers.map((value) => h("span", String(value))), sum];
  });
  return [heads, cells];
}

// Without an answer an op was not compared yet.
const mark = (ok) => (ok === undefined ? [] : h(ok ? "span.ok" : "span.no", icon(ok ? "hit" : "miss")));
const fit = (ok) => (ok === undefined ? "later" : ok ? "fits" : "bad");

function matchRow(p, { at, ok, op, key, extra, right }) {
  const verdict = right && badge(ok ? "defer" : "miss", right, ok && "defer");
  return stamp(p, "match", { at, mark: mark(ok), op, key: [tensors(key), extra && h("span.t3", ` ${extra}`)], right: verdict || [] }, fit(ok));
}

// The plan runs, it waits, or an op differs.
function matchLast(p, { ok, op, text, plan }, runs, differs) {
  const answer = ok && runs ? true : differs ? false : undefined;
  const tone = answer ? "execute" : "defer";
  const slots = { at: "", mark: mark(answer), op, key: rich(text, p.run.lang), right: plan && !differs ? badge(tone, plan, tone) : [] };
  return stamp(p, "match", slots, answer ? "last fin" : `last ${fit(answer)}`);
}

function unitTable(p, { letter, head, text, rows }) {
  const names = (list, linked = list.split(" ").filter(Boolean)) => linked.map((name) => `_${name}`).join(" ");
  const row = ([at, op, ins, outs]) => stamp(p, "op", { at, op, io: tensors(outs ? `${names(ins)}>${names(outs)}` : names(ins), true) });
  return stamp(p, "unit", { tile: tile(letter, head), head, text, rows: rows.map(row) });
}

function planRow(p, { id, key, trigger, sub, state }) {
  const cls = { on: "on", out: "out", ghost: "gh" }[state];
  const node = stamp(p, "plan", { id, key, trigger, sub: sub && rich(sub, p.run.lang) }, cls);
  node.dataset.p = id;
  return node;
}

function paintStore(p, { text, plans, notes: remarks }) {
  put(p.slot("plancount"), text);
  put(p.slot("plans"), plans.map((index) => planRow(p, p.run.plans[index])));
  put(p.slot("plannotes"), notes(p, remarks));
  p.slot("noplans").hidden = plans.length > 0;
  const on = p.slot("plans").querySelector(".on");
  if (on) show(p.$(".pn-plans"), on);
}

const LOG_TAIL = 80;

function paintLog(p, from, to) {
  const first = Math.max(0, to - LOG_TAIL);
  const rows = p.run.log.slice(first, to).map((text, n) => h(first + n >= from ? "div.cur" : "div", text));
  const tail = p.slot("log");
  put(tail, rows, to === from && h("div.silent", p.labels.log_silent));
  tail.scrollTop = tail.scrollHeight;
}

// Why nothing stored fits: opened by the reader, closed by the reader.
function openMiss(p, open = p.$(".missview").hidden) {
  const view = p.$(".missview");
  const miss = p.run.misses[p.steps[p.at].miss];
  view.hidden = !open || !miss;
  p.$(".why").setAttribute("aria-pressed", !view.hidden);
  p.root.toggleAttribute("data-why", !view.hidden);
  if (view.hidden) return;
  const { title, text, keys, mark: words_, sizes, nearest, would } = miss;
  const rows = keys.map((key, n) => keyRow(p, miss, key, n));
  put(view, stamp(p, "miss", {
    title, text, mark: words_, stored: rows[0], queued: rows[1] || [], sizes: sizes && sizeTable(p, sizes) || [],
    nearest: nearest.title, count: nearest.text, plans: nearest.plans.map((plan) => planRow(p, plan)),
    would: would && [would.text[0], would.hit.map((t) => badge("hit", t, "hit")), would.text[1], would.miss.map((t) => badge("miss", t, "miss"))],
  }));
  view.querySelector(".mark").style.paddingLeft = `${Math.max(0, (view.querySelector(".firstref")?.offsetLeft || 4) - 4)}px`;
}

function keyRow(p, { first, later = [] }, { name, text, groups }, n) {
  const at = (spot, g, t) => spot?.[0] === g && spot[1] === t;
  const token = (value, g, t) => {
    const role = at(first, g, t) ? (n ? ".first" : ".firstref") : n && later.some((spot) => at(spot, g, t)) ? ".later" : "";
    return h(`span.tok${g || t ? "" : ".op"}${role}`, value);
  };
  const group = (tokens, g) => (tokens === ">" ? h("span.ar", "→") : h("span.g", { lang: "en" }, tokens.map((value, t) => token(value, g, t))));
  return stamp(p, "key", { name, text, groups: groups.map(group) });
}

function sizeTable(p, { title, head, rows }) {
  const cells = (tag, list) => list.map((text, n) => h(n === 1 || n === 2 ? `${tag}.m` : tag, rich(text, p.run.lang)));
  const body = rows.map((row) => h(row.on ? "tr.x" : "tr", cells("td", row.cells)));
  return [stamp(p, "pane", { title }), h("table.nt", h("thead", h("tr", cells("th", head))), h("tbody", body))];
}

// The lanes as a table, in the same order.
function paintTable(p, i) {
  const box = p.$(".table");
  if (box.hidden) return;
  const { labels, run } = p;
  const row = (column, c) => {
    const now = c === run.steps[i].column;
    const state = stateAt(column, i, now);
    const lane = p.laneOf(c, i);
    const place = column.size === "drain" ? "" : lane ? say(labels.block, { n: lane }) : labels.queue_lane;
    const cells = [String(c), column.label, column.sub || "", place, labels[`is_${state}`], (state === "done" && column.plan) || ""];
    return h(`tr.${now ? "cur" : state}`, { "aria-current": now && "step" }, cells.map((text) => h("td", text)));
  };
  put(box.querySelector("tbody"), run.columns.map(row));
  const current = box.querySelector(".cur");
  if (current) box.scrollTop = Math.max(0, current.offsetTop - box.clientHeight / 2);
}
