// The panes of text. Each is filled again only when its index in the payload changes.

function paintPanes(p, i) {
  const step = p.steps[i];
  const { places, queues, panes, stores } = p.run;
  const round = p.roundOf(step);
  const runs = ["hit", "execute"].includes(p.iconAt(i));
  const from = p.steps[p.before(i)]?.log || 0;
  const changed = (name, key, paint) => p.seen[name] !== key && ((p.seen[name] = key), paint());
  paintCaption(p, step);
  changed("place", `${step.place}/${step.column}`, () => paintPlace(p, places[step.place] || {}, round));
  changed("queue", `${step.queue}/${step.column}`, () => paintQueue(p, queues[step.queue] || { rows: [] }, step.column));
  changed("pane", `${step.pane}/${runs}`, () => paintDecision(p, runs, panes[step.pane]));
  changed("store", step.store, () => paintStore(p, stores[step.store] || { plans: [] }));
  if (p.root.hasAttribute("data-diff")) paintDiff(p, i);
  else changed("log", `${from}/${step.log}`, () => paintLog(p, from, step.log));
  if (!p.$(".missview").hidden) openMiss(p, step.miss !== undefined);
}

function paintCaption(p, { kind: name, head, what, why, miss }) {
  const kind = p.run.kinds[name];
  const at = p.say("at", p.position());
  p.fill("badge", badge(kind.tone, kind.badge, kind.icon));
  p.fill("head", at, " · ", rich(head));
  p.fill("what", rich(what));
  p.fill("why", rich(why));
  p.$(".cap").classList.toggle("long", p.measure(plain(what), 20 * p.scale) * 1.05 > p.box.clientWidth - 34 * p.scale);
  p.$(".why").hidden = miss === undefined;
  // A screen reader gets one sentence per step, and no more than it can say while playing.
  clearTimeout(p.saying);
  p.saying = setTimeout(() => p.fill("aloud", `${kind.badge}. ${at}, ${plain(head)}. ${plain(what)}`), p.playing ? 500 : 0);
}

function paintPlace(p, { line: now, mark, also = [] }, round) {
  const { program, rounds } = p.run;
  p.fill("round", round && p.say("round_of", rounds.indexOf(round) + 1, rounds.length));
  p.lines.forEach((row, n) => {
    const text = program[n];
    const marked = n + 1 === now && mark;
    row.className = n + 1 === now ? "cur" : also.includes(n + 1) ? "on" : "";
    put(row.lastChild, marked ? [text.slice(0, mark[0]), h("mark", text.slice(...mark)), text.slice(mark[1])] : text);
  });
  show(p.$(".code"), p.lines[now - 1]);
}

// Scroll a child into view only when it is out of view, and never the page.
function show(box, child) {
  if (!child) return;
  after.push(() => {
    const { offsetTop: top, offsetHeight } = child;
    const bottom = top + offsetHeight - box.clientHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (bottom > box.scrollTop) box.scrollTop = bottom;
  });
}

function paintQueue(p, { text, rows, ghosts = [], facts = [] }, now) {
  const empty = !rows.length && !ghosts.length;
  p.fill("waiting", text);
  p.slot("idle").hidden = !empty;
  for (const name of ["queuebox", "facts", "dots"]) p.slot(name).hidden = empty;
  const row = (index, cls) => {
    const { op, global, relative, title, column } = p.run.rows[index];
    const slots = { op, global: tensors(global, true), relative: tensors(relative) };
    return stamp(p, "row", slots, cls || (column === now && "cur"), { title, "data-c": column });
  };
  // Of a long queue only the end is shown, where ops arrive.
  const hidden = Math.max(0, rows.length - 60);
  p.fill("queue", hidden > 0 && h("div.more", h("span", `… ${hidden}`)), rows.slice(hidden).map((index) => row(index)), ghosts.slice(0, 60).map((index) => row(index, "gh")));
  p.fill("facts", facts.map(([name, a, b]) => [h("span", name), h("span.m", a, h("span.ar", "→"), b)]));
  show(p.slot("queuebox"), p.$(".rows .cur span"));
}

