// The line to the server: requests that are repeated until they are answered, and an event stream
// that comes back by itself. A token in a header says who asks, so no cookie is ever needed; the
// browser's own EventSource could not send it, and gives up for good after one bad gateway.

const API = "/api/rooms";
const AGAIN = [250, 500, 1000, 1500]; // ms until the next attempt
const PATIENCE = 4000; // ms for one answer
const SILENCE = 7000; // ms without a sign of life; the server sends one every three seconds
const BUSY = new Set([429, 502, 503, 504]);

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function once(method, path, token, data) {
  const breaker = new AbortController();
  const timer = setTimeout(() => breaker.abort(), PATIENCE);
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(data && { "content-type": "application/json" }) };
  try {
    const answer = await fetch(API + path, { method, headers, body: data && JSON.stringify(data), signal: breaker.signal, cache: "no-store" });
    return { status: answer.status, data: await answer.json().catch(() => ({})) };
  } finally {
    clearTimeout(timer);
  }
}

// Ask until the server says yes or no. Everything that is asked may arrive twice: the server counts
// it once. `waiting` hears why it takes longer; when it returns false, nobody waits any more.
async function ask(method, path, token, data, waiting = () => true) {
  for (let attempt = 0; ; attempt++) {
    let pausing = AGAIN[Math.min(attempt, AGAIN.length - 1)];
    try {
      const answer = await once(method, path, token, data);
      if (!BUSY.has(answer.status)) return answer;
      if (answer.status === 429) pausing = Math.max(pausing, 1000 * (answer.data.seconds ?? 1));
      if (waiting(answer.data.code ?? "store_unavailable", answer.data) === false) return answer;
    } catch {
      if (waiting("store_unavailable", {}) === false) return { status: 0, data: { code: "store_unavailable" } };
    }
    await pause(pausing);
  }
}

class Line {
  constructor(room, token, as, hear) {
    Object.assign(this, { room, token, as, hear, attempt: 0, closed: false });
    this.wake = () => document.visibilityState === "visible" && !this.live && this.hurry?.();
    window.addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.wake);
    this.run();
  }

  close() {
    this.closed = true;
    window.removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
    this.hurry?.();
    this.breaker?.abort();
  }

  async run() {
    while (!this.closed) {
      await this.listen().catch(() => {});
      this.live = false;
      if (this.closed) return;
      this.hear("live", false);
      const wait = AGAIN[Math.min(this.attempt++, AGAIN.length - 1)];
      await Promise.race([pause(wait), new Promise((done) => (this.hurry = done))]);
    }
  }

  async listen() {
    this.breaker = new AbortController();
    const query = this.as === "screen" ? "?as=screen" : "";
    this.alarm(PATIENCE);
    const answer = await fetch(`${API}/${this.room}/events${query}`, { headers: { authorization: `Bearer ${this.token}` }, signal: this.breaker.signal, cache: "no-store" });
    if (answer.status === 403) {
      const { code } = await answer.json().catch(() => ({}));
      this.closed = true;
      this.hear("gone", { why: code ?? "not_allowed" });
    }
    if (answer.status === 200) await this.read(answer.body.getReader());
    clearTimeout(this.timer);
  }

  async read(reader) {
    const decoder = new TextDecoder();
    for (let rest = ""; ; ) {
      this.alarm(SILENCE);
      const { value, done } = await reader.read();
      if (done) return;
      if (!this.live) {
        this.live = true;
        this.attempt = 0;
        this.hear("live", true);
      }
      const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = events.pop();
      for (const event of events) this.tell(event);
    }
  }

  tell(event) {
    const found = /^event: (\w+)\ndata: (.*)$/s.exec(event);
    if (!found) return;
    if (found[1] === "gone") this.closed = true;
    this.hear(found[1], JSON.parse(found[2]));
  }

  alarm(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.breaker.abort(), ms);
  }
}
