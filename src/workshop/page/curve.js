// The saturation curve: throughput of both sides along one slider, with the ceiling and what binds.
"use strict";

const CURVE = { left: 58, right: 14, top: 30, foot: 46, height: 320 };

const Curve = {
  /** Draws the curves; `sides` are `{ name, places, work }` with the places in the slider's order. */
  draw(sides, slider, width) {
    const rows = sides.map((side) => ({ ...side, points: Curve.points(side) }));
    const values = rows[0]?.places.map((place) => place.value) ?? [];
    const highest = Math.max(0, ...rows.flatMap((row) => row.points.map((point) => point.y)));
    const room = { width: Math.max(300, width), values, top: Curve.nice(highest * 1.12), slider };
    const svg = drawn("svg", {
      viewBox: `0 0 ${room.width} ${CURVE.height}`, width: room.width, height: CURVE.height, class: "curve", role: "img",
      "aria-label": `Throughput along ${slider.label}; the values are in the table below`,
    }, Curve.frame(room), Curve.here(room), rows.map((row) => Curve.ceiling(row, room)), rows.map((row, index) => Curve.line(row, room, rows[index - 1])), Curve.legend(rows, room));
    byId("curve").replaceChildren(svg);
    byId("curve-table").replaceChildren(Curve.table(rows, slider));
  },

  /** The heights of a side's work; places where nothing could run are left out. */
  points(side) {
    return side.places.flatMap((place, index) => {
      const work = place.works.find((one) => one.name === side.work);
      return work ? [{ index, y: work.throughput_gb_s, ceiling: work.ceiling_gb_s, binds: work.binds, value: place.value }] : [];
    });
  },

  /** A round figure at or above a value. */
  nice(value) {
    const power = 10 ** Math.floor(Math.log10(value || 1));
    return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((part) => part * power).find((round) => round >= value) ?? value;
  },

  x(room, index) {
    const span = room.width - CURVE.left - CURVE.right - 24;
    return CURVE.left + 12 + (room.values.length > 1 ? (index / (room.values.length - 1)) * span : span / 2);
  },

  y(room, value) {
    return CURVE.height - CURVE.foot - (value / room.top) * (CURVE.height - CURVE.top - CURVE.foot);
  },

  frame(room) {
    const lines = [0, 0.25, 0.5, 0.75, 1].map((part) => {
      const y = Curve.y(room, part * room.top);
      return drawn("g", {}, drawn("line", { class: "grid", x1: CURVE.left, x2: room.width - CURVE.right, y1: y, y2: y }),
        drawn("text", { x: CURVE.left - 6, y: y + 4, "text-anchor": "end" }, Words.significant(part * room.top)));
    });
    const every = Math.ceil((room.values.length * 58) / (room.width - CURVE.left));
    const marks = room.values.map((value, index) => index % every > 0 ? null
      : drawn("text", { x: Curve.x(room, index), y: CURVE.height - CURVE.foot + 18, "text-anchor": "middle" }, value));
    const unit = room.slider.unit ? ` (${room.slider.unit})` : "";
    return drawn("g", { class: "frame" }, lines, marks.filter(Boolean),
      drawn("text", { x: 4, y: 14, class: "axis" }, "throughput, GB/s"),
      drawn("text", { x: room.width - CURVE.right, y: CURVE.height - 6, "text-anchor": "end", class: "axis" }, `${room.slider.label}${unit} →`));
  },

  /** Where the slider stands now. */
  here(room) {
    const value = State.moved[room.slider.knob] ?? room.slider.values[room.slider.own];
    const worth = (text) => Words.figure(text).value;
    const index = room.values.findLastIndex((one) => worth(one) <= worth(value));
    if (index < 0) return drawn("g");
    const next = room.values[index + 1];
    const between = next && worth(value) > worth(room.values[index])
      ? Math.log(worth(value) / worth(room.values[index])) / Math.log(worth(next) / worth(room.values[index])) : 0;
    const x = Curve.x(room, index + between);
    return drawn("g", { class: "here" }, drawn("line", { x1: x, x2: x, y1: CURVE.top, y2: CURVE.height - CURVE.foot }));
  },

  ceiling(row, room) {
    const points = row.points.map((point) => `${Curve.x(room, point.index)},${Math.max(CURVE.top - 6, Curve.y(room, point.ceiling)).toFixed(1)}`);
    return drawn("polyline", { class: `ceiling ${row.name.toLowerCase()}`, points: points.join(" ") });
  },

  /** A side's line; what binds is written where it changes, unless the side before says the same there. */
  line(row, room, before) {
    const side = row.name.toLowerCase();
    const at = (point) => [Curve.x(room, point.index), Curve.y(room, point.y)];
    const mark = (point) => {
      const [x, y] = at(point);
      const title = drawn("title", {}, `${row.name} at ${point.value}: ${Words.gbPerSecond(point.y)}, bound by ${point.binds}`);
      return side === "a" ? drawn("circle", { cx: x, cy: y, r: 4.5 }, title) : drawn("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }, title);
    };
    const said = (point) => before?.points.some((other) => other.index === point.index && other.binds === point.binds);
    const changes = row.points.filter((point, index) => point.binds !== row.points[index - 1]?.binds && !said(point));
    const notes = changes.map((point) => {
      const [x, y] = at(point);
      const last = x > room.width - 130;
      return drawn("text", { x: last ? x - 6 : x + 6, y: side === "a" || y > CURVE.height - CURVE.foot - 24 ? Math.max(12, y - 9) : y + 17, class: "note", "text-anchor": last ? "end" : "start" }, point.binds);
    });
    return drawn("g", { class: `line ${side}` },
      drawn("polyline", { points: row.points.map((point) => at(point).map((one) => one.toFixed(1)).join(",")).join(" ") }),
      row.points.map(mark), notes);
  },

  legend(rows, room) {
    const texts = rows.map((row, index) =>
      drawn("text", { x: CURVE.left + index * ((room.width - CURVE.left) / 2), y: CURVE.height - 6, class: `key ${row.name.toLowerCase()}` }, `${row.name === "A" ? "●" : "■"} ${row.name} ${row.work}`));
    return room.width > 520 ? drawn("g", {}, texts) : drawn("g");
  },

  table(rows, slider) {
    const cell = (place, row) => {
      const work = place.works.find((one) => one.name === row.work);
      return element("td", {}, work ? `${Words.gbPerSecond(work.throughput_gb_s)}, ${work.binds}` : place.fault ?? "-");
    };
    return element("table", {},
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, slider.label), rows.map((row) => element("th", { scope: "col" }, `${row.name}: ${row.work}`)))),
      element("tbody", {}, (rows[0]?.places ?? []).map((place, index) =>
        element("tr", {}, element("th", { scope: "row" }, place.value), rows.map((row) => cell(row.places[index], row))))));
  },
};
