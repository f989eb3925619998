// Keys and pointers, and the function that Streamlit calls.

const LETTERS = {
  "?": openKeys, g: openPalette, "/": openPalette, " ": (p) => p.play(),
  "[": (p) => (p.speed = Math.max(0, p.speed - 1)), "]": (p) => (p.speed = Math.min(SPEEDS.length - 1, p.speed + 1)),
  "+": (p) => p.setZoom(p.userZoom * 1.2), "=": (p) => p.setZoom(p.userZoom * 1.2), "-": (p) => p.setZoom(p.userZoom / 1.2), 0: (p) => p.setZoom(1),
  f: (p) => p.setZoom((p.$(".stage").clientWidth - GUTTER) / p.scale / p.grid.width),
  p: (p) => p.present(), t: (p) => p.toggleTable(), w: (p) => openMiss(p, p.$(".missview").hidden), q: (p) => p.root.toggleAttribute("data-drawer"),
  ",": (p) => p.jump(-1), ".": (p) => p.jump(1),
};

const STEPPING = {
  ArrowRight: (p, event) => (event.shiftKey ? p.jump(1) : p.move(1)),
  ArrowLeft: (p, event) => (event.shiftKey ? p.jump(-1) : p.move(-1)),
};

const FOCUSED = {
  ArrowDown: (p) => p.setLevel(p.level + 1),
  ArrowUp: (p) => p.setLevel(p.level - 1),
  Home: (p) => p.go(0, { jump: true }),
  End: (p) => p.go(p.last(), { jump: true }),
  PageDown: (p) => (p.root.dataset.mode === "present" ? p.move(1) : p.go(p.position() + 10, { jump: true })),
  PageUp: (p) => (p.root.dataset.mode === "present" ? p.move(-1) : p.go(p.position() - 10, { jump: true })),
  F6: (p) => cyclePanes(p),
};

const TYPING = "input, textarea, select, [contenteditable=true], [role=slider]:not(.time), [role=tab], [role=combobox]";

function onKey(p, event) {
  const target = event.composedPath()[0];
  if (event.defaultPrevented || event.altKey || event.metaKey) return;
  if (event.key === "Escape" && p.root.contains(target)) return leave(p, event);
  if (target.matches?.(TYPING)) return;
  const inside = p.root.contains(target) || p.root === target;
  const nowhere = target === document.body || target === document.documentElement;
  if (!p.$(".pop").hidden) return;
  if (event.ctrlKey) return inside && event.key === "k" ? run(openPalette) : undefined;
  const action = (inside || nowhere) && STEPPING[event.key] ? STEPPING[event.key] : inside ? FOCUSED[event.key] || letter(p, event, target) : null;
  if (action) run(action);
  function run(act) {
    event.preventDefault();
    p.stop === act || (event.key !== " " && p.stop());
    act(p, event);
  }
}

function letter(p, event, target) {
  if (event.key === " " && target.closest?.("button")) return null;
  const digit = /^Digit([1-9])$/.exec(event.code);
  if (digit) return (p_) => bookmark(p_, digit[1], event.shiftKey);
  return LETTERS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
}

function bookmark(p, n, set) {
  if (set) p.bookmarks[n] = p.at;
  else if (p.bookmarks[n] !== undefined) p.go(p.stopAt(p.bookmarks[n]), { jump: true });
}

function leave(p, event) {
  const acted = closePop(p) || (p.root.hasAttribute("data-drawer") && (p.root.removeAttribute("data-drawer"), true))
    || (!p.$(".missview").hidden && (openMiss(p, false), true)) || (p.root.dataset.mode === "present" && (p.present(false), true));
  if (acted) event.preventDefault();
}

function cyclePanes(p) {
  const panes = [...p.all("[data-pane]")].filter((pane) => pane.offsetParent);
  const here = panes.findIndex((pane) => pane.contains(p.root.getRootNode().activeElement));
  panes[(here + 1) % panes.length]?.focus({ preventScroll: true });
}

function listenPointer(p, signal) {
  const time = p.$(".time");
  const scrub = (event) => p.go(p.stopAt(stepUnder(p, event)), { jump: true });
  time.addEventListener("pointerdown", (event) => {
    p.stop();
    time.setPointerCapture(event.pointerId);
    scrub(event);
  }, { signal });
  time.addEventListener("pointermove", (event) => time.hasPointerCapture(event.pointerId) && scrub(event), { signal });
  const stage = p.$(".stage");
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    p.setZoom(p.userZoom * (event.deltaY < 0 ? 1.12 : 1 / 1.12));
  }, { signal, passive: false });
  dragToPan(stage, signal);
  swipe(p, p.$(".cap"), signal);
  p.root.addEventListener("pointerover", (event) => link(p, event.target), { signal });
  p.root.addEventListener("pointerleave", () => link(p, p.root), { signal });
  p.root.addEventListener("pointerdown", (event) => {
    if (!event.target.closest("button, input, .log, .code, .pop")) p.root.focus({ preventScroll: true });
  }, { signal });
}

function dragToPan(stage, signal) {
  let from = null;
  stage.addEventListener("pointerdown", (event) => event.pointerType === "mouse" && (from = [event.clientX, event.clientY, stage.scrollLeft, stage.scrollTop]), { signal });
  stage.addEventListener("pointermove", (event) => {
    if (!from || !event.buttons) return (from = event.buttons ? from : null);
    stage.scrollLeft = from[2] - (event.clientX - from[0]);
    stage.scrollTop = from[3] - (event.clientY - from[1]);
  }, { signal });
}

function swipe(p, box, signal) {
  let from = null;
  box.addEventListener("touchstart", (event) => (from = event.touches[0].clientX), { signal, passive: true });
  box.addEventListener("touchend", (event) => {
    const by = event.changedTouches[0].clientX - from;
    if (Math.abs(by) > 40) p.move(by < 0 ? 1 : -1);
  }, { signal, passive: true });
}

// The same tensor, op or plan in every pane at once.
function link(p, target) {
  const at = target.closest?.("[data-t], [data-c], [data-p]");
  if (at === p.linked) return;
  p.linked = at;
  for (const node of p.all(".hot")) node.classList.remove("hot");
  if (!at) return;
  const marks = ["t", "p"].filter((k) => at.dataset[k]).map((k) => `[data-${k}="${CSS.escape(at.dataset[k])}"]`);
  if (at.dataset.c && !at.dataset.t) marks.push(`[data-c="${at.dataset.c}"]`);
  if (marks.length) for (const node of p.all(marks.join())) node.classList.add("hot");
}

function themeOf(data) {
  return data.theme === "dark" ? "dark" : "light";
}

export default function (component) {
  const { parentElement, data, setStateValue, setTriggerValue } = component;
  const root = parentElement.querySelector(".fl");
  const input = { ...data, theme: themeOf(data) };
  const onPresent = (on) => document.documentElement.classList.toggle("fusionlab-present", on);
  // Streamlit calls this function again whenever the data changes: keep the player, and its place.
  const kept = root.player;
  if (kept) {
    Object.assign(kept.hooks, { setStateValue, setTriggerValue });
    const goto = data.goto !== undefined && data.goto !== kept.data.goto;
    kept.load(input);
    if (goto) kept.go(data.goto, { jump: true, quiet: true });
    return kept.off;
  }
  const ac = new AbortController();
  root.player = new Player(root, input, { setStateValue, setTriggerValue, onPresent, signal: ac.signal });
  if (root.dataset.mode) onPresent(true);
  root.player.off = () => {
    root.player.tell();
    onPresent(false);
    ac.abort();
    delete root.player;
  };
  return root.player.off;
}
