// A student's phone: the question with its answers, or the teacher's step, or a word about why not.

class Student {
  constructor(root, words, page) {
    Object.assign(this, { root, words, page, looking: false, changing: false, pending: null });
    const key = keyOf(page.room, "student");
    if (!key) return page.enter("door", null);
    this.link = Link.to(page.room, key.token, "student");
    this.parts = {
      where: h("span"), pin: h("b", { class: "mono" }), lost: h("p", { class: "lost", role: "status" }, words.say("lost")),
      free: h("button", { class: "btn", type: "button", onclick: () => (this.looking ? this.lookAt() : this.company.wander(!this.company.alone)) }),
      main: h("div", { class: "body" }), foot: h("p", { class: "foot", role: "status" }),
    };
    const { where, pin, lost, free, main, foot } = this.parts;
    put(root, h("div", { class: "phone" }, h("header", { class: "top" }, mark(), where, free, pin), lost, main, foot));
    this.parts.pin.textContent = grouped(key.pin);
    this.company = new Company(this.link, false, () => this.paint(this.link.state));
    this.off = this.link.on((state) => this.paint(state));
    this.clock = setInterval(() => this.tick(), 500);
    this.paint(this.link.state);
  }

  close() {
    clearInterval(this.clock);
    this.off?.();
    this.company?.close();
  }

  get own() {
    return this.link.state.own ?? { votes: {} };
  }

  paint(state) {
    const { room, gone, live } = state;
    const { lost, foot, free } = this.parts;
    this.parts.main.hidden = false;
    lost.hidden = live !== false || !room || Boolean(gone);
    free.hidden = true;
    foot.textContent = "";
    if (gone) return this.leave(gone);
    if (!room) return this.shows("quiet", "waiting");
    if (room.ended) return this.message("ended", "ended_title", "ended_text");
    if (room.poll) return this.poll(room.poll);
    this.looking = false;
    if (room.showing.program) return this.follow(room);
    this.message("lobby", "you_are_in", "your_number", { n: this.own.number ?? "" });
  }

  // Tell the page what it has to draw below: nothing, or a program.
  shows(mode, where, values, program = null, gate = null) {
    const { parts, words, page } = this;
    parts.where.textContent = words.say(where, values);
    this.root.dataset.mode = mode;
    page.tell({ view: "student", room: page.room, mode: program === null ? "quiet" : "player", program, gate });
    return mode;
  }

  message(name, title, text, values = {}) {
    this.built = name;
    put(this.parts.main, [h("h1", {}, this.words.say(title)), h("p", {}, this.words.say(text, values))]);
    this.shows(name, name === "lobby" ? "waiting" : title, values);
  }

  leave(gone) {
    forget(this.page.room, "student");
    if (gone.why === "kicked") this.message("gone", "gone_title", "gone_text");
    else this.message("gone", "ended_title", "ended_text");
  }

  follow(room) {
    const { alone } = this.company;
    const { free, main } = this.parts;
    this.built = "player";
    put(main, []);
    free.hidden = false;
    free.className = alone ? "btn pri" : "btn";
    free.textContent = this.words.say(alone ? "return" : "explore");
    this.shows("player", alone ? "exploring" : "following", {}, room.showing.program);
  }

  // --- a question ------------------------------------------------------------------------------

  poll(poll) {
    const name = `poll ${poll.number}`;
    if (this.built !== name) this.build(poll, name);
    this.answers(poll);
    const look = this.looking && poll.gate !== null && poll.stage !== "revealed";
    this.look.hidden = !poll.program || poll.gate === null || poll.stage === "revealed";
    this.parts.main.hidden = look;
    this.parts.free.hidden = !look;
    if (look) this.parts.free.className = "btn pri";
    this.parts.free.textContent = this.words.say("look_back");
    this.feedback(poll);
    const [where, values] = this.stage(poll);
    this.shows(look ? "look" : "poll", where, values, look ? poll.program : null, look ? poll.gate : null);
    this.tick();
  }

  build(poll, name) {
    const { words } = this;
    Object.assign(this, { built: name, pending: null, changing: false, looking: false });
    this.options = poll.options.map((option, n) => h("button", { class: "so", type: "button", onclick: () => this.choose(n) },
      h("span", { class: "L" }, LETTERS[n]), h("span", { class: "text" }, marked(words.of(option))), h("span", { class: "bars" }), h("span", { class: "you" })));
    this.change = h("button", { class: "btn", type: "button", onclick: () => this.again() }, words.say("change"));
    this.look = h("button", { class: "btn", type: "button", onclick: () => this.lookAt() }, words.say("look"));
    this.told = h("div", { class: "told", role: "status" });
    put(this.parts.main, [
      h("h1", { id: "room-question", class: lengthOf(words.of(poll.text)) }, marked(words.of(poll.text))),
      poll.code ? h("pre", {}, poll.code) : null,
      h("div", { role: "group", "aria-labelledby": "room-question" }, this.options),
      h("div", { class: "cf" }, this.change, this.look), this.told,
    ]);
  }

