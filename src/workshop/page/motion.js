// One request on its way, on both sides by one clock: play, pause, slower, faster, step by step.
"use strict";

/** Seconds of a person's time that the longer of both ways takes at normal speed. */
const WAY_TAKES = 12;
const SPEEDS = [0.125, 0.25, 0.5, 1, 2, 4, 8];
const DOTS = 9;

const Motion = {
  /** The sides that are shown: drawing, story, timed steps, list items. */
  sides: [],
  now: 0,
  end: 0,
  speed: 3,
  playing: false,
  last: null,

  /** Takes new sides; the clock stays where it was as far as it can. */
  show(sides) {
    Motion.sides = sides.map((side) => ({ ...side, steps: Motion.timed(side.story) }));
    Motion.end = Math.max(0, ...Motion.sides.map((side) => side.steps.at(-1)?.end ?? 0));
    Motion.now = Math.min(Motion.now, Motion.end);
    Motion.draw();
  },

  /** The steps of a story with the time at which each begins and ends, in picoseconds. */
  timed(story) {
    let now = 0;
    return story.steps.map((step) => {
      const begin = now;
      now = step.total_ps ?? now;
      return { ...step, begin, end: now };
    });
  },

  /** The step that is under way on a side: the last that has begun. */
  current(side) {
    const begun = side.steps.findLastIndex((step) => step.end > step.begin && step.begin <= Motion.now && Motion.now < step.end);
    if (begun >= 0) return begun;
    return Motion.now > 0 && Motion.now >= (side.steps.at(-1)?.end ?? 0) ? side.steps.length - 1 : -1;
  },

  play(on) {
    if (on && Motion.now >= Motion.end) Motion.now = 0;
    Motion.playing = on;
    Motion.last = null;
    if (on) requestAnimationFrame(Motion.frame);
    Motion.draw();
  },

  frame(time) {
    if (!Motion.playing) return;
    const passed = Motion.last === null ? 0 : (time - Motion.last) / 1000;
    Motion.last = time;
    Motion.now = Math.min(Motion.end, Motion.now + (Motion.end / WAY_TAKES) * SPEEDS[Motion.speed] * passed);
    if (Motion.now >= Motion.end) Motion.playing = false;
    Motion.draw();
    if (Motion.playing) requestAnimationFrame(Motion.frame);
  },

  /** Goes on to where the next step of either side begins or ends. */
  step() {
    Motion.playing = false;
    const times = Motion.sides.flatMap((side) => side.steps.map((step) => step.end)).filter((time) => time > Motion.now);
    Motion.now = times.length > 0 ? Math.min(...times) : 0;
    Motion.draw();
    byId("said").textContent = Motion.sides.map((side) => `${side.name}: ${Motion.words(side)}`).join(". ");
  },

  restart() {
    Motion.now = 0;
    Motion.draw();
  },

  faster(by) {
    Motion.speed = Math.max(0, Math.min(SPEEDS.length - 1, Motion.speed + by));
    Motion.draw();
  },

  draw() {
    byId("play").textContent = Motion.playing ? "❚❚ Pause" : "▶ Play";
    byId("play").setAttribute("aria-pressed", Motion.playing);
    byId("clock").textContent = Words.seconds(Motion.now / 1e12);
    byId("speed").textContent = `speed × ${SPEEDS[Motion.speed]}`;
    byId("slower").disabled = Motion.speed === 0;
    byId("faster").disabled = Motion.speed === SPEEDS.length - 1;
    for (const side of Motion.sides) Motion.drawSide(side);
  },

  drawSide(side) {
    const current = Motion.current(side);
    side.items.forEach((item, index) => {
      item.toggleAttribute("aria-current", index === current);
      item.classList.toggle("past", side.steps[index].end <= Motion.now && index !== current && Motion.now > 0);
    });
    side.progress.textContent = Motion.words(side);
    Motion.drawBytes(side, side.steps[current]);
  },

  /** What happens now, in words. */
  words(side) {
    const step = side.steps[Motion.current(side)];
    if (!step) return "the request has not begun";
    if (Motion.now >= (side.steps.at(-1)?.end ?? 0)) return `done after ${Words.seconds(side.steps.at(-1).end / 1e12)}`;
    if (step.kind === "control") return `${step.who}: ${Motion.without(step.what, step.who)}`;
    return `${step.who} moves ${Words.bytes(side.bytes)}: ${Words.percent(Motion.part(step))}`;
  },

  /** What is done without its doer: "the NIC maps pages" is "maps pages" after "NIC:". */
  without(what, who) {
    return what.startsWith(`the ${who} `) ? what.slice(who.length + 5) : what;
  },

  part(step) {
    return step.end > step.begin ? Math.min(1, (Motion.now - step.begin) / (step.end - step.begin)) : 1;
  },

  drawBytes(side, step) {
    const { drawing } = side;
    for (const fill of drawing.svg.querySelectorAll(".fill")) Motion.fill(fill, 0);
    for (const acting of drawing.svg.querySelectorAll(".acting")) acting.classList.remove("acting");
    const layer = drawing.svg.querySelector(".bytes");
    const moves = step?.kind === "move" && Motion.now < step.end;
    if (!moves) layer.replaceChildren();
    if (moves) Motion.drawMove(side, step, layer);
    else Motion.drawRest(side, step);
  },

  /** Bytes stream along the leg: dots on the line, the place that they leave empties, the place that they reach fills. */
  drawMove(side, step, layer) {
    const { drawing } = side;
    const points = drawing.leg(step.hops);
    const part = Motion.part(step);
    const shape = side.name === "A"
      ? () => drawn("circle", { r: 4.5 })
      : () => drawn("rect", { x: -4, y: -4, width: 8, height: 8 });
    while (layer.childElementCount < DOTS) layer.append(shape());
    [...layer.children].forEach((dot, index) => {
      const along = (part * 3 + index / DOTS) % 1;
      const [x, y] = pointAlong(points, along);
      dot.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    });
    const [from, to] = [step.hops[0].from, step.hops.at(-1).to].map((name) => drawing.station(name)?.querySelector(".fill"));
    if (from) Motion.fill(from, 1 - part);
    if (to) Motion.fill(to, part);
  },

  /** Bytes rest where the last leg left them, and whoever acts is lit up. */
  drawRest(side, step) {
    const moved = side.steps.filter((one) => one.kind === "move" && one.end <= Motion.now && Motion.now > 0).at(-1);
    const rests = moved && side.drawing.station(moved.hops.at(-1).to)?.querySelector(".fill");
    if (rests) Motion.fill(rests, 1);
    if (step?.kind !== "control" || Motion.now >= step.end) return;
    const place = { NIC: "nic", target: "storage", fabric: "storage", GPU: "hbm", "copy engine": "hbm" }[step.who];
    const acting = place ? side.drawing.station(place) : side.drawing.svg.querySelector(".root_complex");
    acting?.classList.add("acting");
  },

  /** Buffers fill from the left, GPUs and NICs from their foot. */
  fill(rect, part) {
    const whole = rect.previousElementSibling;
    if (rect.parentElement.classList.contains("buffer")) {
      rect.setAttribute("width", Number(whole.getAttribute("width")) * part);
      return;
    }
    const height = Number(whole.getAttribute("height"));
    rect.setAttribute("height", height * part);
    rect.setAttribute("y", Number(whole.getAttribute("y")) + height * (1 - part));
  },
};

/** A point on a row of lines, by the share of its length. */
function pointAlong(points, share) {
  const lengths = points.slice(1).map(([x, y], index) => Math.hypot(x - points[index][0], y - points[index][1]));
  let left = share * lengths.reduce((sum, length) => sum + length, 0);
  for (const [index, length] of lengths.entries()) {
    if (left <= length && length > 0) {
      const [[x1, y1], [x2, y2]] = [points[index], points[index + 1]];
      return [x1 + ((x2 - x1) * left) / length, y1 + ((y2 - y1) * left) / length];
    }
    left -= length;
  }
  return points.at(-1);
}
