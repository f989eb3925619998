// A lesson: the list, one part of the text, and beside it what to answer and a moment of the run.
// A part that asks is sent without its answers, and without the run that shows them.

class Lesson {
  constructor(root, tell) {
    this.root = root;
    this.tell = tell;
    this.chosen = {};
    this.drafts = {};
  }

  show(data) {
    const before = this.data;
    this.data = data;
    this.root.dataset.theme = data.theme;
    this.root.lang = data.lang === "zh" ? "zh-CN" : "en";
    this.root.dataset.place = `${data.lesson}/${data.part}`;
    const moved = before && (before.lesson !== data.lesson || before.part !== data.part);
    if (!before || moved) this.pin = data.start;
    if (moved) this.chosen = {};
    this.draw();
    if (moved) this.land("h1");
    else if (before) this.answered(before);
  }

  land(selector) {
    const node = this.root.querySelector(selector);
    node?.focus({ preventScroll: true });
    node?.scrollIntoView({ block: "nearest" });
  }

  // After an answer the reader is led to what became of it.
  answered(before) {
    const told = (data) => data.asks.filter((ask) => ask.told).map((ask) => ask.id);
    const fresh = told(this.data).find((id) => !told(before).includes(id));
    if (fresh) this.land(`[data-ask="${fresh}"] .told`);
    else if (JSON.stringify(before.task?.told) !== JSON.stringify(this.data.task?.told)) this.land(".task .told");
    else if (!before.task?.solution && this.data.task?.solution) this.land(".task .solution");
  }

  draw() {
    const { data } = this;
    this.figure = null;
    this.root.querySelector(".body").replaceChildren(this.list(), this.text(), el("div", { class: "side" }, this.asks(), this.task(), this.shown(),
      el("p", { class: "checked t3" }, el("span", { class: "hit" }, glyph(TICK)), " ", words(data.labels.claims, data.lang))));
  }

  // --- where one is -----------------------------------------------------------------------------

  list() {
    const { data } = this;
    const now = data.list.find((row) => row.now);
    const rows = data.list.map((row) => el("li", null,
      this.link({ lesson: row.slug, part: "guess" }, [row.done ? el("span", { class: "sign hit" }, glyph(TICK)) : el("span", { class: "sign" }, String(row.number)),
        el("span", { class: "grow" }, words(row.title, data.lang)), row.done ? el("span", { class: "hidden" }, data.labels.done) : null], row.now ? "row now" : "row", row.now && data.part === "guess"),
      row.now ? el("ol", { class: "parts" }, data.parts.map((part) => el("li", null,
        this.link({ lesson: row.slug, part: part.name }, [words(part.title, data.lang)], part.now ? "part now" : "part", part.now)))) : null));
    const wide = window.matchMedia("(min-width: 900px)").matches;
    return el("nav", { class: "list", "aria-label": data.labels.lessons }, el("details", { open: wide },
      el("summary", null, data.labels.lessons, el("span", { class: "here" }, ` ${now.number} · `, words(now.title, data.lang))), el("ol", null, rows)));
  }

  link(place, content, style, current) {
    return el("button", { type: "button", class: `link ${style}`, "aria-current": current ? "page" : null, "data-go": `${place.lesson}/${place.part}`,
      onclick: () => this.tell({ act: "go", ...place }) }, content);
  }

  // --- the text ---------------------------------------------------------------------------------

  text() {
    const { data } = this;
    return el("article", null, el("p", { class: "t3 line" }, words(data.line, data.lang)), el("h1", { tabindex: "-1" }, words(data.title, data.lang)),
      data.blocks.map((block) => this.block(block)), this.ends());
  }

  block(block) {
    if (block.code !== undefined) return el("pre", { class: "program card", lang: "en" }, block.code);
    if (block.items) return el("ul", null, block.items.map((spans) => el("li", null, this.spans(spans))));
    return el("p", null, this.spans(block.text));
  }

  spans(spans) {
    return spans.map((span) => {
      if (span.bold) return el("b", null, this.spans(span.bold));
      if (span.mono !== undefined) return el("code", { lang: "en" }, span.mono);
      if (span.claim !== undefined) return el("span", { class: /[A-Za-z]/.test(span.claim) ? "claim long" : "claim", lang: "en" }, span.claim);
      if (span.pin) return this.pinned(span);
      return words(span.plain, this.data.lang);
    });
  }

  // A place in the run, pressed to see it beside the text.
  pinned(span) {
    const at = span.to;
    if (!at) return el("b", null, this.spans(span.pin));
    const on = this.pin && this.pin[0] === at[0] && this.pin[1] === at[1];
    return el("button", { type: "button", class: on ? "pin on" : "pin", "aria-pressed": String(Boolean(on)), "data-pin": at.join("-"), title: this.data.labels.show_step,
      onclick: () => this.look(at) }, this.spans(span.pin));
  }

  look(at) {
    this.pin = at;
    for (const pin of this.root.querySelectorAll("[data-pin]")) {
      const on = pin.dataset.pin === at.join("-");
      pin.classList.toggle("on", on);
      pin.setAttribute("aria-pressed", String(on));
    }
    const figure = this.data.figures[at[0]];
    if (this.figure && figure) this.figure.show(figure.payload, at[1], figure.title);
    if (!window.matchMedia("(min-width: 900px)").matches) this.figure?.root.scrollIntoView({ block: "nearest" });
  }

