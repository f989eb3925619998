// The figure: one moment of a run, small enough to stand beside a text. It reads the payload of the
// player (see the player's FORMAT.md) and steps through its decisions.

class Figure {
  constructor(labels, lang) {
    this.labels = labels;
    this.lang = lang;
    this.root = el("section", { class: "figure card", tabindex: "0", "aria-label": labels.figure });
    this.root.onkeydown = (event) => this.key(event);
    this.kept = {};
  }

  // Show the run at an index of its steps.
  show(payload, index, title) {
    this.payload = payload;
    this.title = title;
    this.stops = payload.steps.map((step, n) => n).filter((n) => payload.steps[n].level <= 1 || n === index);
    this.at = Math.max(0, this.stops.indexOf(index));
    this.draw();
  }

  go(at) {
    const next = Math.max(0, Math.min(at, this.stops.length - 1));
    if (next === this.at) return;
    this.at = next;
    this.draw();
  }

  key(event) {
    const move = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    this.go(move === -Infinity ? 0 : move === Infinity ? this.stops.length - 1 : this.at + move);
  }

  draw() {
    const { payload: p, labels: l, lang } = this;
    const index = this.stops[this.at];
    const step = p.steps[index];
    if (!step) return;
    const kind = p.kinds[step.kind];
    const focused = this.root.contains(this.root.getRootNode().activeElement) && this.root.getRootNode().activeElement.dataset.go;
    this.root.dataset.event = step.event;
    this.root.replaceChildren(
      el("header", null, el("b", null, this.title), el("span", { class: "sp" }),
        el("span", { class: "t3" }, l.position.replace("{n}", this.at).replace("{total}", this.stops.length - 1)),
        this.button("back", "M8 2 4 6l4 4", this.at === 0, -1), this.button("next", "M4 2l4 4-4 4", this.at === this.stops.length - 1, 1)),
      el("div", { class: "said", role: "status" },
        el("p", { class: "head" }, el("span", { class: `badge ${kind.tone}` }, kind.badge), rich(step.head, lang)),
        el("p", { class: "what" }, rich(step.what, lang)), step.why ? el("p", { class: "t2" }, rich(step.why, lang)) : null),
      this.program(step), this.blocks(index, step), this.queue(step), this.pane(step));
    if (focused) this.root.querySelector(`[data-go="${focused}"]`)?.focus();
  }

  button(name, path, disabled, move) {
    return el("button", { type: "button", class: "small", "data-go": name, "aria-label": this.labels[name], title: this.labels[name],
      disabled, onclick: () => this.go(this.at + move) }, glyph(path));
  }

  program(step) {
    const place = this.payload.places[step.place] || {};
    return el("pre", { class: "program", lang: "en" }, this.payload.program.map((line, n) =>
      el("span", { class: place.line === n + 1 ? "line on" : "line" }, `${line}\n`)));
  }

  // Which op is in which block now; lane 0 is the queue.
  blocks(index, step) {
    const lanes = new Map();
    const live = new Set(this.payload.segments[step.segment]?.columns || []);
    this.payload.columns.forEach((column, n) => {
      if (!live.has(n) || column.born > index || column.size === "drain") return;
      const moved = column.moves.filter(([at]) => at <= index);
      const lane = moved.length ? moved[moved.length - 1][1] : 0;
      if (!lanes.has(lane)) lanes.set(lane, []);
      lanes.get(lane).push([n, column]);
    });
    if (!lanes.size) return null;
    const rows = [...lanes.entries()].sort((a, b) => a[0] - b[0]).map(([lane, members]) =>
      el("div", { class: "lane" }, el("span", { class: "t3" }, lane ? this.labels.block.replace("{n}", lane) : this.labels.waiting),
        members.map(([n, column]) => el("span", { class: n === step.column ? "op now" : "op", lang: "en", title: column.title }, column.label))));
    return el("div", { class: "lanes" }, rows);
  }

  queue(step) {
    const queue = this.payload.queues[step.queue];
    if (!queue || !queue.rows?.length) return null;
    const side = (text) => {
      const [reads, makes] = text.split(">");
      return [tensors(reads.split(" ").filter(Boolean)), makes ? el("span", { class: "ar" }, " → ") : null, tensors((makes || "").split(" ").filter(Boolean))];
    };
    return el("table", { class: "queue" },
      el("caption", null, words(queue.text, this.lang)),
      el("thead", null, el("tr", null, ["op", "global", "relative"].map((name) => el("th", { scope: "col" }, this.labels[name])))),
      el("tbody", null, queue.rows.map((n) => this.payload.rows[n]).map((row) =>
        el("tr", { class: row.column === step.column ? "now" : null, lang: "en" }, el("th", { scope: "row" }, row.op),
          el("td", null, side(row.global)), el("td", null, side(row.relative))))));
  }

  pane(step) {
    const pane = this.payload.panes[step.pane];
    if (!pane) return null;
    const { lang } = this;
    const cards = (pane.cards || []).map((card) => el("li", { class: card.leads ? "lead" : null },
      el("span", { class: `tile ${"EMRBN".includes(card.letter) ? card.letter : "X"}`, "aria-hidden": "true" }, card.letter),
      el("span", { class: "grow" }, el("span", { lang: "en" }, card.fuser), " ", el("span", { class: "t2" }, words(card.why, lang)),
        card.points?.length ? el("span", { class: "points t2" }, card.points.join(" · ")) : null),
      el("b", { class: card.leads ? null : "lost" }, String(card.score))));
    const rows = (pane.rows || []).map((row) => el("li", null, el("span", { class: row.ok ? "hit" : "miss" }, glyph(row.ok ? TICK : CROSS)),
      el("span", { class: "grow", lang: "en" }, row.op), el("span", { class: "t3", lang: "en" }, row.right)));
    const last = pane.last ? [el("li", { class: "lead" }, el("span", { class: pane.last.ok ? "hit" : "miss" }, glyph(pane.last.ok ? TICK : CROSS)),
      el("span", { class: "grow" }, rich(pane.last.text, lang)), el("b", null, pane.last.plan || ""))] : [];
    const units = (pane.units || []).map((unit) => el("li", null,
      unit.letter ? el("span", { class: `tile ${unit.letter}`, "aria-hidden": "true" }, unit.letter) : null,
      el("span", { class: "grow" }, el("span", { lang: "en" }, unit.head), " ", el("span", { class: "t2" }, words(unit.text, lang)))));
    const notes = (pane.notes || []).map((note) => el("p", { class: "t2" }, rich(note, lang)));
    return el("div", { class: "pane" }, el("h4", null, words(pane.title, lang), " ", el("span", { class: "t3" }, words(pane.text || "", lang))),
      el("ul", null, cards, rows, last, units), notes);
  }
}
