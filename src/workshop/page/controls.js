// The scenario, the sliders and the choices of each side.
"use strict";

const Controls = {
  /** The scenarios by name, as the server lists them. */
  scenarios: {},

  /** Fills the list of scenarios. */
  list(scenarios) {
    Controls.scenarios = Object.fromEntries(scenarios.map((scenario) => [scenario.name, scenario]));
    byId("scenario").replaceChildren(
      ...scenarios.map(({ name, fault }) => element("option", { value: name, disabled: Boolean(fault), title: fault }, name)),
    );
  },

  scenario() {
    return Controls.scenarios[State.scenario];
  },

  /** Gives each side a work of the scenario where the link names none: the first, and the first that takes another path. */
  settle() {
    const scenario = Controls.scenario();
    if (!scenario) return;
    const works = scenario.works;
    const has = (name) => works.some((work) => work.name === name);
    if (!has(State.a.work)) State.a = { work: works[0]?.name ?? "", path: "" };
    const own = works.find((work) => work.name === State.a.work)?.path;
    const other = works.find((work) => work.path !== own) ?? works.find((work) => work.name !== State.a.work);
    if (!has(State.b.work)) State.b = other ? { work: other.name, path: "" } : Controls.twin(scenario, State.a);
    if (!scenario.sliders.some((slider) => slider.knob === State.along)) State.along = scenario.sliders[0]?.knob ?? "";
  },

  /** The same work by another path, for a scenario with one work. */
  twin(scenario, side) {
    const own = scenario.works.find((work) => work.name === side.work)?.path ?? "";
    const verb = own.endsWith("write") ? "write" : "read";
    const path = own.startsWith("gds") ? `bounce-${verb}` : `gds-${verb}`;
    return { work: side.work, path: Source.still ? "" : path };
  },

  /** Draws all controls anew. */
  draw() {
    const scenario = Controls.scenario();
    byId("scenario").value = scenario ? State.scenario : "";
    byId("title").textContent = scenario?.title ?? "";
    if (!scenario) return;
    const hardware = ["nics", "gpu_lanes", "nic_lanes", "target_rate"];
    for (const [id, wanted] of [["load", (knob) => !hardware.includes(knob)], ["hardware", (knob) => hardware.includes(knob)]]) {
      const legend = byId(id).querySelector("legend");
      byId(id).replaceChildren(legend, ...scenario.sliders.filter(({ knob }) => wanted(knob)).map(Controls.slider));
    }
    byId("still-note").hidden = !Source.still;
    byId("reset").disabled = Boolean(Source.still);
    byId("along").replaceChildren(
      ...scenario.sliders.filter(({ knob }) => Source.hasCurve(State.scenario, knob))
        .map(({ knob, label }) => element("option", { value: knob, selected: knob === State.along }, label)),
    );
  },

  /** One slider: its positions are the values in order. */
  slider(slider) {
    const id = `slider-${slider.knob}`;
    const at = Controls.position(slider);
    const shown = element("output", { for: id }, Controls.text(slider, slider.values[at]));
    const input = element("input", {
      type: "range", id, name: slider.knob, min: 0, max: slider.values.length - 1, step: 1, value: at,
      "aria-valuetext": Controls.text(slider, slider.values[at]), disabled: Boolean(Source.still),
      oninput: () => {
        const value = slider.values[Number(input.value)];
        const text = Controls.text(slider, value);
        shown.textContent = text;
        input.setAttribute("aria-valuetext", text);
        wrapper.classList.toggle("moved", Controls.move(slider, Number(input.value)));
        Page.changed();
      },
    });
    const wrapper = element("div", { class: "slider" },
      element("label", { for: id, title: slider.key }, slider.label), shown, input);
    wrapper.classList.toggle("moved", slider.knob in State.moved);
    return wrapper;
  },

  /** Where a slider stands; the nearest value where a link names one between two. */
  position(slider) {
    const wanted = State.moved[slider.knob];
    if (wanted === undefined) return slider.own;
    const exact = slider.values.indexOf(wanted);
    if (exact >= 0) return exact;
    const worth = Words.figure(wanted).value;
    const beyond = slider.values.findIndex((value) => Words.figure(value).value >= worth);
    return beyond < 0 ? slider.values.length - 1 : beyond;
  },

  text(slider, value) {
    const unit = slider.unit ? ` ${slider.unit === "lanes" && value === "1" ? "lane" : slider.unit}` : "";
    const mixed = slider.mixed && !(slider.knob in State.moved) ? " (works differ)" : "";
    return `${value}${unit}${mixed}`;
  },

  /** Notes where a slider was moved to; says whether that differs from the file. */
  move(slider, position) {
    const isOwn = position === slider.own && !slider.mixed;
    if (isOwn) delete State.moved[slider.knob];
    else State.moved[slider.knob] = slider.values[position];
    return !isOwn;
  },

  /** The head of a side: which work, and which path it takes. */
  head(side) {
    const scenario = Controls.scenario();
    const chosen = State[side];
    const own = scenario.works.find((work) => work.name === chosen.work)?.path ?? "";
    const direction = scenario.paths.find((path) => path.name === own)?.direction;
    const paths = scenario.paths.filter((path) => path.direction === direction);
    const name = side.toUpperCase();
    const work = element("select", {
      id: `work-${side}`,
      onchange: () => Controls.choose(side, { work: work.value, path: "" }),
    }, scenario.works.map((one) => element("option", { value: one.name, selected: one.name === chosen.work }, one.name)));
    const path = element("select", {
      id: `path-${side}`, disabled: Boolean(Source.still),
      onchange: () => Controls.choose(side, { work: chosen.work, path: path.value === own ? "" : path.value }),
    }, paths.map((one) => element("option", { value: one.name, title: one.title, selected: one.name === (chosen.path || own) }, one.name)));
    return element("div", { class: "head" },
      element("h2", {}, element("span", { class: "badge" }, name), element("span", { class: "unseen" }, ` Path ${name}`)),
      element("label", {}, "Work ", work), element("label", {}, "Path ", path));
  },

  choose(side, chosen) {
    State[side] = chosen;
    Page.changed();
    // The choice made the select anew: whoever chose by keyboard stays where they were.
    Page.focusAfter = document.activeElement?.id ?? "";
  },
};
