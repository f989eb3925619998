// What only the teacher sees: where the vote is, what to say next, and the buttons. On a phone the
// same is the remote.

const TALK_MINUTES = 2;

class Presenter {
  constructor(root, words, page) {
    Object.assign(this, { root, words, page });
    const key = keyOf(page.room, "teacher");
    if (!key) return page.enter("door", null, "not_here");
    this.link = Link.to(page.room, key.token, "teacher");
    const parts = ["steps", "phases", "next", "problem", "main", "deck", "people", "more"];
    this.parts = Object.fromEntries(parts.map((name) => [name, h("div", { class: name, ...(name === "problem" && { role: "alert" }) })]));
    const remote = page.view === "remote";
    const top = remote ? h("header", { class: "top" }, mark(), h("span", {}, words.say("remote_done")), h("b", { class: "mono" }, grouped(key.pin))) : h("div", {}, h("b", {}, words.say("presenter")), h("p", { class: "t2" }, words.say("not_projected")));
    this.lost = h("p", { class: "lost", role: "status" }, words.say("lost"));
    const { steps, phases, next, problem, main, deck, people, more } = this.parts;
    put(root, h("div", { class: remote ? "desk phone" : "desk" }, top, this.lost, phases, next, steps, problem, main, deck, people, more));
    this.off = this.link.on((state) => this.paint(state));
    this.clock = setInterval(() => this.tick(), 500);
    page.tell({ view: page.view, room: page.room, token: key.token });
    this.paint(this.link.state);
  }

  close() {
    clearInterval(this.clock);
    this.off?.();
  }

  paint(state) {
    const { room, live, gone } = state;
    this.lost.hidden = live !== false || Boolean(gone);
    if (gone) return this.page.enter("door", null, "not_here");
    if (!room) return;
    this.page.tell({ view: this.page.view, room: this.page.room, token: this.link.token, program: room.showing.program, open: Boolean(room.poll), ended: room.ended });
    this.phases(room.poll);
    this.say(room);
    this.stepping(state);
    this.buttons(room);
    this.list(room);
    this.crowd(room);
    this.extras(room);
    this.tick();
  }

  // Parts are drawn anew only when they differ, so that a button keeps its focus.
  draw(name, sign, children) {
    const part = this.parts[name];
    const seen = JSON.stringify(sign);
    if (part.seen === seen) return;
    part.seen = seen;
    put(part, children());
  }

  phases(poll) {
    const { words } = this;
    const now = !poll ? -1 : poll.stage === "revealed" ? 3 : poll.round === 2 ? 2 : poll.stage === "voting" ? 0 : 1;
    this.draw("phases", now, () => (poll ? ["phase_alone", "phase_talk_minutes", "phase_again", "phase_reveal"].map((key, n) =>
      h("div", { class: n < now ? "dn" : n === now ? "on" : "", "aria-current": n === now ? "step" : null }, h("i"), words.say(key, { n: TALK_MINUTES }))) : null));
  }

  say(room) {
    const lines = this.advice(room).map(([key, values]) => this.words.say(key, values));
    this.draw("next", lines, () => [h("b", {}, this.words.say("say_next")), lines.map((line) => h("p", { class: "t2" }, line)), room.poll?.stage === "talking" ? h("p", { class: "timer" }) : null]);
  }

  advice({ poll, voted, joined, showing, closed, ended }) {
    if (ended) return [["ended_teacher"]];
    if (!poll) return [[showing.program ? "say_step" : "say_lobby"]];
    if (poll.stage === "voting") return [[poll.round === 1 ? "say_alone" : "say_again"], ["say_close", { n: voted, all: joined }]];
    if (poll.stage === "talking") return [["say_talk"]];
    const all = closed.of.at(-1);
    if (!all) return [["say_none"]];
    if (poll.stage === "closed" && poll.round === 1) {
      const share = closed.right[0] / all;
      return [[share > 0.8 ? "say_high" : share < 0.3 ? "say_low" : "say_middle", { n: closed.right[0], all }]];
    }
    const told = closed.right.length > 1 ? ["say_truth", { n: closed.right[1], all, before: closed.right[0] }] : ["say_truth_once", { n: closed.right[0], all }];
    return [told, ...this.common(closed)];
  }

  common({ common, of }) {
    if (!common.votes || !common.rule) return [];
    return [["say_common", { n: common.votes, all: of[0], option: LETTERS[common.option], reason: this.words.of(common.rule) }]];
  }

