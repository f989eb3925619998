// The function that Streamlit calls: at first, and whenever what it hands over has changed.

const VIEWS = { door: Door, student: Student, audience: Audience, screen: Audience, presenter: Presenter, remote: Presenter };
const WIDTHS = { audience: 758, screen: 758, presenter: 253 }; // px at scale 1, as drawn in the design

class RoomPage {
  constructor(root, tell) {
    Object.assign(this, { root, report: tell, told: "" });
    this.observer = new ResizeObserver(() => this.scale());
    this.observer.observe(root);
  }

  show(data) {
    const same = this.data && ["view", "room", "code", "notice"].every((key) => this.data[key] === data[key]);
    const dressed = same && ["lang"].every((key) => this.data[key] === data[key]);
    this.data = data;
    Object.assign(this, { view: data.view, room: data.room, code: data.code, notice: data.notice, stops: data.stops });
    dress(this.root, { "data-theme": data.theme, "data-view": data.view, lang: data.lang === "zh" ? "zh-CN" : "en" });
    this.scale();
    if (dressed) return this.part.link?.state.room && this.part.paint?.(this.part.link.state);
    this.part?.close();
    if (data.view === "remote" && !keyOf(data.room, "teacher")) return this.takeOver(data);
    this.draw(data);
  }

  draw(data) {
    const before = this.entered;
    this.part = new VIEWS[data.view](this.root, new Words(data.labels, data.errors, data.lang), this);
    if (this.entered === before) this.root.dataset.drawn = data.view;
  }

  // A phone that scanned the remote's code trades it for a key of its own, once.
  async takeOver(data) {
    const code = location.hash.slice(1);
    history.replaceState(history.state, "", location.pathname + location.search);
    const own = token();
    const { status } = await ask("POST", `/${data.room}/remote`, "", { code, token: own }, patient());
    if (status !== 201) return this.enter("door", null, "not_here");
    const state = await ask("GET", `/${data.room}/state`, own, null, patient());
    remember({ room: data.room, role: "teacher", token: own, pin: state.data.room?.pin ?? "" });
    this.draw(data);
  }

  // Another screen: the address says which, so that a reload comes back to it.
  enter(view, room, notice = null) {
    this.entered = view;
    const role = { teacher: "teach", student: "in" }[view];
    history.replaceState(history.state, "", location.pathname + (role ? `?${role}=${room}` : ""));
    this.tell({ view, room, notice });
  }

  tell(at) {
    const text = JSON.stringify(at);
    if (text === this.told) return;
    this.told = text;
    this.report(at);
  }

  scale() {
    const width = WIDTHS[this.data?.view];
    if (width) this.root.style.setProperty("--fl-k", Math.max(1, this.root.clientWidth / width).toFixed(3));
    else this.root.style.removeProperty("--fl-k");
  }

  close() {
    this.observer.disconnect();
    this.part?.close();
  }
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".room");
  const tell = (at) => setStateValue("at", at);
  if (root.page) root.page.report = tell;
  else root.page = new RoomPage(root, tell);
  root.page.show(data);
  return () => {
    root.page?.close();
    delete root.page;
  };
}
