// The presenter's second window: the same page with `mode=notes`. It shows what comes next, keeps the
// time, and leads: both windows tell each other where they are.

const wall = "BroadcastChannel" in window && new BroadcastChannel("fusionlab-present");

function openNotes() {
  const url = new URL(location.href);
  url.searchParams.set("mode", "notes");
  window.open(url, "fusionlab-notes", "popup,width=1280,height=800");
}

// Only the windows of a talk speak and listen.
function joinTalk(p, signal) {
  if (!wall) return;
  const hear = ({ data }) => p.root.dataset.mode && data.run === p.run.run && p.follow(data);
  wall.addEventListener("message", hear, { signal });
}

function tellTalk(p) {
  if (wall && p.root.dataset.mode) wall.postMessage({ run: p.run.run, step: p.at, level: p.level });
}

function paintNotes(p, i) {
  const box = p.$(".notes");
  box.hidden = p.root.dataset.mode !== "notes";
  if (box.hidden) return;
  p.began ??= Date.now();
  p.clock ??= setInterval(() => paintClock(p), 1000);
  const next = p.steps[p.stops[p.level][p.position() + 1]];
  const { note, why } = p.steps[i];
  p.fill("remarks", h("p", rich(why)), note && h("p", note.lines.join(" ")));
  p.fill("coming", next ? [h("b", p.run.kinds[next.kind].badge), h("p", rich(next.what)), h("p.t3", rich(next.why))] : p.labels.no_next);
  paintClock(p);
}

function paintClock(p) {
  const seconds = Math.round((Date.now() - p.began) / 1000);
  p.fill("clock", `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
}