  // The remote's own: one step back, one on, at the level of the teacher's window.
  stepping({ room, place }) {
    const { stops } = this.page;
    if (this.page.view !== "remote") return;
    const here = place && room && place.showing === room.showing.number ? place : { step: 0, level: 1 };
    const list = stops?.[here.level] ?? [];
    const at = Math.max(0, list.findLastIndex((stop) => stop <= here.step));
    const shown = Boolean(room.showing.program) && !room.poll;
    this.draw("steps", [shown, at, list.length], () => (shown ? [
      h("button", { class: "btn", type: "button", disabled: at === 0, "aria-label": this.words.say("back"), onclick: () => this.step(list[at - 1], here.level) }, "◀"),
      h("span", { role: "status" }, this.words.say("step", { n: at, all: Math.max(0, list.length - 1) })),
      h("button", { class: "btn pri", type: "button", disabled: at >= list.length - 1, "aria-label": this.words.say("next"), onclick: () => this.step(list[at + 1], here.level) }, "▶"),
    ] : null));
  }

  async step(step, level) {
    const { number } = this.link.state.room.showing;
    this.told(await this.link.ask("POST", "/step", { showing: number, step, level, by: ME }, patient()));
  }

  // --- the buttons of each stage -------------------------------------------------------------------

  buttons(room) {
    const offered = this.offered(room);
    this.draw("main", [offered.map(([key, values]) => [key, values]), room.seq], () => offered.map(([key, values, act, disabled], n) =>
      h("button", { class: n ? "btn" : "btn pri", type: "button", disabled, onclick: () => this.press(act) }, this.words.say(key, values))));
  }

  offered({ poll, deck, ended }) {
    const move = (name, args) => () => this.link.move(name, args);
    if (ended) return [];
    if (!poll) return [["ask_next", {}, move("ask"), !deck.length]];
    const reveal = ["reveal", {}, move("reveal")];
    const again = ["again", {}, move("again")];
    const away = ["put_away", {}, move("finish")];
    if (poll.stage === "voting") return [["close", {}, move("close")], away];
    if (poll.stage === "talking") return [again, ["more_time", {}, move("extend", { seconds: 60 })], ...(poll.talk_ends ? [["no_timer", {}, move("stop_timer")]] : []), reveal];
    if (poll.stage === "revealed") return this.afterwards(poll, deck, move);
    const shown = poll.counts ? [] : [["show_result", {}, move("show_result")]];
    if (poll.round === 2) return [reveal, away];
    return [["talk", { n: TALK_MINUTES }, move("talk", { seconds: 60 * TALK_MINUTES })], again, ...shown, reveal, away];
  }

  afterwards(poll, deck, move) {
    const { step, position } = poll.truth;
    const show = step !== null && poll.program ? [["show_at", { n: position ?? step }, () => this.show(poll)]] : [];
    const next = deck.length ? [["next_question", {}, async () => this.then(await this.link.move("finish"), "ask")]] : [];
    return [...show, ...next, ["put_away", {}, move("finish")]];
  }

  // Put the question away, put its program on the wall, and go to the step that shows the truth.
  async show(poll) {
    const { program } = this.link.state.room.showing;
    let done = await this.link.move("finish");
    if (program !== poll.program && done.status === 200) done = await this.link.move("show", { program: poll.program, seq: done.data.seq });
    if (done.status !== 200) return done;
    await this.seen(done.data.seq);
    const { number } = this.link.state.room.showing;
    return this.link.ask("POST", "/step", { showing: number, step: poll.truth.step, level: 1, by: "reveal" }, patient());
  }

  then(done, move) {
    return done.status === 200 ? this.link.move(move, { seq: done.data.seq }) : done;
  }

  // Wait until this window knows of a move, a few seconds at most.
  async seen(seq) {
    for (let n = 0; n < 60 && this.link.state.room.seq < seq; n++) await pause(50);
  }

  async press(act) {
    this.parts.problem.textContent = "";
    for (const button of this.parts.main.children) button.disabled = true;
    const done = await act();
    this.parts.main.seen = null;
    this.paint(this.link.state);
    this.told(done);
  }

  told(done) {
    if (done && done.status >= 400 && done.data.code !== "stale") this.parts.problem.textContent = this.words.problem(done.data.code, done.data);
    if (done && !done.status) this.parts.problem.textContent = this.words.say("error");
    return done;
  }

  // --- what is prepared, who is here, and the rest ---------------------------------------------------

