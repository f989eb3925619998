// The player: one object per mounted run. It holds the place and moves it; Python only hears of it.

const REPORT_AFTER = 250; // ms without a step
const SPEEDS = [0.25, 0.5, 1, 2, 4];
const BEAT = 1100; // ms per step at speed 1
const FAST = 140; // ms; steps closer than this are not animated
const MODES = ["present", "notes"];
const LEVELS = ["ops", "decisions", "comparisons"];

class Player {
  constructor(root, data, hooks) {
    Object.assign(this, { root, hooks, level: 1, at: 0, speed: 2, userZoom: 1, scale: 1, bookmarks: {}, past: [], future: [], watch: "", moved: 0, left: 0, top: 0 });
    this.pauseAt = new Set(["merge", "hit"]);
    this.canvas = document.createElement("canvas").getContext("2d");
    this.font = getComputedStyle(root).fontFamily;
    this.load(data);
    listen(this, hooks.signal);
  }

  $(selector) {
    return this.root.querySelector(selector);
  }

  all(selector) {
    return this.root.querySelectorAll(selector);
  }

  slot(name) {
    return this.$(`[data-s=${name}]`);
  }

  fill(name, ...kids) {
    put(this.slot(name), kids);
  }

  say(name, n, total) {
    return this.labels[name].replace("{n}", n).replace("{total}", total);
  }

  focused() {
    return this.root.getRootNode().activeElement;
  }

  measure(text, size) {
    this.canvas.font = `${size}px ${this.font}`;
    return this.canvas.measureText(text).width;
  }

  load(data) {
    const { run, labels } = data;
    const same = this.run?.run === run.run;
    Object.assign(this, { data, run, labels, steps: run.steps, columns: run.columns, seen: {} });
    this.stops = LEVELS.map((_, level) => run.steps.flatMap((step, i) => (step.level <= level ? [i] : [])));
    // The stop at which each level first shows a column.
    this.shown = this.stops.map((stops) => run.columns.map(({ born }) => stops.find((i) => i >= born) ?? last(stops)));
    chinese = run.lang === "zh";
    if (!same) this.restore();
    this.word();
    this.decorate();
    this.lines = run.program.map((text, n) => h("div", h("i", n + 1), h("span", text)));
    put(this.$(".code"), this.lines);
    this.fill("name", run.name);
    this.showTab(this.root.dataset.tab || "fusers");
    this.resize(true);
  }

  // The player's own words.
  word() {
    const { labels, root } = this;
    dress(root, { lang: chinese ? "zh-CN" : "en", "aria-label": labels.player });
    for (const node of this.all("[data-l]")) node.textContent = labels[node.dataset.l];
    for (const node of this.all("[data-a]")) node.setAttribute("aria-label", labels[node.dataset.a]);
    for (const node of this.all("[data-key]")) {
      const name = labels[node.dataset.l || node.dataset.do];
      dress(node, { "aria-label": !node.dataset.s && name, title: `${name} (${node.dataset.key})` });
    }
    const present = this.steps.map((_, i) => this.iconAt(i));
    for (const pick of this.all("[data-kind]")) Object.assign(pick, { hidden: !present.includes(pick.dataset.kind), title: labels.pause_here });
  }

  // Theme and bar: what may change without another run.
  decorate() {
    const { bar, theme } = this.data;
    const box = this.$(".bar");
    const [text, button] = box.children;
    this.root.dataset.theme = theme;
    this.root.toggleAttribute("data-dim", Boolean(bar?.dim));
    box.hidden = !bar;
    if (!bar) return;
    box.className = `bar ${bar.tone}`;
    put(text, rich(bar.text));
    put(button, bar.action);
    button.hidden = !bar.action;
  }

