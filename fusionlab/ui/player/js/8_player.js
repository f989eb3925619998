// The player: one object per mounted run. It holds the place and moves it; Python only hears of it.

const REPORT_AFTER = 250; // ms without a step
const SPEEDS = [0.25, 0.5, 1, 2, 4];
const BEAT = 1100; // ms per step at speed 1
const FAST = 140; // steps closer than this are not animated

class Player {
  constructor(root, data, hooks) {
    Object.assign(this, { root, hooks, level: 1, at: 0, speed: 2, playing: false, userZoom: 1, scale: 1, bookmarks: {} });
    this.pauseAt = new Set(["merge", "hit"]);
    this.canvas = document.createElement("canvas").getContext("2d");
    this.moved = -Infinity;
    this.load(data);
    this.listen();
  }

  $(selector) {
    return this.root.querySelector(selector);
  }

  all(selector) {
    return this.root.querySelectorAll(selector);
  }

  measure(text, size = 12) {
    this.canvas.font = `${size}px ${getComputedStyle(this.root).fontFamily}`;
    return this.canvas.measureText(text).width;
  }

  load(data) {
    const same = this.run && this.run.run === data.run.run;
    Object.assign(this, { data, run: data.run, labels: data.labels, seen: {} });
    this.stops = [0, 1, 2].map((level) => this.run.steps.flatMap((step, i) => (step.level <= level ? [i] : [])));
    this.root.lang = this.run.lang === "zh" ? "zh-CN" : "en";
    this.root.setAttribute("aria-label", this.labels.player);
    if (!same) this.restore();
    this.at = this.stops[this.level][Math.min(this.position(), this.last())] ?? 0;
    this.decorate();
    buildProgram(this);
    buildTransport(this);
    this.buildTabs();
    this.resize(true);
  }

  // Theme, bar and mode: what may change without another run.
  decorate() {
    const { bar, theme } = this.data;
    this.root.dataset.theme = theme;
    this.root.toggleAttribute("data-dim", Boolean(bar && bar.dim));
    const box = this.$(".bar");
    box.hidden = !bar;
    if (!bar) return;
    box.className = `bar ${bar.tone}`;
    box.firstElementChild.replaceChildren(...rich(bar.text, this.run.lang).flat());
    box.lastElementChild.hidden = !bar.action;
    box.lastElementChild.textContent = bar.action || "";
    box.lastElementChild.onclick = () => this.hooks.setTriggerValue("act", "run");
  }

  // A new run starts where the address says.
  restore() {
    const query = new URLSearchParams(this.data.link ? location.search : "");
    const level = ["ops", "decisions", "comparisons"].indexOf(query.get("level"));
    this.level = level < 0 ? 1 : level;
    if (!this.stops[this.level].length) this.level = 2;
    const wanted = this.first ? this.data.start ?? 0 : Number.parseInt(query.get("step") ?? this.data.start ?? 0, 10);
    this.first = true;
    this.at = this.stops[this.level][Math.max(0, Math.min(wanted || 0, this.last()))] ?? 0;
    if (query.get("mode") === "present") this.root.dataset.mode = "present";
  }

  buildTabs() {
    const names = ["fusers", "plans", "queue", "program", "log"];
    const tab = (name) => h("button", { type: "button", role: "tab", "data-tab-name": name, onclick: () => this.showTab(name) }, this.labels[`tab_${name}`]);
    this.$(".mtabs").replaceChildren(...names.map(tab));
    this.showTab(this.root.dataset.tab || "fusers");
    const twin = this.$(".twin");
    twin.replaceChildren(control("table"));
    twin.title = `${this.labels.table} (T)`;
    twin.setAttribute("aria-label", this.labels.table);
    twin.onclick = () => this.toggleTable();
  }

  showTab(name) {
    this.root.dataset.tab = name;
    for (const tab of this.all("[data-tab-name]")) tab.setAttribute("aria-selected", String(tab.dataset.tabName === name));
    this.seen = {};
    if (this.svg) this.paint(false);
  }

  toggleTable() {
    const table = this.$(".table");
    table.hidden = !table.hidden;
    this.$(".twin").setAttribute("aria-pressed", String(!table.hidden));
    paintTable(this, this.at);
  }

  resize(force) {
    const wide = this.root.clientWidth;
    this.phone = window.innerWidth <= 640;
    const present = this.root.dataset.mode === "present";
    this.scale = present ? Math.max(1, Math.min(window.innerWidth / 1116, window.innerHeight / 628)) : 1;
    this.root.style.setProperty("--fl-k", this.scale);
    this.root.classList.toggle("narrow", wide > 640 && wide < 1160 && !present);
    const size = `${wide}/${this.$(".stage").clientWidth}/${this.$(".stage").clientHeight}/${this.scale}/${this.userZoom}`;
    if (!force && size === this.size) return;
    this.size = size;
    if (force || !this.svg) buildStage(this);
    else layStage(this);
    buildTime(this);
    this.paint(false);
  }

