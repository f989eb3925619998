// The player: one object per mounted run. It holds the place and moves it; Python only hears of it.

const REPORT_AFTER = 250; // ms without a step
const SPEEDS = [0.25, 0.5, 1, 2, 4];
const BEAT = 1100; // ms per step at speed 1
const FAST = 140; // steps closer than this are not animated
const LEVELS = ["ops", "decisions", "comparisons"];

class Player {
  constructor(root, data, hooks) {
    Object.assign(this, { root, hooks, level: 1, at: 0, speed: 2, userZoom: 1, scale: 1, bookmarks: {}, moved: 0 });
    this.pauseAt = new Set(["merge", "hit"]);
    this.canvas = document.createElement("canvas").getContext("2d");
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

  focused() {
    return this.root.getRootNode().activeElement;
  }

  measure(text, size) {
    this.canvas.font = `${size}px ${getComputedStyle(this.root).fontFamily}`;
    return this.canvas.measureText(text).width;
  }

  load(data) {
    const same = this.run?.run === data.run.run;
    Object.assign(this, { data, run: data.run, labels: data.labels, seen: {} });
    this.stops = [0, 1, 2].map((level) => this.steps.flatMap((step, i) => (step.level <= level ? [i] : [])));
    if (!same) this.restore();
    this.word();
    this.decorate();
    this.lines = this.run.program.map((text, n) => h("div", h("i", String(n + 1)), h("span", text)));
    put(this.$(".code"), this.lines);
    put(this.slot("name"), this.run.name);
    this.showTab(this.root.dataset.tab || "fusers");
    this.resize(true);
    if (data.live && !same) queueMicrotask(() => this.announce("loaded"));
  }

  // The player's own words.
  word() {
    const { labels } = this;
    dress(this.root, { lang: this.run.lang === "zh" ? "zh-CN" : "en", "aria-label": labels.player });
    for (const node of this.all("[data-l]")) node.textContent = labels[node.dataset.l];
    for (const node of this.all("[data-a]")) node.setAttribute("aria-label", labels[node.dataset.a]);
    for (const node of this.all("[data-key]")) {
      const name = labels[node.dataset.l || node.dataset.do];
      dress(node, { "aria-label": node.dataset.s ? null : name, title: `${name} (${node.dataset.key})` });
    }
    const present = new Set(this.steps.map((_, i) => this.iconAt(i)));
    for (const pick of this.all("[data-kind]")) {
      pick.hidden = !present.has(pick.dataset.kind);
      pick.title = labels.pause_here;
    }
  }

  // Theme and bar: what may change without another run.
  decorate() {
    const { bar, theme } = this.data;
    this.root.dataset.theme = theme;
    this.root.toggleAttribute("data-dim", Boolean(bar?.dim));
    const box = this.$(".bar");
    box.hidden = !bar;
    if (!bar) return;
    const [text, button] = box.children;
    box.className = `bar ${bar.tone}`;
    put(text, rich(bar.text, this.run.lang));
    put(button, bar.action);
    button.hidden = !bar.action;
  }

  // The first run starts where the address says, any other at its beginning.
  restore() {
    const query = new URLSearchParams(this.data.link && !this.restored ? location.search : "");
    this.restored = true;
    const level = LEVELS.indexOf(query.get("level"));
    this.level = level < 0 ? 1 : level;
    const wanted = Number.parseInt(query.get("step") ?? this.data.start ?? 0, 10);
    this.at = this.stops[this.level][Math.max(0, Math.min(wanted || 0, this.last()))] ?? 0;
    if (query.get("mode") === "present") this.root.dataset.mode = "present";
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
  }

  resize(force) {
    const { root } = this;
    const present = root.dataset.mode === "present";
    this.phone = window.innerWidth <= 640 && !present;
    this.scale = present ? Math.max(1, Math.min(window.innerWidth / 1116, window.innerHeight / 628)) : 1;
    root.style.setProperty("--fl-k", this.scale);
    root.classList.toggle("narrow", !this.phone && !present && root.clientWidth < 1160);
    const stage = this.$(".stage");
    const size = `${root.clientWidth}/${stage.clientWidth}/${stage.clientHeight}/${this.scale}/${this.userZoom}`;
    if (!force && size === this.size) return;
    this.size = size;
    if (force) buildStage(this);
    else layStage(this);
    buildTime(this);
    this.paint(false);
  }

  viewWidth() {
    return (this.$(".stage").clientWidth - (this.phone ? 0 : GUTTER * this.scale)) / this.zoom;
  }

  view() {
    const left = this.$(".stage").scrollLeft / this.zoom;
    return [left, left + this.viewWidth()];
  }

  // A ghost stands where this level will first show it, so that it becomes real in place.
  laneOf(c, i) {
    const column = this.columns[c];
    return laneAt(column, Math.max(i, this.stops[this.level][this.stopAt(column.born)] ?? i));
  }

  roundOf(step) {
    return this.run.rounds[this.columns[step.column]?.round];
  }

  iconAt(i) {
    return this.run.kinds[this.steps[i].kind].icon;
  }

  last() {
    return Math.max(0, this.stops[this.level].length - 1);
  }

  // The stop at or after a step, the stop before it (-1: none), and where the reader is.
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
    const n = Math.max(0, Math.min(this.last(), position));
    const i = this.stops[this.level][n];
    if (i === undefined || i === this.at) return;
    const now = performance.now();
    const calm = !jump && Math.abs(n - this.position()) === 1 && now - this.moved > FAST;
    this.moved = now;
    this.at = i;
    this.paint(calm);
    this.report();
  }

