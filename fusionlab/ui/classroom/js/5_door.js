// The way in: open a room, join one, or go back to one that this browser holds a key of.

class Door {
  constructor(root, words, page) {
    Object.assign(this, { root, words, page });
    this.code = h("input", { class: "field mono", id: "room-code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: "12", required: true, "aria-describedby": "room-code-help" });
    this.name = h("input", { class: "field", id: "room-name", autocomplete: "nickname", maxlength: "40", "aria-describedby": "room-name-help" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.build();
  }

  build() {
    const { words, page } = this;
    const known = page.code ? keyByCode(page.code) : null;
    if (known) return page.enter("student", known.room);
    this.code.value = page.code && page.code.length <= 8 ? page.code : "";
    const help = (key) => h("small", { id: `room-${key}-help` }, words.say(`${key}_help`));
    const field = (key, input) => h("label", { for: `room-${key}` }, words.say(key), input, help(key));
    this.button = h("button", { class: "btn pri", type: "submit" }, words.say("join"));
    const form = h("form", { class: "join", onsubmit: (event) => this.join(event) },
      h("h2", {}, words.say("join_title")),
      page.code ? null : field("code", this.code), field("name", this.name), this.button, this.problem);
    put(this.root, page.code ? h("div", { class: "door one" }, form) : h("div", { class: "door" }, this.opening(), form));
    if (page.notice) this.problem.textContent = words.say(page.notice);
  }

  opening() {
    const { words } = this;
    const mine = keys().slice(0, 3).map((key) => h("button", { class: "btn", type: "button", onclick: () => this.page.enter(key.role, key.room) }, words.say("resume", { pin: grouped(key.pin) })));
    this.opener = h("button", { class: "btn pri", type: "button", onclick: () => this.open() }, words.say("open"));
    return h("div", { class: "open" }, h("h1", {}, words.say("title")), h("p", {}, words.say("lead")), this.opener, mine);
  }

  async open() {
    const own = token();
    this.waits(this.opener, "opening");
    const { status, data } = await ask("POST", "/open", "", { token: own }, (code, values) => this.delayed(code, values));
    this.waits(this.opener, "open", false);
    if (status !== 201) return this.refused(data);
    remember({ room: data.room, role: "teacher", token: own, pin: data.pin });
    this.page.enter("teacher", data.room);
  }

  async join(event) {
    event.preventDefault();
    const code = this.page.code || this.code.value.trim();
    // The same secret for every attempt, so that a lost answer does not seat somebody twice.
    this.secret ??= token();
    this.waits(this.button, "joining");
    const { status, data } = await ask("POST", "/join", "", { token: this.secret, code, name: this.name.value }, (why, values) => this.delayed(why, values));
    this.waits(this.button, "join", false);
    if (status !== 201) return this.refused(data);
    remember({ room: data.room, role: "student", token: this.secret, pin: data.pin, code });
    this.page.enter("student", data.room);
  }

  waits(button, key, waiting = true) {
    button.disabled = waiting;
    button.textContent = this.words.say(key);
    if (waiting) this.problem.textContent = "";
  }

  // Somebody who is told to wait is not kept waiting without a word.
  delayed(code, values) {
    if (code === "too_many") return false;
    this.problem.textContent = this.words.problem(code, values);
    return true;
  }

  refused(data) {
    this.problem.textContent = this.words.problem(data.code, data);
    (this.page.code ? this.button : this.code).focus();
  }

  close() {}
}