  ends() {
    const { data } = this;
    const side = (place, label) => (place ? el("span", null, label, " ", this.link(place, [words(place.title, data.lang)], "end")) : el("span"));
    return el("footer", null, side(data.before, data.labels.before), side(data.after, data.labels.after));
  }

  // --- beside the text --------------------------------------------------------------------------

  asks() {
    const { data } = this;
    if (!data.asks.length) return null;
    const done = data.asks.every((ask) => ask.told);
    return el("section", { class: "card asks", "aria-label": data.labels.your_turn }, el("h2", null, data.labels.your_turn),
      el("p", { class: "t3" }, words(data.note, data.lang)), data.asks.map((ask, n) => this.ask(ask, n)),
      el("p", { class: "t2 rest" }, words(done ? data.labels.blank_done : data.labels.blank_open, data.lang)));
  }

  ask(ask, index) {
    const { labels: l, lang } = this.data;
    const question = el("legend", { id: `ask-${index}` }, rich(ask.question, lang));
    if (ask.told) {
      const tone = { right: [TICK, "hit"], not_yet: [CROSS, "miss"], skipped: [DOTS, "defer"] }[ask.told.verdict];
      return el("fieldset", { "data-ask": ask.id }, question, el("div", { class: "told", role: "status", tabindex: "-1" },
        el("p", null, el("span", { class: `sign ${tone[1]}` }, glyph(tone[0])), " ", el("b", null, rich(ask.told.headline, lang))),
        ask.told.because ? el("p", { class: "t2" }, rich(ask.told.because, lang)) : null));
    }
    const chosen = this.chosen[ask.id];
    const box = el("fieldset", { "data-ask": ask.id }, question, el("div", { class: columns(ask.options) }, ask.options.map((text, n) =>
      option({ group: ask.id, n, text, chosen: chosen === n, lang, choose: () => this.choose(ask.id, n) }))),
    el("div", { class: "act" }, el("button", { type: "button", class: "primary", "data-act": "commit", disabled: chosen === undefined, onclick: () => this.commit(ask.id) }, l.check),
      el("button", { type: "button", class: "link", "data-act": "skip", onclick: () => this.say("fill", { ask: ask.id, choice: null }) }, l.show_answer)));
    box.onkeydown = (event) => this.key(event, ask.id);
    return box;
  }

  key(event, id) {
    if (event.key !== "Enter" || event.target.type !== "radio") return;
    event.preventDefault();
    this.commit(id);
  }

  choose(id, n) {
    this.chosen[id] = n;
    const box = this.root.querySelector(`[data-ask="${id}"]`);
    mark(box, n);
    box.querySelector('[data-act="commit"]').disabled = false;
  }

  commit(id) {
    if (this.chosen[id] !== undefined) this.say("fill", { ask: id, choice: this.chosen[id] });
  }

  task() {
    const { task, labels: l, lang, lesson } = this.data;
    if (!task) return null;
    const area = el("textarea", { id: "program", rows: Math.max(8, task.start.split("\n").length + 3), spellcheck: "false", autocapitalize: "off", autocomplete: "off", lang: "en",
      oninput: () => { this.drafts[lesson] = area.value; } });
    area.value = this.drafts[lesson] ?? task.program;
    return el("section", { class: "card task", "aria-label": l.your_turn }, el("label", { for: "program" }, l.your_program), area,
      el("div", { class: "act" }, el("button", { type: "button", class: "primary", "data-act": "try", onclick: () => this.say("try", { program: area.value }) }, l.check),
        el("button", { type: "button", "data-act": "reset", onclick: () => { area.value = task.start; this.drafts[lesson] = task.start; area.focus(); } }, l.start_over),
        task.solution ? null : el("button", { type: "button", class: "link", "data-act": "show", onclick: () => this.say("show") }, l.show_one)),
      task.told ? el("div", { class: "told", role: "status", tabindex: "-1" }, el("p", null, el("span", { class: `sign ${task.told.reached ? "hit" : "miss"}` }, glyph(task.told.reached ? TICK : CROSS)), " ",
        el("b", null, rich(task.told.text, lang))), task.told.link ? el("a", { href: task.told.link, target: "_self" }, l.workbench) : null) : null,
      task.solution ? el("div", { class: "solution", tabindex: "-1" }, el("h2", null, l.one_way), el("pre", { class: "program", lang: "en" }, task.solution)) : null);
  }

  shown() {
    const { data } = this;
    if (!data.figures.length || !this.pinOrStart()) return null;
    const [index, at] = this.pin;
    const figure = data.figures[index] || data.figures[0];
    this.figure = new Figure(data.labels, data.lang);
    this.figure.show(figure.payload, at, figure.title);
    return this.figure.root;
  }

  pinOrStart() {
    if (!this.pin || !this.data.figures[this.pin[0]]) this.pin = this.data.start;
    return this.pin;
  }

  say(act, more = {}) {
    this.tell({ act, lesson: this.data.lesson, part: this.data.part, ...more });
  }
}
