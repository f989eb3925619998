// In a classroom the page around hears of each step at once, and may take the reader along.
// Only when the data says `live`: then nothing else is told, neither the address nor Python. On the
// wall (`live` is "wall") the player fills the screen.

class LivePlayer extends Player {
  load(data) {
    const before = this.run?.run;
    if (data.live === "wall" && !before) this.root.dataset.mode = "present";
    super.load(data);
    if (!data.live) return;
    if (!this.led) window.addEventListener("fusionlab-goto", ({ detail }) => this.follow(detail), { signal: this.hooks.signal });
    this.led = true;
    if (before !== data.run.run) queueMicrotask(() => this.announce("loaded"));
  }

  report() {
    if (this.data.live) this.announce("moved");
    else super.report();
  }

  announce(why) {
    const detail = { why, run: this.run.run, step: this.at, level: this.level };
    window.dispatchEvent(new CustomEvent("fusionlab-step", { detail }));
  }

  // Go where somebody else is, without a word back.
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
}