  ballot(poll, round = poll.round) {
    return `${poll.number}/${round}`;
  }

  chosen(poll) {
    return this.pending?.ballot === this.ballot(poll) ? this.pending.choice : this.own.votes[this.ballot(poll)];
  }

  answers(poll) {
    const open = poll.stage === "voting";
    const own = this.chosen(poll) ?? (open ? undefined : this.own.votes[this.ballot(poll, 1)]);
    const settled = open && own !== undefined && !this.changing;
    this.options.forEach((option, n) => {
      const [, , bars, you] = option.children;
      const right = poll.truth?.answer === n;
      option.classList.toggle("on", n === own);
      option.classList.toggle("ok", right);
      dress(option, { "aria-pressed": String(n === own), disabled: !open || (settled && n !== own) });
      put(bars, poll.counts ? results(this.words, poll.counts, n) : null);
      put(you, [right ? h("span", { class: "bdg hit" }, tick(), this.words.say("engine")) : null, n === own ? [right ? null : tick(), this.words.say("your_vote")] : null]);
    });
    this.change.hidden = !open;
    this.change.disabled = !settled;
  }

  // What the phone says below: about the vote, and after the reveal about the answer.
  feedback(poll) {
    const { words } = this;
    const own = this.own.votes[this.ballot(poll)] ?? this.own.votes[this.ballot(poll, 1)];
    const sent = this.own.votes[this.ballot(poll)] !== undefined;
    const { truth } = poll;
    const lines = [];
    if (truth) {
      const values = { truth: words.of(poll.options[truth.answer]), own: words.of(poll.options[own]) };
      lines.push(h("b", {}, words.say(own === undefined ? "no_vote" : own === truth.answer ? "right" : "not_yet", values)));
      lines.push(h("p", {}, marked(words.of(truth.because))));
      if (own !== undefined && truth.rules[own]) lines.push(h("p", { class: "t2" }, words.say("your_rule", { reason: words.of(truth.rules[own]) })));
    }
    put(this.told, lines);
    const said = poll.stage === "voting" ? (this.pending ? "sending" : sent && !this.changing ? "counted" : "pick")
      : poll.stage === "talking" ? "talk_hint" : poll.stage === "closed" ? (sent ? "wait_result" : "missed") : null;
    this.parts.foot.textContent = said && !this.parts.main.hidden ? words.say(said) : "";
  }

  stage(poll) {
    if (poll.stage === "voting") return [poll.round === 1 ? "vote_alone" : "vote_again"];
    if (poll.stage === "talking") return ["talk_now"];
    return poll.stage === "revealed" ? ["revealed_now"] : ["closed_now", { n: poll.round }];
  }

  tick() {
    const poll = this.link.state.room?.poll;
    if (poll?.stage !== "talking") return;
    const left = poll.talk_ends === null ? "" : ` · ${minutes(this.link.until(poll.talk_ends))}`;
    this.parts.where.textContent = this.words.say("talk_now") + left;
  }

  again() {
    this.changing = true;
    this.paint(this.link.state);
    this.options[this.chosen(this.link.state.room.poll) ?? 0].focus();
  }

  lookAt() {
    this.looking = !this.looking;
    this.paint(this.link.state);
  }

  async choose(choice) {
    const { poll } = this.link.state.room;
    const ballot = this.ballot(poll);
    Object.assign(this, { pending: { ballot, choice }, changing: false });
    this.paint(this.link.state);
    const { status, data } = await this.link.vote(ballot, choice);
    // A newer tap has its own answer; this one is history.
    if (this.pending?.ballot !== ballot || this.pending.choice !== choice) return;
    this.pending = null;
    if (status === 200) this.own.votes[ballot] = choice;
    this.paint(this.link.state);
    if (status !== 200) this.parts.foot.textContent = this.words.problem(data.code, data);
  }
}

// The bars of one option, with the same said in words.
function results(words, counts, option) {
  const most = Math.max(1, ...counts.map((round) => round.reduce((a, b) => a + b, 0)));
  const bar = (round, n) => h("i", { class: `b r${n + 1}${round[option] ? "" : " none"}`, style: `inline-size:${(100 * round[option]) / most}%` });
  const [first, second] = counts.map((round) => round[option]);
  const said = words.say(counts.length > 1 ? "votes_for" : "votes_once", { option: LETTERS[option], first, second });
  return [h("span", { class: "bar", role: "img", "aria-label": said }, counts.map(bar)), h("span", { class: "n", "aria-hidden": "true" }, counts.length > 1 ? h("small", {}, String(first)) : null, String(second ?? first))];
}