  // The first run starts where the address says, any other at its beginning.
  restore() {
    const query = new URLSearchParams(this.data.link && !this.restored ? location.search : "");
    this.restored = true;
    this.level = LEVELS.includes(query.get("level")) ? LEVELS.indexOf(query.get("level")) : 1;
    this.at = this.stops[this.level][this.clamp(Number.parseInt(query.get("step"), 10) || this.data.start || 0)] ?? 0;
    const mode = query.get("mode");
    if (MODES.includes(mode)) this.root.dataset.mode = mode;
    for (const [, n, step] of (query.get("marks") || "").matchAll(/([1-9])\.(\d+)/g)) this.bookmarks[n] = Math.min(step, this.steps.length - 1);
  }

  showTab(name) {
    this.root.dataset.tab = name;
    for (const tab of this.all("[data-tab]")) tab.setAttribute("aria-selected", tab.dataset.tab === name);
  }

  toggleTable() {
    const table = this.$(".table");
    table.hidden = !table.hidden;
    this.$(".twin").setAttribute("aria-pressed", !table.hidden);
    paintTable(this, this.at);
    settle();
  }

  resize(force) {
    const { root } = this;
    const present = root.dataset.mode === "present";
    this.phone = innerWidth <= 640 && !present;
    this.scale = present ? Math.max(1, Math.min(innerWidth / 1116, innerHeight / 628)) : 1;
    this.zoom = this.scale * this.userZoom;
    root.style.setProperty("--fl-k", this.scale);
    root.classList.toggle("narrow", !this.phone && !present && root.clientWidth < 1160);
    const { clientWidth, clientHeight } = this.$(".stage");
    this.box = { clientWidth, clientHeight };
    const size = [root.clientWidth, clientWidth, clientHeight, this.zoom].join();
    if (!force && size === this.size) return;
    this.size = size;
    if (force) buildStage(this);
    else layStage(this);
    buildTime(this);
    this.paint(false);
  }

  viewWidth() {
    return (this.box.clientWidth - (this.phone ? 0 : GUTTER * this.scale)) / this.zoom;
  }

  view() {
    const left = this.left / this.zoom;
    return [left, left + this.viewWidth()];
  }

  // In view, or near enough to be scrolled there: a long run is drawn only around the reader.
  near(from, to = from) {
    const [left, right] = this.view();
    return this.x[to].end > left - 2000 && this.x[from].x < right + 2000;
  }

  // The place is kept here too: asking the browser for it in the middle of a step costs a layout.
  scroll(side, to) {
    const most = side === "left" ? this.width - this.viewWidth() : this.height - this.box.clientHeight / this.zoom;
    this[side] = Math.max(0, Math.min(to, most)) * this.zoom;
    after.push(() => this.$(".stage").scrollTo({ left: this.left, top: this.top }));
  }

  roundOf({ column }) {
    return this.run.rounds[this.columns[column]?.round];
  }

  // A ghost stands where this level will first show it, so that it becomes real in place.
  laneOf(c, i) {
    return laneAt(this.columns[c], Math.max(i, this.shown[this.level][c] ?? i));
  }

  iconAt(i) {
    return this.run.kinds[this.steps[i].kind].icon;
  }

  last() {
    return Math.max(0, this.stops[this.level].length - 1);
  }

  clamp(n) {
    return Math.max(0, Math.min(this.last(), n));
  }

  // The stop at or after a step, the step before it (-1: none), and where the reader is.
  stopAt(step) {
    const n = this.stops[this.level].findIndex((i) => i >= step);
    return n < 0 ? this.last() : n;
  }

  before(step) {
    return this.stops[this.level].findLast((i) => i < step) ?? -1;
  }

  position() {
    return this.stopAt(this.at);
  }

  go(position, jump) {
    const n = this.clamp(position);
    const i = this.stops[this.level][n];
    if (i === undefined || i === this.at) return;
    const now = performance.now();
    if (jump) [this.past, this.future] = [[...this.past, this.at], []];
    const calm = !jump && Math.abs(n - this.position()) === 1 && now - this.moved > FAST;
    Object.assign(this, { moved: now, at: i });
    this.paint(calm);
    this.report();
  }

