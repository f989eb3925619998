// Between the room and the player on this page: who leads, and who follows.
// The player tells each step by an event of the window, and goes where another event says.

class Company {
  constructor(link, leads, changed) {
    Object.assign(this, { link, leads, changed, alone: false, latest: null, sending: false });
    this.onStep = ({ detail }) => this.stepped(detail);
    window.addEventListener("fusionlab-step", this.onStep);
    this.off = link.on((_, kind) => ["place", "room", "all"].includes(kind) && this.follow());
  }

  close() {
    window.removeEventListener("fusionlab-step", this.onStep);
    this.off();
  }

  get place() {
    const { place, room } = this.link.state;
    return place && room && place.showing === room.showing.number ? place : null;
  }

  stepped({ why, step, level }) {
    if (why === "loaded") this.follow(true);
    else if (this.leads) this.send({ step, level });
    else if (!this.alone && this.place) this.wander(true);
  }

  wander(alone) {
    this.alone = alone;
    if (!alone) this.follow();
    this.changed();
  }

  // Go where the room is; a window that leads does not follow its own echo.
  follow(always = false) {
    const place = this.place;
    // Another program on the wall calls everybody back.
    const number = this.link.state.room?.showing.number;
    if (number !== this.number) this.alone = false;
    this.number = number;
    if (!place || this.alone || (place.by === ME && !always)) return;
    window.dispatchEvent(new CustomEvent("fusionlab-goto", { detail: { step: place.step, level: place.level } }));
  }

  // One request at a time, and only the newest step is worth sending.
  async send(place) {
    this.latest = place;
    if (this.sending) return;
    this.sending = true;
    while (this.latest) {
      const { step, level } = this.latest;
      this.latest = null;
      const { number } = this.link.state.room.showing;
      await this.link.ask("POST", "/step", { showing: number, step, level, by: ME }, () => !this.latest && !this.link.line?.closed);
    }
    this.sending = false;
  }
}
