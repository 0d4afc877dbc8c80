// What is shown, as a link: the scenario, the sliders that were moved, the two sides, the curve's axis, the view.
"use strict";

const State = {
  scenario: "",
  /** Sliders that were moved: name to value as it is written. */
  moved: {},
  /** The two sides: a work and the path that it takes ("" for its own). */
  a: { work: "", path: "" },
  b: { work: "", path: "" },
  along: "size",
  view: "explore",
  lesson: "",

  /** Reads the link's fragment; what it does not name is as at first. */
  read(fragment) {
    const named = new URLSearchParams(fragment.replace(/^#/, ""));
    const known = ["scenario", "a", "b", "a.path", "b.path", "along", "view", "lesson"];
    State.scenario = named.get("scenario") ?? "";
    State.a = { work: named.get("a") ?? "", path: named.get("a.path") ?? "" };
    State.b = { work: named.get("b") ?? "", path: named.get("b.path") ?? "" };
    State.along = named.get("along") ?? "size";
    State.view = named.get("view") === "lessons" ? "lessons" : "explore";
    State.lesson = named.get("lesson") ?? "";
    State.moved = Object.fromEntries([...named].filter(([key]) => !known.includes(key)));
  },

  /** The fragment that restores all of it. */
  fragment() {
    const named = new URLSearchParams({ scenario: State.scenario, ...State.moved });
    for (const side of ["a", "b"]) {
      named.set(side, State[side].work);
      if (State[side].path) named.set(`${side}.path`, State[side].path);
    }
    named.set("along", State.along);
    if (State.view === "lessons") named.set("view", "lessons");
    if (State.lesson) named.set("lesson", State.lesson);
    return `#${named}`;
  },

  /** Writes the fragment into the address without a step in the browser's history. */
  write() {
    history.replaceState(null, "", State.fragment());
  },

  /** The question about a side; both sides share one where their works differ. */
  query(side) {
    const query = new URLSearchParams({ scenario: State.scenario, ...State.moved });
    const sides = State.a.work === State.b.work ? [State[side]] : [State.a, State.b];
    for (const { work, path } of sides) if (work && path) query.set(`path.${work}`, path);
    return query;
  },

  /** Whether both sides come from one run. */
  isOneRun() {
    return State.query("a").toString() === State.query("b").toString();
  },
};