  // To the next or previous stop that fits.
  seek(by, fits, jump) {
    const stops = this.stops[this.level];
    let n = this.position() + by;
    while (stops[n] !== undefined && !fits(stops[n])) n += by;
    if (stops[n] !== undefined) this.go(n, jump);
  }

  step(by) {
    this.seek(by, (i) => !this.brief || this.changes(i).length > 0);
  }

  // The next or previous step of a kind, or with words, that the reader chose.
  jump(by) {
    this.seek(by, (i) => this.pausesAt(i), true);
  }

  pausesAt(i) {
    return this.pauseAt.has(this.iconAt(i)) || Boolean(this.watch && textOf(this, i).includes(this.watch));
  }

  watchFor(text) {
    this.watch = text;
    paintTransport(this);
  }

  // What changed since the stop before: numbers of `changes`.
  changes(i) {
    return this.steps.slice(this.before(i) + 1, i + 1).flatMap(({ diff = [] }) => diff);
  }

  // Back to where the last jump began, and forth again.
  retrace(from, to) {
    const at = from.pop();
    if (at === undefined) return;
    to.push(this.at);
    this.at = Math.min(at, this.steps.length - 1);
    this.paint(false);
    this.report();
  }

  setLevel(level) {
    if (level === this.level || !this.stops[level]?.length) return;
    this.level = level;
    this.at = this.stops[level][this.stopAt(this.at)];
    this.paint(false);
    this.report();
  }

  play() {
    if (this.playing) return this.stop();
    if (this.position() === this.last()) this.go(0, true);
    this.playing = true;
    const wait = () => (this.timer = setTimeout(beat, BEAT / SPEEDS[this.speed]));
    const beat = () => {
      this.step(1);
      if (this.position() === this.last() || this.pausesAt(this.at)) this.stop();
      else wait();
    };
    wait();
    paintTransport(this);
  }

  stop() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    this.playing = false;
    paintTransport(this);
  }

  setSpeed(by) {
    this.speed = Math.max(0, Math.min(SPEEDS.length - 1, this.speed + by));
  }

  setZoom(zoom) {
    this.userZoom = Math.max(0.3, Math.min(3, zoom));
    this.resize();
  }

  present(on = !this.root.dataset.mode) {
    const { root } = this;
    if (on) root.dataset.mode = "present";
    else for (const name of ["mode", "blank", "cover"]) delete root.dataset[name];
    this.hooks.onPresent(on);
    this.resize(true);
    this.report();
  }

  paint(calm) {
    const { at } = this;
    if (!this.steps.length) return;
    paintStage(this, at, calm);
    paintPanes(this, at);
    paintTable(this, at);
    paintTime(this, at);
    paintTransport(this);
    paintNotes(this, at);
    settle();
    const { kind } = this.steps[at];
    Object.assign(this.root.dataset, { kind, tone: this.run.kinds[kind].tone, level: this.level, steps: this.last(), step: this.position() });
  }

  // The address follows the reader, and Python hears of it once they pause.
  report() {
    tellTalk(this);
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.tell(), REPORT_AFTER);
  }

  tell() {
    if (!this.telling) return;
    clearTimeout(this.telling);
    this.telling = 0;
    const marks = Object.entries(this.bookmarks).map((mark) => mark.join(".")).join("-");
    const at = { step: this.position(), level: this.level, marks };
    if (this.data.link) {
      const url = new URL(location.href);
      const named = { step: String(at.step), level: at.level !== 1 && LEVELS[at.level], mode: this.root.dataset.mode, marks };
      for (const [key, value] of Object.entries(named)) {
        if (value) url.searchParams.set(key, value);
        else url.searchParams.delete(key);
      }
      history.replaceState(history.state, "", url);
    }
    this.hooks.setStateValue("at", at);
  }
}
