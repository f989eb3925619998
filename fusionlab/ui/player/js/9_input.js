// Keys, buttons and pointers, and the function that Streamlit calls.

const ACTIONS = {
  first: (p) => p.go(0, true),
  back: (p) => p.step(-1),
  next: (p) => p.step(1),
  last: (p) => p.go(p.last(), true),
  play: (p) => p.play(),
  jump: (p) => p.jump(1),
  jump_back: (p) => p.jump(-1),
  finer: (p) => p.setLevel(p.level + 1),
  coarser: (p) => p.setLevel(p.level - 1),
  level: (p, button) => p.setLevel(Number(button.dataset.level)),
  // What a presenter's remote sends is one step.
  page_next: (p) => (p.root.dataset.mode ? p.step(1) : p.go(p.position() + 10, true)),
  page_back: (p) => (p.root.dataset.mode ? p.step(-1) : p.go(p.position() - 10, true)),
  pick: (p, { dataset: { kind } }) => (p.pauseAt.delete(kind) || p.pauseAt.add(kind), paintTransport(p)),
  slower: (p) => p.setSpeed(-1),
  faster: (p) => p.setSpeed(1),
  larger: (p) => p.setZoom(p.userZoom * 1.2),
  smaller: (p) => p.setZoom(p.userZoom / 1.2),
  reset: (p) => p.setZoom(1),
  fit: (p) => p.setZoom((p.box.clientWidth / p.scale - GUTTER) / (last(p.x).end + 12)),
  go_to: openPalette,
  keys: openKeys,
  table: (p) => p.toggleTable(),
  why: (p) => openMiss(p),
  drawer: (p) => p.root.toggleAttribute("data-drawer"),
  present: (p) => p.present(),
  notes: openNotes,
  // On the projector only: a dark screen, and the answers covered.
  blank: (p) => p.root.toggleAttribute("data-blank", Boolean(p.root.dataset.mode) && !("blank" in p.root.dataset)),
  cover: (p) => p.root.toggleAttribute("data-cover", Boolean(p.root.dataset.mode) && !("cover" in p.root.dataset)),
  undo: (p) => p.retrace(p.past, p.future),
  redo: (p) => p.retrace(p.future, p.past),
  diff: (p) => (p.root.toggleAttribute("data-diff"), (p.seen.log = null), p.paint(false)),
  brief: (p) => ((p.brief = !p.brief), paintTransport(p)),
  unwatch: (p) => p.watchFor(""),
  single: (p, button) => {
    if (localStorage[KEYS_OFF]) delete localStorage[KEYS_OFF];
    else localStorage[KEYS_OFF] = "1";
    button.setAttribute("aria-pressed", !localStorage[KEYS_OFF]);
  },
  panes: cyclePanes,
  tab: (p, button) => p.showTab(button.dataset.tab),
  unfold: (p, card) => card.classList.toggle("unfolded"),
  close: closePop,
  answer: (p, { dataset: { answer } }) => p.hooks.setTriggerValue("answer", Number(answer)),
  act: (p) => p.hooks.setTriggerValue("act", "run"),
};

// With the focus anywhere on the page these step; the others need the focus in the player.
const STEPPING = { ArrowRight: "next", ArrowLeft: "back", "Shift+ArrowRight": "jump", "Shift+ArrowLeft": "jump_back" };
const KEYS = {
  ...STEPPING, ArrowDown: "finer", ArrowUp: "coarser", Home: "first", End: "last", PageDown: "page_next", PageUp: "page_back",
  F6: "panes", " ": "play", "[": "slower", "]": "faster", "+": "larger", "=": "larger", "-": "smaller", 0: "reset", f: "fit",
  g: "go_to", "/": "go_to", "Ctrl+k": "go_to", "?": "keys", t: "table", w: "why", q: "drawer", p: "present", n: "notes", b: "blank", c: "cover", d: "diff", u: "brief", z: "undo", "Shift+z": "redo", ",": "jump_back", ".": "jump",
};

const TYPING = "input, textarea, select, [contenteditable=true], [role=slider]:not(.time), [role=tab]:not([data-tab]), [role=combobox]";

function onKey(p, event) {
  const target = event.composedPath()[0];
  const inside = p.root.contains(target);
  if (event.defaultPrevented || event.altKey || event.metaKey) return;
  if (event.key === "Escape" && inside) return leave(p) && event.preventDefault();
  if (!p.$(".pop").hidden || target.matches?.(TYPING)) return;
  const nowhere = target === document.body || target === document.documentElement;
  const act = inside ? keyAction(event, target) : nowhere && ACTIONS[STEPPING[keyName(event)]];
  if (!act || (/^(Arrow[UD]|Page|Home|End)/.test(event.key) && scrolls(p, target))) return;
  event.preventDefault();
  if (event.key !== " ") p.stop();
  act(p);
}

// In a pane that scrolls these keys belong to the pane.
const scrolls = (p, pane) => pane !== p.root && p.root.contains(pane) && pane.scrollHeight > pane.clientHeight + 1;

