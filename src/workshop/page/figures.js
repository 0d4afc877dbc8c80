// Figures: the head line of each side, its steps, utilisation bars, and the table of both paths.
"use strict";

/** Rows of the table: label, key of a work, and how it is written. */
const FIGURES = [
  ["time", "duration_s", Words.seconds],
  ["range over assumed figures", "range", null],
  ["throughput", "throughput_gb_s", Words.gbPerSecond],
  ["ceiling", "ceiling_gb_s", Words.gbPerSecond],
  ["set by", "ceiling_by", String],
  ["line rate", "line_rate_gb_s", Words.gbPerSecond],
  ["moved", "bytes", Words.bytes],
  ["requests", "requests", Words.count],
  ["mean latency", "latency_us.mean", (us) => Words.seconds(us / 1e6)],
  ["99th percentile", "latency_us.p99", (us) => Words.seconds(us / 1e6)],
  ["hops", "hops.length", String],
  ["through system memory", "dram_bytes", Words.bytes],
  ["PCIe crossings per byte", "pcie_crossings", String],
  ["CPU copies per byte", "cpu_copies", String],
  ["CPU time", "cpu_s", Words.seconds],
  ["peak in host buffers", "peak_host_bytes", Words.bytes],
];

const Figures = {
  /** The value at a dotted key of a work. */
  at(work, key) {
    return key.split(".").reduce((value, name) => value?.[name], work) ?? null;
  },

  /** The head line of a side: how long, how fast, what binds. */
  headline(work, isEstimate) {
    const binds = work.binding[0];
    const taken = work.path_taken === work.path_asked ? "" : `asked for ${work.path_asked}, took ${work.path_taken}: ${work.why.join("; ")}`;
    return element("div", { class: "headline" },
      element("p", { class: "big" }, isEstimate ? element("span", { class: "about", role: "img", "aria-label": "about", title: "a first estimate; the figures follow" }, "≈") : null,
        element("b", { "data-figure": "duration_s", "data-value": work.duration_s }, Words.seconds(work.duration_s)),
        element("span", { "data-figure": "throughput_gb_s", "data-value": work.throughput_gb_s }, Words.gbPerSecond(work.throughput_gb_s))),
      element("p", { class: "binds-line" }, "binds: ", element("b", { "data-figure": "binding" }, binds?.name ?? "nothing"),
        ` ${Words.percent(binds?.share ?? 0)} of the time`),
      taken ? element("p", { class: "taken" }, taken) : null);
  },

  /** The steps of a story as a list; the items are lit up as time passes. */
  steps(story) {
    let hop = 0;
    const item = (step) => {
      if (step.kind === "control") return [`${step.who}: ${Motion.without(step.what, step.who)}`, step.ps];
      if (step.kind === "hold") return [`takes a place of ${step.slot}`, null];
      if (step.kind === "rest") return [step.arrived ? `arrived: ${Words.station(step.at)}` : `rest in the ${Words.station(step.at)}`, null];
      const ways = step.hops.map((one) => `hop ${(hop += 1)}: ${Words.station(one.from)} → ${Words.station(one.to)}`);
      const pace = step.pace ? `, at the pace of ${step.pace.by}` : "";
      return [`${step.who}: ${ways.join(", ")}${pace}`, step.ps];
    };
    return story.steps.map((step) => {
      const [text, ps] = item(step);
      return element("li", { class: step.kind },
        element("span", {}, text), ps === null ? null : element("span", { class: "takes" }, Words.seconds(ps / 1e12)));
    });
  },

  /** Resources that differ in their number only, in one bar. */
  gathered(resources) {
    const groups = new Map();
    for (const resource of resources) {
      const name = resource.name.replace(/\d+/, "*");
      const group = groups.get(name) ?? { name, first: resource, count: 0, utilisation: 0 };
      group.count += 1;
      group.utilisation = Math.max(group.utilisation, resource.utilisation);
      groups.set(name, group);
    }
    return [...groups.values()].sort((one, other) => other.utilisation - one.utilisation);
  },

  bars(work) {
    const bar = (group) => {
      const name = group.count === 1 ? group.first.name : `${group.name.replace("*", "")} × ${group.count}`;
      const fill = element("span", { class: "fill" });
      fill.style.width = `${Math.min(1, group.utilisation) * 100}%`;
      return element("li", { title: `${Words.gbPerSecond(group.first.rate_gb_s)} each` },
        element("span", { class: "resource" }, name), element("span", { class: "track", "aria-hidden": "true" }, fill),
        element("span", { class: "value", "data-resource": group.first.name, "data-value": group.utilisation }, Words.percent(group.utilisation)));
    };
    return element("ul", { class: "bars", "aria-label": "Utilisation" }, Figures.gathered(work.resources).map(bar));
  },

  /** A side: its controls, figures, drawing, steps. Gives what the motion needs. */
  side(name, point, work, width) {
    const story = point.stories.find((one) => one.work === work.name);
    const way = point.drawing.ways.find((one) => one.work === work.name);
    const drawing = new NodeDrawing(point.drawing, way, story.gpu, width);
    drawing.mark(work.binding[0]?.name);
    const items = Figures.steps(story);
    const progress = element("p", { class: "progress" });
    const cut = story.cut ? `, in ${Words.count(story.cut.pieces)} pieces side by side; the steps are those of one part` : "";
    const parts = [
      Figures.headline(work, point.report.mode === "stream"), drawing.svg, progress, element("h3", {}, "Utilisation"), Figures.bars(work),
      element("details", { class: "steps", open: window.innerWidth > 1100 },
        element("summary", {}, `One request of ${Words.bytes(story.bytes)}, alone, step by step${cut}`),
        element("ol", {}, items)),
    ];
    return { name: name.toUpperCase(), drawing, story, items, progress, bytes: story.cut?.part_bytes ?? story.bytes, parts };
  },

  table(works, isEstimate) {
    const cell = (work, key, write) => {
      if (key === "range") {
        const known = work.low_s !== null && work.high_s !== null;
        return element("td", { "data-figure": "range" }, known ? `${Words.seconds(work.low_s)} to ${Words.seconds(work.high_s)}` : "…");
      }
      const value = Figures.at(work, key);
      return element("td", { "data-figure": key, "data-value": value }, value === null ? "-" : write(value));
    };
    const head = works.map((work, index) => element("th", { scope: "col", class: "ab"[index] }, `${"AB"[index]}: ${work.name} (${work.path_taken})${isEstimate ? ", a first estimate" : ""}`));
    const rows = FIGURES.map(([label, key, write]) =>
      element("tr", {}, element("th", { scope: "row" }, label), works.map((work) => cell(work, key, write))));
    return element("table", {}, element("thead", {}, element("tr", {}, element("td"), head)), element("tbody", {}, rows));
  },
};