const notes = (list = []) => list.map((text) => h("p.note", rich(text)));

function paintDecision(p, runs, pane = { title: p.labels.decision, notes: [p.labels.decision_empty] }) {
  const { title, text, type, cards = [], rows = [], units = [], options = [], verdict } = pane;
  p.fill("decision", verdict && h(`p.verdict.${verdict.tone}`, rich(verdict.text)), h("h3.ph", h("b", title), text && h("span", text)),
    h("div.ar5", cards.map((card) => scoreCard(p, card))),
    type === "match" && h("div.mt", rows.map((row) => matchRow(p, row)), pane.last && matchLast(p, pane.last, runs, rows)),
    units.map((unit) => unitTable(p, unit)), options.map((option, n) => answerButton(option, n)),
    options.length > 0 && answerButton(p.labels.show_me, -1, "t3"), notes(pane.notes));
  after.push(() => (p.slot("decision").scrollTop = 0));
}

// One option of a question. To choose it is to commit; -1 is "show me".
const answerButton = (text, n, cls) => h(`button.answer.${cls || "opt"}`, { type: "button", "data-do": "answer", "data-answer": n }, n >= 0 && h("kbd", n + 1), h("span", rich(text)));

function scoreCard(p, card) {
  const { letter, fuser, leads } = card;
  const score = leads ? card.score : h("s", { "aria-label": p.say("does_not_count", card.score) }, card.score);
  const ledger = card.ledger && ledgerOf(p, card);
  const slots = { ...card, tile: tile(letter, fuser), score, ledger };
  return stamp(p, "card", slots, leads ? "win" : "lose", { "data-fuser": letter, "data-do": ledger && !leads && "unfold" });
}

function ledgerOf({ labels: { one_by_one, fused, saved, points: title } }, { ledger, points = [] }) {
  const heads = ["", one_by_one, fused, saved, title].map((text) => h("span.h", text));
  // Reads and writes share one bracket.
  const sum = (n) => (n === 0 ? h("span.two", points[0]) : n > 1 && h("span.one", points[n - 1]));
  return [heads, ledger.map(([name, ...numbers], n) => [h("span.l", name), numbers.map((value) => h("span", value)), sum(n)])];
}

// Without an answer an op was not compared yet.
const mark = (ok) => (ok === undefined ? [] : h(ok ? "span.ok" : "span.no", icon(ok ? "hit" : "miss")));
const fit = (ok) => (ok === undefined ? "later" : ok ? "fits" : "bad");

function matchRow(p, row) {
  const { ok, key, extra, right } = row;
  const verdict = right ? badge(ok ? "defer" : "miss", right, ok && "defer") : [];
  return stamp(p, "match", { ...row, mark: mark(ok), key: [tensors(key), extra && h("span.t3", ` ${extra}`)], right: verdict }, fit(ok));
}

// The plan runs, it waits, or an op differs.
function matchLast(p, { ok, op, text, plan }, runs, rows) {
  const differs = rows.some((row) => row.ok === false);
  const answer = ok && runs ? true : differs ? false : undefined;
  const tone = answer ? "execute" : "defer";
  const slots = { at: [], mark: mark(answer), op, key: text, right: plan && !differs ? badge(tone, plan, tone) : [] };
  return stamp(p, "match", slots, answer ? "last fin" : `last ${fit(answer)}`);
}

function unitTable(p, unit) {
  const names = (list) => list.split(" ").filter(Boolean).map((name) => `_${name}`).join(" ");
  const row = ([at, op, ins, outs]) => stamp(p, "op", { at, op, io: tensors(names(ins) + (outs ? `>${names(outs)}` : ""), true) });
  return stamp(p, "unit", { ...unit, tile: tile(unit.letter, unit.head), rows: unit.rows.map(row) });
}

const planRow = (p, plan) => stamp(p, "plan", plan, { on: "on", out: "out", ghost: "gh" }[plan.state], { "data-p": plan.id });

