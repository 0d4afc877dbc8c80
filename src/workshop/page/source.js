// Where answers come from: the server, or the runs inside static files. A question that is no longer wanted is called off.
"use strict";

const Source = {
  /** The data inside static files; null where a server computes. */
  still: globalThis.hopsimStill ?? null,
  waiting: {},

  async scenarios() {
    return Source.still ? Source.still.scenarios : Source.ask("scenarios", "api/scenarios");
  },

  /** A point; `depth` asks for a first "estimate", or for the "range" over assumed figures too. */
  async point(query, { depth = "", as = "point" } = {}) {
    if (Source.still) return Source.stillPoint(query);
    const asked = new URLSearchParams(query);
    if (depth) asked.set(depth, "1");
    return Source.ask(as, `api/point?${asked}`);
  },

  async curve(query, along, as = "curve") {
    if (Source.still) return Source.still.curves[query.get("scenario")]?.[along] ?? [];
    const asked = new URLSearchParams(query);
    asked.delete(along);
    asked.set("along", along);
    return Source.ask(as, `api/curve?${asked}`);
  },

  hasCurve(scenario, along) {
    return !Source.still || along in (Source.still.curves[scenario] ?? {});
  },

  async titles() {
    return Source.still ? Source.still.titles : Source.ask("titles", "api/lessons");
  },

  async lesson(name) {
    if (!Source.still) return Source.ask("lesson", `api/lesson/${encodeURIComponent(name)}`);
    const told = Source.still.lessons[name];
    if (!told) throw new Refusal("there is no lesson of this name", "the page lists those that there are");
    return told;
  },

  stillPoint(query) {
    const others = [...query.keys()].filter((key) => key !== "scenario");
    if (others.length > 0) {
      throw new Refusal("static files hold the scenarios as they are", "run `hopsim serve` to move sliders and choose paths");
    }
    const point = Source.still.points[query.get("scenario")];
    if (!point) throw new Refusal(`there is no scenario called "${query.get("scenario")}"`, "choose one from the list");
    return point;
  },

  /** Calls off what was asked of these kinds. */
  callOff(...kinds) {
    for (const kind of kinds) Source.waiting[kind]?.abort();
  },

  /** Asks the server; a new question of the same kind calls the one before off. */
  async ask(kind, address) {
    Source.callOff(kind);
    const control = new AbortController();
    Source.waiting[kind] = control;
    // What is called off may be so before its answer has come, or in the middle of it.
    const failed = (message) => (error) => {
      throw error.name === "AbortError" ? error : new Refusal(message, "see whether `hopsim serve` still runs");
    };
    const response = await fetch(address, { signal: control.signal }).catch(failed("the server does not answer"));
    const answer = await response.json().catch(failed(`the server says ${response.status}, and nothing that can be read`));
    if (!response.ok) throw new Refusal(answer.message, answer.help);
    return answer;
  },
};

/** Why there is no answer, in words for the page. */
class Refusal extends Error {
  constructor(message, help) {
    super(message);
    this.help = help ?? "";
  }
}