  // The next or previous step of a kind that the reader chose.
  jump(by) {
    const stops = this.stops[this.level];
    let n = this.position() + by;
    while (stops[n] !== undefined && !this.pauseAt.has(this.iconAt(stops[n]))) n += by;
    if (stops[n] !== undefined) this.go(n, true);
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
    const beat = () => {
      this.go(this.position() + 1);
      if (this.position() === this.last() || this.pauseAt.has(this.iconAt(this.at))) return this.stop();
      this.timer = setTimeout(beat, BEAT / SPEEDS[this.speed]);
    };
    this.timer = setTimeout(beat, BEAT / SPEEDS[this.speed]);
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

  fit() {
    this.setZoom((this.$(".stage").clientWidth / this.scale - GUTTER) / this.grid.width);
  }

  present(on = this.root.dataset.mode !== "present") {
    if (on) this.root.dataset.mode = "present";
    else delete this.root.dataset.mode;
    this.hooks.onPresent(on);
    this.resize(true);
    this.report();
  }

  paint(calm) {
    if (!this.steps.length) return;
    paintStage(this, this.at, calm);
    this.painted = this.at;
    paintPanes(this, this.at);
    paintTable(this, this.at);
    paintTime(this, this.at);
    paintTransport(this);
    const { kind } = this.steps[this.at];
    Object.assign(this.root.dataset, { kind, level: this.level, steps: this.last(), step: this.position() });
  }

  // The address follows the reader, and Python hears of it once they pause.
  report() {
    if (this.data.live) return this.announce("moved");
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.tell(), REPORT_AFTER);
  }

  // In a classroom the page around hears of each step at once…
  announce(why) {
    const detail = { why, run: this.run.run, step: this.at, level: this.level };
    window.dispatchEvent(new CustomEvent("fusionlab-step", { detail }));
  }

  // …and may take the reader along, without a word back.
  follow({ step, level }) {
    this.stop();
    const from = this.position();
    const same = level === this.level;
    if (!same && this.stops[level]?.length) this.level = level;
    const at = this.stops[this.level][this.stopAt(step)];
    if (at === undefined || (same && at === this.at)) return;
    this.at = at;
    this.paint(same && Math.abs(this.position() - from) === 1);
  }

  tell() {
    if (!this.telling) return;
    clearTimeout(this.telling);
    this.telling = 0;
    if (this.data.link) {
      const url = new URL(location.href);
      const named = { step: this.position(), level: this.level !== 1 && LEVELS[this.level], mode: this.root.dataset.mode };
      for (const [key, value] of Object.entries(named)) {
        if (value || value === 0) url.searchParams.set(key, value);
        else url.searchParams.delete(key);
      }
      history.replaceState(history.state, "", url);
    }
    this.hooks.setStateValue("at", { step: this.position(), level: this.level });
  }
}