function paintStore(p, { text, plans, notes: remarks }) {
  p.fill("plancount", text);
  p.fill("plans", plans.map((index) => planRow(p, p.run.plans[index])));
  p.fill("plannotes", notes(remarks));
  p.slot("noplans").hidden = plans.length > 0;
  show(p.$(".pn-plans"), p.$(".pn-plans .on"));
}

// What changed since the stop before, instead of the log.
function paintDiff(p, i) {
  const found = p.changes(i).map((index) => p.run.changes[index]);
  p.fill("log", found.map(([how, text]) => h(`div.cur.${how}`, `${{ added: "+", gone: "−" }[how] || "~"} `, rich(text))), !found.length && h("div.silent", p.labels.no_change));
}

function paintLog(p, from, to) {
  const first = Math.max(0, to - 80);
  p.fill("log", p.run.log.slice(first, to).map((text, n) => h(first + n >= from ? "div.cur" : "div", text)), to === from && h("div.silent", p.labels.log_silent));
  after.push(() => (p.slot("log").scrollTop = 1e6));
}

// Why nothing stored fits: opened by the reader, closed by the reader.
function openMiss(p, open = p.$(".missview").hidden) {
  const view = p.$(".missview");
  const miss = open && p.run.misses[p.steps[p.at].miss];
  view.hidden = !miss;
  p.$(".why").setAttribute("aria-pressed", !view.hidden);
  p.root.toggleAttribute("data-why", !view.hidden);
  if (!miss) return;
  const { keys, sizes, nearest, would } = miss;
  const [stored, queued = []] = keys.map((key, n) => keyRow(p, miss, key, n));
  const badges = (tone) => would[tone].map((text) => badge(tone, text, tone));
  put(view, stamp(p, "miss", {
    ...miss, stored, queued, sizes: sizes ? sizeTable(sizes) : [], nearest: nearest.title, count: nearest.text,
    plans: nearest.plans.map((plan) => planRow(p, plan)),
    would: would && [would.text[0], badges("hit"), would.text[1], badges("miss")],
  }));
  p.$(".mark").style.paddingLeft = `${Math.max(0, (p.$(".firstref")?.offsetLeft || 4) - 4)}px`;
}

function keyRow(p, { first, later = [] }, key, n) {
  const at = (spot, g, t) => spot?.[0] === g && spot[1] === t;
  const role = (g, t) => (at(first, g, t) ? (n ? ".first" : ".firstref") : n && later.some((spot) => at(spot, g, t)) ? ".later" : "");
  const group = (tokens, g) => (tokens === ">" ? h("span.ar", "→")
    : h("span.g", { lang: "en" }, tokens.map((value, t) => h(`span.tok${g || t ? "" : ".op"}${role(g, t)}`, value))));
  return stamp(p, "key", { ...key, groups: key.groups.map(group) });
}

function sizeTable({ title, head, rows }) {
  const cells = (tag, list) => list.map((text, n) => h(n === 1 || n === 2 ? `${tag}.m` : tag, rich(text)));
  const body = rows.map((row) => h(row.on ? "tr.x" : "tr", cells("td", row.cells)));
  return [h("h3.ph", h("b", title)), h("table.nt", h("thead", h("tr", cells("th", head))), h("tbody", body))];
}

// The lanes as a table, in the same order.
function paintTable(p, i) {
  const box = p.$(".table");
  if (box.hidden) return;
  const row = (column, c) => {
    const now = c === p.steps[i].column;
    const state = stateAt(column, i, now);
    const lane = p.laneOf(c, i);
    const place = column.size === "drain" ? "" : lane ? p.say("block", lane) : p.labels.queue_lane;
    const cells = [c, column.label, column.sub, place, p.labels[`is_${state}`], state === "done" && column.plan];
    return h(`tr.${now ? "cur" : state}`, { "aria-current": now && "step" }, cells.map((text) => h("td", text)));
  };
  put(p.$(".table tbody"), p.columns.map(row));
  const current = p.$(".table .cur");
  if (current) after.push(() => (box.scrollTop = Math.max(0, current.offsetTop - box.clientHeight / 2)));
}
