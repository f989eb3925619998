// The quiz: one question at a time, and what became of the answer. Before a commitment the data
// holds no answer, so there is none to find.

class Quiz {
  constructor(root, tell) {
    this.root = root;
    this.tell = tell;
    this.figures = [];
    root.onkeydown = (event) => this.key(event);
  }

  show(data) {
    const fresh = this.data?.asked?.id !== data.asked.id || Boolean(this.data?.told) !== Boolean(data.told);
    const first = !this.data;
    if (this.data?.asked?.id !== data.asked.id) {
      this.choice = null;
      this.sure = null;
    }
    this.data = data;
    this.root.dataset.theme = data.theme;
    this.root.lang = data.lang === "zh" ? "zh-CN" : "en";
    this.root.dataset.item = data.asked.id;
    this.draw();
    if (fresh && !first) this.root.querySelector("h1")?.focus();
  }

  draw() {
    const { data } = this;
    const main = el("div", { class: "main" }, this.line(), data.told ? this.feedback() : this.question());
    this.root.querySelector(".body").replaceChildren(main, this.rail());
  }

  line() {
    const { asked, labels: l, number } = this.data;
    const parts = [l.number.replace("{n}", number + 1), asked.kind_text, asked.concept_text, l.level.replace("{n}", asked.level), l.timer];
    return el("p", { class: "line" }, parts.flatMap((part, n) => [n ? el("span", { "aria-hidden": "true" }, "·") : null, el("span", null, words(part, this.data.lang))]));
  }

  // --- before -----------------------------------------------------------------------------------

  question() {
    const { asked, labels: l, lang } = this.data;
    return [
      el("h1", { tabindex: "-1", id: "question" }, rich(asked.question, lang)),
      this.given(),
      el("div", { class: columns(asked.options), role: "radiogroup", "aria-labelledby": "question" }, asked.options.map((text, n) =>
        option({ group: "answer", n, text, chosen: this.choice === n, lang, choose: (chosen) => this.choose(chosen), hint: true }))),
      el("div", { class: "act" },
        el("button", { type: "button", class: "primary", "data-act": "commit", disabled: this.choice === null, onclick: () => this.commit() }, l.commit),
        el("fieldset", { class: "seg" }, el("legend", { class: "hidden" }, l.confidence), ["unsure", "sure"].map((name) =>
          el("label", { class: this.sure === name ? "on" : null }, el("input", { type: "radio", name: "sure", value: name, checked: this.sure === name,
            onchange: () => this.confide(name) }), l[name]))),
        el("button", { type: "button", class: "link", "data-act": "skip", onclick: () => this.say("skip") }, l.skip)),
    ];
  }

