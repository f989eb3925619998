// What this browser knows about rooms: the keys it holds, and the live state of those on this page.

const KEYS = "fusionlab.rooms";
const KEPT = 12;
const ME = token().slice(0, 12); // what this window calls itself

function token() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
}

// Keys live in the browser's storage, and in memory where it has none (private windows).
const memory = (globalThis.fusionlabKeys ??= { list: null });

function keys() {
  if (memory.list) return memory.list;
  try {
    memory.list = JSON.parse(localStorage.getItem(KEYS)) ?? [];
  } catch {
    memory.list = [];
  }
  if (!Array.isArray(memory.list)) memory.list = [];
  return memory.list;
}

function remember(key) {
  memory.list = [key, ...keys().filter((one) => one.room !== key.room || one.role !== key.role)].slice(0, KEPT);
  save();
}

function forget(room, role) {
  memory.list = keys().filter((one) => one.room !== room || one.role !== role);
  save();
}

function save() {
  try {
    localStorage.setItem(KEYS, JSON.stringify(memory.list));
  } catch {
    // The keys stay in memory for as long as the page does.
  }
}

const keyOf = (room, role) => keys().find((one) => one.room === room && one.role === role);
const keyByCode = (code) => keys().find((one) => one.role === "student" && (one.pin === code || one.code === code));

// One connection for each room and kind of reader, however many parts of the page show it.
const links = (globalThis.fusionlabLinks ??= new Map());

class Link {
  static to(room, token_, as) {
    const name = `${room}/${as}`;
    if (!links.has(name)) links.set(name, new Link(name, room, token_, as));
    return links.get(name);
  }

  constructor(name, room, token_, as) {
    Object.assign(this, { name, room, token: token_, as, listeners: new Set(), turn: 0, ahead: 0 });
    this.state = { live: false };
  }

  // Listen; the answer ends it. The connection outlives a part that is drawn anew.
  on(listener) {
    this.listeners.add(listener);
    clearTimeout(this.leaving);
    this.line ??= new Line(this.room, this.token, this.as, (kind, data) => this.hear(kind, data));
    if (this.state.room) queueMicrotask(() => this.listeners.has(listener) && listener(this.state, "all"));
    return () => {
      this.listeners.delete(listener);
      if (!this.listeners.size) this.leaving = setTimeout(() => this.close(), 1500);
    };
  }

  close() {
    this.line?.close();
    links.delete(this.name);
  }

  hear(kind, data) {
    this.state[kind] = data;
    if (kind === "room") this.ahead = data.now - Date.now() / 1000;
    for (const listener of [...this.listeners]) listener(this.state, kind);
  }

  // Seconds until a moment of the server's clock.
  until(moment) {
    return moment - Date.now() / 1000 - this.ahead;
  }

  ask(method, path, data, waiting) {
    return ask(method, `/${this.room}${path}`, this.token, data, waiting);
  }

  move(move, args = {}) {
    return this.ask("POST", "/moves", { move, seq: this.state.room?.seq, ...args }, patient());
  }

  vote(ballot, choice) {
    this.turn = Math.max(Date.now(), this.turn + 1);
    return this.ask("POST", "/votes", { ballot, choice, turn: this.turn }, () => !this.line?.closed);
  }
}

// Wait for a busy server, but not for ever: a button that does nothing must say so.
function patient(seconds = 15) {
  const end = Date.now() + 1000 * seconds;
  return () => Date.now() < end;
}
