// What the class sees on the wall: the code to join by, the question, the votes, the truth.

class Audience {
  constructor(root, words, page) {
    Object.assign(this, { root, words, page });
    const key = keyOf(page.room, "teacher");
    if (!key) return page.enter("door", null, "not_here");
    this.link = Link.to(page.room, key.token, page.view === "screen" ? "screen" : "teacher");
    this.head = h("p", { class: "head" });
    this.body = h("div", { class: "stage" });
    this.lost = h("p", { class: "lost", role: "status" }, words.say("lost"));
    put(root, h("div", { class: "wall" }, this.lost, this.head, this.body));
    this.company = new Company(this.link, true, () => {});
    this.off = this.link.on((state) => this.paint(state));
    this.clock = setInterval(() => this.tick(), 500);
    this.paint(this.link.state);
  }

  close() {
    clearInterval(this.clock);
    this.off?.();
    this.company?.close();
  }

  paint(state) {
    const { room, live, gone } = state;
    this.lost.hidden = live !== false || Boolean(gone);
    if (gone) return this.page.enter("door", null, "not_here");
    if (!room) return;
    if (room.ended) this.message(room);
    else if (room.poll) this.poll(room);
    else if (room.showing.program) this.player(room);
    else this.lobby(room);
  }

  shows(mode, program = null) {
    this.root.dataset.mode = mode;
    this.page.tell({ view: this.page.view, room: this.page.room, mode, program, gate: null });
  }

  join(room) {
    const [before, after] = this.words.say("code_now", { pin: "\n" }).split("\n");
    return [before, h("b", { class: "mono" }, grouped(room.pin)), after];
  }

  headline(...parts) {
    put(this.head, parts.filter(Boolean).map((part, n) => [n ? " · " : "", part]));
  }

  message(room) {
    this.built = "ended";
    this.headline();
    put(this.body, [h("h1", {}, this.words.say("ended_title")), h("p", {}, this.words.say("ended_text"))]);
    this.shows("ended");
  }

  player(room) {
    this.built = "player";
    this.headline(this.words.say("here", { n: room.joined }), this.join(room));
    put(this.body, []);
    this.shows("player", room.showing.program);
  }

  lobby(room) {
    const { words } = this;
    const name = `lobby ${room.pin}`;
    if (this.built !== name) {
      this.built = name;
      const address = `${location.host}${location.pathname}`;
      this.count = h("p", { class: "count", role: "status" });
      this.code = h("div", { class: "code-square" });
      put(this.body, [h("div", { class: "lobby" },
        h("div", {}, h("h1", { class: "plain" }, words.say("address", { address })), h("p", { class: "pin mono" }, grouped(room.pin)), h("p", { class: "t2" }, words.say("scan"))), this.code), this.count]);
      this.square(room);
    }
    this.headline();
    this.count.textContent = words.say("here", { n: room.joined });
    this.shows("lobby");
  }

  async square(room) {
    const text = `${location.origin}${location.pathname}?room=${room.key}`;
    const { status, data } = await this.link.ask("POST", "/qr", { text }, patient());
    if (status === 200) put(this.code, square(data, this.words.say("scan")));
  }

  poll(room) {
    const { poll } = room;
    const name = `poll ${poll.number}`;
    if (this.built !== name) this.build(poll, name);
    const stage = poll.stage === "voting" ? this.words.say("round", { n: poll.round }) : poll.stage === "talking" ? h("span", { class: "timer" }) : this.words.say("closed_now", { n: poll.round });
    const voted = poll.stage === "talking" ? null : this.words.say("voted", { n: room.voted, all: room.joined });
    this.headline(stage, voted, this.join(room));
    this.rows.forEach((row, n) => this.row(row, poll, n));
    this.legend.hidden = !(poll.counts?.length > 1);
    this.root.toggleAttribute("data-counted", Boolean(poll.counts));
    put(this.because, poll.truth ? marked(this.words.of(poll.truth.because)) : null);
    this.shows("poll");
    this.tick();
  }

  build(poll, name) {
    const { words } = this;
    this.built = name;
    this.rows = poll.options.map((option, n) => h("div", { class: "hr" },
      h("span", { class: "L" }, LETTERS[n]), h("span", { class: "v" }, marked(words.of(option))), h("span", { class: "bars" }), h("span", { class: "mk" })));
    this.legend = h("div", { class: "key" }, [1, 2].map((n) => h("span", {}, h("i", { class: `b r${n}` }), words.say(`round_${n}`))));
    this.because = h("p", { class: "because", role: "status" });
    const text = words.of(poll.text);
    const beside = poll.code.split("\n").length > 2;
    const asked = h("div", { class: beside ? "asked beside" : "asked" }, h("h1", { class: lengthOf(text) }, marked(text)), poll.code ? h("pre", {}, poll.code) : null);
    put(this.body, [asked, h("div", { class: "rows" }, this.rows), this.legend, this.because]);
  }

  row(row, poll, n) {
    const [, , bars, mk] = row.children;
    const right = poll.truth?.answer === n;
    row.classList.toggle("ok", right);
    put(bars, poll.counts ? results(this.words, poll.counts, n) : null);
    put(mk, right ? h("span", { class: "bdg hit" }, tick(), this.words.say("engine")) : null);
  }

  tick() {
    const poll = this.link.state.room?.poll;
    const timer = this.head.querySelector(".timer");
    if (!timer || poll?.stage !== "talking") return;
    const left = poll.talk_ends === null ? "" : ` ${minutes(this.link.until(poll.talk_ends))}`;
    timer.textContent = this.words.say("talk_now") + left;
  }
}