  list({ deck, poll, ended, seq }) {
    if (this.page.view === "remote" && !deck.length) return this.draw("deck", 0, () => null);
    this.draw("deck", [deck, Boolean(poll), ended, seq], () => (ended ? null : [
      h("b", {}, deck.length ? this.words.say("deck", { n: deck.length }) : this.words.say("no_deck")),
      h("ol", {}, deck.map((one) => h("li", {}, h("span", {}, marked(this.words.of(one.text))),
        h("button", { class: "link", type: "button", disabled: Boolean(poll), onclick: () => this.press(() => this.link.move("ask", { question: one.id })) }, this.words.say("ask_this")),
        h("button", { class: "link", type: "button", onclick: () => this.press(() => this.link.move("discard", { question: one.id })) }, this.words.say("discard"))))),
    ]));
  }

  crowd({ people, locked, ended }) {
    const { words } = this;
    const kick = (one) => () => this.press(() => this.link.ask("DELETE", `/people/${one.id}`, null, patient()));
    this.draw("people", [people, locked, ended], () => h("details", { open: this.open_people, ontoggle: (event) => (this.open_people = event.target.open) },
      h("summary", {}, h("b", {}, words.say("people")), ` ${people.length}`),
      locked ? h("p", { class: "t2" }, words.say("locked")) : null,
      people.length ? h("ul", {}, people.map((one) => h("li", {}, h("span", {}, `${one.number} `, one.name || h("i", { class: "t3" }, words.say("unnamed"))), ended ? null : h("button", { class: "link", type: "button", onclick: kick(one) }, words.say("send_out"))))) : h("p", { class: "t2" }, words.say("nobody")),
      ended ? null : h("button", { class: "btn", type: "button", onclick: () => this.press(() => this.link.move(locked ? "unlock" : "lock")) }, words.say(locked ? "unlock" : "lock"))));
  }

  extras({ ended, asked, showing }) {
    const { words } = this;
    const button = (key, act) => h("button", { class: "btn", type: "button", onclick: act }, words.say(key));
    const wide = this.page.view !== "remote";
    this.draw("more", [ended, asked > 0, Boolean(showing.program)], () => h("details", { open: ended || this.open_more, ontoggle: (event) => (this.open_more = event.target.open) },
      h("summary", {}, h("b", {}, words.say("more"))),
      showing.program && !ended ? button("show_code", () => this.press(() => this.link.move("show", { program: "" }))) : null,
      wide && !ended ? [button("projector", () => window.open(`${location.pathname}?screen=${this.page.room}`, "_blank", "noopener")), button("remote", () => this.pair()), (this.pairing = h("div", { class: "pairing" }))] : null,
      asked ? [button("save_csv", () => this.save("csv")), button("save_json", () => this.save("json"))] : null,
      ended ? null : h("button", { class: "btn", type: "button", onclick: (event) => this.finish(event.target) }, words.say("end"))));
  }

  finish(button) {
    if (button.dataset.sure) return this.press(() => this.link.move("end"));
    button.dataset.sure = "yes";
    button.textContent = this.words.say("end_sure");
  }

  async pair() {
    const made = this.told(await this.link.ask("POST", "/pairing", {}, patient()));
    if (made.status !== 201) return;
    // Behind the hash: that part of an address is never sent to a server.
    const text = `${location.origin}${location.pathname}?remote=${this.page.room}#${made.data.code}`;
    const code = this.told(await this.link.ask("POST", "/qr", { text }, patient()));
    if (code.status !== 200) return;
    put(this.pairing, [square(code.data, this.words.say("remote")), h("p", { class: "t2" }, this.words.say("remote_help")),
      h("button", { class: "btn", type: "button", onclick: () => put(this.pairing, []) }, this.words.say("done"))]);
  }

  async save(kind) {
    const path = `${API}/${this.page.room}/results?as=${kind}&lang=${this.words.lang}`;
    const answer = await fetch(path, { headers: { authorization: `Bearer ${this.link.token}` }, cache: "no-store" }).catch(() => null);
    if (!answer?.ok) return this.told({ status: answer?.status ?? 0, data: { code: "store_unavailable" } });
    const link = h("a", { href: URL.createObjectURL(await answer.blob()), download: `fusionlab-${this.link.state.room.pin}.${kind}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  tick() {
    const poll = this.link.state.room?.poll;
    const timer = this.parts?.next.querySelector(".timer");
    if (!timer || poll?.stage !== "talking") return;
    const left = poll.talk_ends === null ? null : this.link.until(poll.talk_ends);
    timer.textContent = left === null ? "" : left > 0 ? this.words.say("timer", { time: minutes(left) }) : this.words.say("timer_over");
  }
}