function keyName({ key, shiftKey, ctrlKey }) {
  if (ctrlKey) return `Ctrl+${key.toLowerCase()}`;
  const named = key.length > 1 || (shiftKey && /[a-z]/i.test(key));
  if (key.length === 1 && named) return `Shift+${key.toLowerCase()}`;
  return named ? `${shiftKey ? "Shift+" : ""}${key}` : key.toLowerCase();
}

function keyAction(event, target) {
  if (event.key === " " && target.closest("button")) return null;
  if (event.key.length === 1 && !event.ctrlKey && localStorage[KEYS_OFF]) return null;
  const digit = !event.ctrlKey && /^Digit([1-9])$/.exec(event.code);
  return digit ? (p) => bookmark(p, digit[1], event.shiftKey) : ACTIONS[KEYS[keyName(event)]];
}

function bookmark(p, n, set) {
  if (set) {
    p.bookmarks[n] = p.at;
    p.paint(false);
    p.report();
  } else if (p.bookmarks[n] !== undefined) p.go(p.stopAt(p.bookmarks[n]), true);
}

// Close what is open, the innermost first.
function leave(p) {
  if (closePop(p)) return true;
  if (p.root.hasAttribute("data-drawer")) return p.root.toggleAttribute("data-drawer") === false;
  if (!p.$(".missview").hidden) return openMiss(p, false) ?? true;
  return Boolean(p.root.dataset.mode) && (p.present(false) ?? true);
}

function cyclePanes(p) {
  const panes = [...p.all("[data-pane]")].filter((pane) => pane.offsetParent);
  const here = panes.findIndex((pane) => pane.contains(p.focused()));
  panes[(here + 1) % panes.length]?.focus({ preventScroll: true });
}

function listen(p, signal) {
  const on = (node, type, act, options) => node.addEventListener(type, act, { signal, ...options });
  joinTalk(p, signal);
  on(document, "keydown", (event) => onKey(p, event));
  on(window, "pagehide", () => p.tell());
  on(p.root, "click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    if (button.dataset.do !== "play") p.stop();
    ACTIONS[button.dataset.do](p, button);
  });
  on(p.root, "pointerover", (event) => link(p, event.target));
  on(p.root, "focusin", (event) => link(p, event.target));
  on(p.root, "pointerleave", () => link(p, p.root));
  on(p.root, "pointerdown", (event) => event.target.closest("button, input, .log, .code, .pop") || p.root.focus({ preventScroll: true }));
  const time = p.$(".time");
  const scrub = (event) => p.go(p.stopAt(stepUnder(p, event)), true);
  on(time, "pointerdown", (event) => (p.stop(), time.setPointerCapture(event.pointerId), scrub(event)));
  on(time, "pointermove", (event) => time.hasPointerCapture(event.pointerId) && scrub(event));
  const stage = p.$(".stage");
  on(stage, "wheel", (event) => event.ctrlKey && (event.preventDefault(), p.setZoom(p.userZoom * (event.deltaY < 0 ? 1.12 : 0.89))), { passive: false });
  on(stage, "pointermove", (event) => event.pointerType === "mouse" && event.buttons === 1 && stage.scrollBy(-event.movementX, -event.movementY));
  on(stage, "scroll", () => {
    Object.assign(p, { left: stage.scrollLeft, top: stage.scrollTop });
    p.svg.classList.toggle("scrolled", p.top > 0);
    p.layers.ruler.setAttribute("transform", `translate(0 ${p.top / p.zoom})`);
  });
  let from = 0;
  on(p.$(".cap"), "touchstart", (event) => (from = event.touches[0].clientX), { passive: true });
  on(p.$(".cap"), "touchend", (event) => {
    const by = event.changedTouches[0].clientX - from;
    if (Math.abs(by) > 40) p.step(-Math.sign(by));
  });
  const observer = new ResizeObserver(() => requestAnimationFrame(() => signal.aborted || p.resize()));
  for (const node of [p.root, stage]) observer.observe(node);
  signal.addEventListener("abort", () => (observer.disconnect(), p.stop(), clearInterval(p.clock)));
}

// The same tensor, op or plan in every pane at once.
function link(p, target) {
  const at = target.closest("[data-t], [data-c], [data-p]");
  if (at === p.linked) return;
  p.linked = at;
  for (const node of p.all(".hot")) node.classList.remove("hot");
  const key = at && ["t", "c", "p"].find((name) => at.dataset[name]);
  if (key) for (const node of p.all(`[data-${key}="${CSS.escape(at.dataset[key])}"]`)) node.classList.add("hot");
}

export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".fl");
  const kept = root.player;
  // Streamlit calls this function again whenever the data changes: keep the player, and its place.
  if (kept) {
    Object.assign(kept.hooks, { setStateValue, setTriggerValue });
    const wanted = data.goto !== kept.data.goto && data.goto;
    kept.load(data);
    if (wanted || wanted === 0) kept.go(wanted, true);
    return kept.off;
  }
  const leaving = new AbortController();
  const onPresent = (on) => document.documentElement.classList.toggle("fusionlab-present", on);
  const player = new LivePlayer(root, data, { setStateValue, setTriggerValue, onPresent, signal: leaving.signal });
  if (root.dataset.mode) onPresent(true);
  root.player = player;
  player.off = () => {
    player.tell();
    onPresent(false);
    leaving.abort();
    delete root.player;
  };
  return player.off;
}