  position() {
    const stops = this.stops[this.level];
    const n = stops.findIndex((i) => i >= this.at);
    return n < 0 ? Math.max(0, stops.length - 1) : n;
  }

  last() {
    return Math.max(0, this.stops[this.level].length - 1);
  }

  // The stop before a step at this level, -1 at the start.
  before(i) {
    return this.stops[this.level].findLast((stop) => stop < i) ?? -1;
  }

  stopAt(step) {
    const n = this.stops[this.level].findIndex((i) => i >= step);
    return n < 0 ? this.last() : n;
  }

  go(position, { jump = false, quiet = false } = {}) {
    const n = Math.max(0, Math.min(this.last(), position));
    const i = this.stops[this.level][n];
    if (i === undefined || i === this.at) return;
    const now = performance.now();
    const calm = !jump && Math.abs(n - this.position()) === 1 && now - this.moved > FAST;
    this.moved = now;
    this.at = i;
    this.paint(calm);
    if (!quiet) this.report();
  }

  move(by) {
    this.stop();
    this.go(this.position() + by);
  }

  // The next or previous step of a kind that the reader chose.
  jump(direction) {
    const stops = this.stops[this.level];
    let n = this.position() + direction;
    while (n >= 0 && n < stops.length && !this.pauseAt.has(this.iconAt(stops[n]))) n += direction;
    if (n >= 0 && n < stops.length) this.go(n, { jump: true });
  }

  iconAt(i) {
    return this.run.kinds[this.run.steps[i].kind].icon;
  }

  setLevel(level) {
    if (level < 0 || level > 2 || level === this.level || !this.stops[level].length) return;
    this.level = level;
    this.at = this.stops[level][this.stopAt(this.at)];
    this.paint(false);
    this.report();
  }

  togglePause(kind) {
    if (!this.pauseAt.delete(kind)) this.pauseAt.add(kind);
    paintTransport(this);
  }

  play() {
    if (this.playing) return this.stop();
    if (this.position() === this.last()) this.go(0, { jump: true });
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
    if (!this.playing) return;
    clearTimeout(this.timer);
    this.playing = false;
    paintTransport(this);
  }

  setZoom(zoom) {
    this.userZoom = Math.max(0.4, Math.min(3, zoom));
    this.resize(false);
  }

  present(on = this.root.dataset.mode !== "present") {
    if (on) this.root.dataset.mode = "present";
    else delete this.root.dataset.mode;
    this.hooks.onPresent(on);
    this.report();
    this.resize(true);
  }

  paint(calm) {
    if (!this.run.steps.length) return;
    paintStage(this, this.at, calm);
    this.painted = this.at;
    paintPanes(this, this.at);
    paintTable(this, this.at);
    paintTime(this, this.at);
    paintTransport(this);
    this.root.dataset.step = this.position();
    this.root.dataset.steps = this.last();
    this.root.dataset.level = this.level;
    this.root.dataset.kind = this.run.steps[this.at].kind;
  }

  // The address follows the reader, and Python hears of it once they pause.
  report() {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.tell(), REPORT_AFTER);
  }

  tell() {
    clearTimeout(this.telling);
    const name = ["ops", "decisions", "comparisons"][this.level];
    if (this.data.link) {
      const url = new URL(location.href);
      url.searchParams.set("step", this.position());
      const optional = { level: this.level === 1 ? null : name, mode: this.root.dataset.mode || null };
      for (const [key, value] of Object.entries(optional)) {
        if (value) url.searchParams.set(key, value);
        else url.searchParams.delete(key);
      }
      history.replaceState(history.state, "", url);
    }
    this.hooks.setStateValue("at", { step: this.position(), level: this.level });
  }

  listen() {
    const { signal } = this.hooks;
    document.addEventListener("keydown", (event) => onKey(this, event), { signal });
    window.addEventListener("pagehide", () => this.telling && this.tell(), { signal });
    const observer = new ResizeObserver(() => requestAnimationFrame(() => !signal.aborted && this.resize(false)));
    observer.observe(this.root);
    observer.observe(this.$(".stage"));
    signal.addEventListener("abort", () => observer.disconnect());
    signal.addEventListener("abort", () => this.stop());
    listenPointer(this, signal);
  }
}