  given() {
    const { asked, labels: l } = this.data;
    const rows = asked.requests.map((row) => el("tr", { class: row.asked ? "now" : null, "data-request": row.n },
      el("td", { class: "t3" }, String(row.n)), el("th", { scope: "row", lang: "en" }, row.op),
      el("td", { lang: "en" }, tensors(row.reads), row.makes.length ? el("span", { class: "ar" }, " → ") : null, tensors(row.makes), row.sizes ? el("span", { class: "t3" }, ` ${row.sizes}`) : null)));
    const list = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": l.requests }, el("table", null,
      el("thead", { class: "hidden" }, el("tr", null, ["number", "op", "tensors"].map((name) => el("th", { scope: "col" }, l[`column_${name}`])))), el("tbody", null, rows)));
    queueMicrotask(() => {
      const asked_row = list.querySelector(".now");
      if (asked_row) list.scrollTop = asked_row.offsetTop - list.clientHeight / 2;
    });
    return el("div", { class: "card given" },
      el("div", null, el("h2", null, l.program), el("pre", { class: "program", lang: "en" }, asked.program)),
      el("div", null, el("h2", null, l.requests, " ", el("span", { class: "t3" }, l.requests_help)), list,
        el("p", { class: "t3 key" }, el("span", { class: "rw" }, l.status_rw), " ", el("span", { class: "ro" }, l.status_ro), " ", el("span", { class: "ni" }, l.status_ni))));
  }

  choose(n) {
    this.choice = n;
    mark(this.root, n);
    this.root.querySelector('[data-act="commit"]').disabled = false;
  }

  confide(name) {
    this.sure = name;
    for (const label of this.root.querySelectorAll(".seg label")) label.classList.toggle("on", label.querySelector("input").value === name);
  }

  commit() {
    if (this.choice !== null && !this.data.told) this.say("commit", { choice: this.choice, sure: this.sure });
  }

  key(event) {
    if (this.data.told || event.ctrlKey || event.metaKey || event.altKey || this.root.querySelector("select:focus")) return;
    const n = Number(event.key) - 1;
    if (n >= 0 && n < this.data.asked.options.length) {
      event.preventDefault();
      this.choose(n);
    } else if (event.key === "Enter" && event.target.matches?.('input[name="answer"]')) {
      event.preventDefault();
      this.commit();
    }
  }

  // --- after ------------------------------------------------------------------------------------

  feedback() {
    const { told, labels: l, lang } = this.data;
    const [path, tone] = { right: [TICK, "hit"], not_yet: [CROSS, "miss"], skipped: [DOTS, "defer"] }[told.verdict];
    return [
      el("div", { class: "verdict", role: "status" }, el("span", { class: `sign ${tone}` }, glyph(path, 14)), el("h1", { tabindex: "-1" }, rich(told.headline, lang))),
      el("div", { class: "card two" },
        el("div", null, el("h2", null, l.engine), told.ledger.length ? this.ledger() : el("p", null, rich(told.because, lang))),
        told.belief ? el("div", null, el("h2", null, el("span", { class: "badge miss" }, glyph(CROSS, 10), l.your_rule), " ", words(told.belief.title, lang)),
          el("p", null, rich(told.belief.rule, lang)), el("p", { class: "t2" }, rich(told.belief.truth, lang))) : this.others(true)),
      el("div", { class: "act" },
        el("button", { type: "button", class: "primary", "data-act": "next", onclick: () => this.say("next") }, l.next),
        el("button", { type: "button", "data-act": "variant", onclick: () => this.say("variant") }, l.variant),
        told.link ? el("a", { class: "button", href: told.link, target: "_self" }, l.workbench) : null),
      this.happen(),
      told.belief && told.others.length ? el("div", { class: "card" }, this.others(false)) : null,
      el("details", null, el("summary", null, l.again), el("p", null, rich(this.data.asked.question, lang)),
        el("ul", null, this.data.asked.options.map((text) => el("li", null, rich(text, lang)))), this.given()),
    ];
  }

  others(alone) {
    const { told, labels: l, lang } = this.data;
    if (!told.others.length) return null;
    return el("div", { class: alone ? null : "others" }, el("h2", null, l.others), el("ul", null, told.others.map((other) =>
      el("li", null, el("b", null, rich(other.option, lang)), " ", el("span", { class: "t2" }, words(other.rule, lang))))));
  }

  ledger() {
    const { told, labels: l } = this.data;
    return told.ledger.map((part) => el("table", { class: "ledger" },
      el("thead", null, el("tr", null, ["", l.one_by_one, l.fused, l.saved, l.points].map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", null,
        el("tr", null, el("th", { scope: "row" }, l.reads), part.reads.map((n) => el("td", null, String(n))), el("td", { rowspan: "2", class: "sum" }, part.access)),
        el("tr", null, el("th", { scope: "row" }, l.writes), part.writes.map((n) => el("td", null, String(n)))),
        el("tr", null, el("th", { scope: "row" }, l.launches), part.launches.map((n) => el("td", null, String(n))), el("td", { class: "sum" }, part.launch)),
        part.view ? el("tr", null, el("th", { scope: "row" }, l.views), el("td", { colspan: "3" }), el("td", { class: "sum" }, part.view)) : null,
        part.bonus ? el("tr", null, el("th", { scope: "row" }, l.bonus), el("td", { colspan: "3" }), el("td", { class: "sum" }, part.bonus)) : null),
      el("tfoot", null, el("tr", null, el("th", { scope: "row", colspan: "4" }, l.score), el("td", { class: "sum" }, part.total)))));
  }

  happen() {
    const { told, labels: l, lang } = this.data;
    const sides = told.figures.map((figure) => {
      const shown = new Figure(l, lang);
      shown.show(figure.payload, figure.at, figure.title);
      return shown.root;
    });
    return [el("h2", { class: "happen" }, told.happen), el("div", { class: sides.length > 1 ? "figures both" : "figures" }, sides)];
  }

  // --- beside -----------------------------------------------------------------------------------

  rail() {
    const { rail, labels: l } = this.data;
    return el("aside", { class: "rail", "aria-label": l.concepts }, el("h2", null, l.concepts, " ", el("span", { class: "t3" }, rail.count)),
      el("ul", null, rail.concepts.map((row) => el("li", { class: row.now ? "now" : null },
        el("span", null, words(row.name, this.data.lang)), row.due ? el("span", { class: "badge defer" }, l.due) : null,
        el("span", { class: "pips", role: "img", "aria-label": row.filled_text }, [0, 1, 2].map((n) => el("i", { class: n < row.filled ? "full" : null })))))),
      el("p", { class: "t3" }, words(rail.note, this.data.lang)));
  }

  say(act, more = {}) {
    this.tell({ act, item: this.data.asked.id, ...more });
  }
}
