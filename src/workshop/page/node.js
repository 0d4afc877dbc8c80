// The node, drawn from its places: storage above, NICs and GPUs by socket, system memory between the sockets.
"use strict";

/** Rows of the drawing, from the top. */
const ROWS = { storage: 8, network: 62, nic: 96, complex: 152, gpu: 296, foot: 358 };
const HEIGHT = { storage: 40, nic: 32, complex: 104, gpu: 56 };
const GAP = 14;

class NodeDrawing {
  /** Draws the node of a side; `way` is that of the side's work, `gpu` the one whose request is told. */
  constructor(drawing, way, gpu, width) {
    this.drawing = drawing;
    this.way = way;
    this.width = Math.max(300, Math.min(width, 680));
    this.labels = [];
    this.lane = way.lanes.find((lane) => lane.gpu === gpu) ?? way.lanes[0];
    this.place();
    this.svg = drawn("svg", {
      viewBox: `0 0 ${this.width} ${ROWS.foot}`, width: this.width, height: ROWS.foot, class: "node", role: "img",
      "aria-label": this.description(),
    }, this.devices(), this.ways(), drawn("g", { class: "labels" }, this.labels), drawn("g", { class: "bytes", "aria-hidden": "true" }));
  }

  description() {
    const hops = this.way.stations.map(Words.station).join(", ");
    const { gpus, nics, sockets } = this.drawing;
    return `${gpus} GPUs, ${nics} NICs, ${sockets.length} sockets. ${this.way.path}: ${hops}.`;
  }

  /** Columns: the sockets, with system memory after the first half of them. */
  place() {
    const { sockets, switches } = this.drawing;
    const memory = Math.min(130, this.width * 0.27);
    const before = Math.ceil(sockets.length / 2);
    const column = (this.width - memory - GAP * sockets.length - 4) / sockets.length;
    this.columns = new Map();
    this.gpus = new Map();
    this.nics = new Map();
    let x = 2;
    sockets.forEach((socket, index) => {
      if (index === before) x += this.memoryAt(x, memory) + GAP;
      const below = switches.filter((other) => other.socket === socket.socket);
      this.columns.set(socket.socket, { x, width: column });
      this.spread(this.gpus, [...socket.gpus, ...below.flatMap((one) => one.gpus)], x, column, socket.socket);
      this.spread(this.nics, [...socket.nics, ...below.flatMap((one) => one.nics)], x, column, socket.socket);
      x += column + GAP;
    });
    if (sockets.length === before) this.memoryAt(x, memory);
  }

  memoryAt(x, width) {
    this.memory = { x, width };
    return width;
  }

  /** Devices side by side across a column, those in use and those that are not. */
  spread(devices, numbers, x, column, socket) {
    const gap = numbers.length > 6 ? 2 : 5;
    const width = Math.min(72, (column - gap * (numbers.length - 1)) / Math.max(numbers.length, 1));
    const start = x + (column - width * numbers.length - gap * (numbers.length - 1)) / 2;
    numbers.sort((one, other) => one - other).forEach((number, index) => {
      devices.set(number, { x: start + index * (width + gap), width, socket });
    });
  }

  devices() {
    const { drawing, width, memory } = this;
    const parts = [
      this.box("target", 2, ROWS.storage, width - 4, HEIGHT.storage, ["storage", drawing.target]),
      drawing.transport && this.label(width / 2, ROWS.network + 14, drawing.fabric ?? `network, ${drawing.transport}`, "faint"),
    ];
    for (const [, column] of this.columns) {
      parts.push(this.box("root_complex", column.x, ROWS.complex, column.width, HEIGHT.complex, []));
    }
    for (const [number, column] of this.columns) {
      parts.push(this.label(column.x + 7, ROWS.complex + 16, `socket ${number}${column.width > 150 ? ", PCIe root" : ""}`, "faint", "start"));
    }
    parts.push(this.box("dram", memory.x, ROWS.complex - 14, memory.width, HEIGHT.complex + 28, []));
    parts.push(this.label(memory.x + memory.width / 2, ROWS.complex + 3, memory.width > 100 ? "system memory" : "memory", "name"));
    parts.push(this.label(memory.x + memory.width / 2, ROWS.gpu + 24, "GPUs", "name"), this.label(memory.x + memory.width / 2, ROWS.gpu + 41, "with HBM", "faint"));
    for (const station of ["kernel buffer", "user buffer"]) parts.push(this.buffer(station));
    for (const [number, nic] of this.nics) parts.push(this.device("nic", number, nic, ROWS.nic, HEIGHT.nic, drawing.nics));
    for (const [number, gpu] of this.gpus) parts.push(this.device("gpu", number, gpu, ROWS.gpu, HEIGHT.gpu, drawing.gpus));
    return drawn("g", { class: "devices" }, parts.filter(Boolean));
  }

  buffer(station) {
    const { x, y, width, height } = this.buffers()[station];
    return drawn("g", { class: "buffer", "data-place": station },
      drawn("rect", { x, y, width, height, rx: 4 }),
      drawn("rect", { x, y, width: 0, height, rx: 4, class: "fill" }),
      this.label(x + width / 2, y + height / 2 + 4, width > 84 ? station : station.split(" ")[0], "small"));
  }

  buffers() {
    const { x, width } = this.memory;
    const box = (y) => ({ x: x + 8, y, width: width - 16, height: 26 });
    return { "kernel buffer": box(ROWS.complex + 16), "user buffer": box(ROWS.complex + 72) };
  }

  device(kind, number, at, y, height, inUse) {
    const used = number < inUse;
    const roomy = at.width >= 46;
    const name = roomy ? `${kind.toUpperCase()} ${number}` : String(number);
    const parts = [
      drawn("rect", { x: at.x, y, width: at.width, height, rx: 5 }),
      drawn("rect", { x: at.x, y, width: at.width, height: 0, rx: 5, class: "fill" }),
      this.label(at.x + at.width / 2, y + height / 2 + 5, name, "name"),
    ];
    return drawn("g", { class: `device ${kind} ${used ? "" : "unused"}`, "data-place": `${kind}${number}` }, parts,
      drawn("title", {}, `${kind.toUpperCase()} ${number}${used ? "" : ", not in use"}`));
  }

  box(place, x, y, width, height, lines) {
    const texts = lines.filter(Boolean).map((line, index) =>
      this.label(x + width / 2, y + 16 + index * 16, this.fitted(line, width), index === 0 ? "name" : "faint"));
    return drawn("g", { class: `device ${place}`, "data-place": place }, drawn("rect", { x, y, width, height, rx: 6 }), texts.filter(Boolean));
  }

  /** A title short enough for its box; letters are about six units wide. */
  fitted(line, width) {
    const most = Math.floor(width / 6.3);
    return line.length > most ? `${line.slice(0, most - 1)}…` : line;
  }

  /** A text that stands over everything else. */
  label(x, y, text, kind, anchor = "middle") {
    this.labels.push(drawn("text", { x, y, class: kind, "text-anchor": anchor }, text));
    return null;
  }

  /** The ways of all lanes; the one that is told stands out. */
  ways() {
    const lines = this.way.lanes.map((lane) => drawn("polyline", {
      class: lane === this.lane ? "way told" : "way",
      points: this.whole(lane).map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "),
    }));
    return drawn("g", { class: "ways" }, lines);
  }

  whole(lane) {
    const { stations } = this.way;
    return stations.slice(1).flatMap((to, index) => this.hop(lane, stations[index], to, index === 0));
  }

  /** The points of a hop; without the beginning where the hop before has led there. */
  hop(lane, from, to, first = true) {
    const points = [this.point(lane, from, to), ...this.turns(lane, from, to), this.point(lane, to, from)];
    return first ? points : points.slice(1);
  }

  /** Where bytes are at a station when they come from or go to another. */
  point(lane, station, other) {
    const gpu = this.gpus.get(lane.gpu);
    const nic = lane.nic === null ? null : this.nics.get(lane.nic);
    const middle = (box) => box.x + box.width / 2;
    switch (station) {
      case "storage": return [nic ? middle(nic) : middle(gpu), ROWS.storage + HEIGHT.storage - 6];
      case "nic": return [nic ? middle(nic) : middle(gpu), ROWS.nic + HEIGHT.nic / 2];
      case "pcie": return [middle(gpu), ROWS.complex + (other?.endsWith("buffer") ? 85 : HEIGHT.complex / 2)];
      case "hbm": return [middle(gpu), ROWS.gpu + 5];
      default: return this.bufferPoint(lane, station);
    }
  }

  /** A buffer is entered and left on the side of the socket. */
  bufferPoint(lane, station) {
    const box = this.buffers()[station];
    return [this.gpus.get(lane.gpu).x < box.x ? box.x + 7 : box.x + box.width - 7, box.y + box.height / 2];
  }

  /** The corners between two stations, so that lines run along rows and columns. */
  turns(lane, from, to) {
    const a = this.point(lane, from, to);
    const b = this.point(lane, to, from);
    if (a[0] === b[0] || a[1] === b[1]) return [];
    const names = [from, to];
    const buffered = names.some((name) => name.endsWith("buffer"));
    // Between NIC and buffer the line first leaves the NIC; between NIC and GPU it crosses at the root complex.
    const across = buffered ? (from.endsWith("buffer") ? a[1] : b[1]) : ROWS.complex + HEIGHT.complex / 2;
    return [[a[0], across], [b[0], across]].filter(([x, y]) => (x !== a[0] || y !== a[1]) && (x !== b[0] || y !== b[1]));
  }

  /** The points of a leg's hops, one row. */
  leg(hops) {
    return hops.flatMap((hop, index) => this.hop(this.lane, hop.from, hop.to, index === 0));
  }

  /** The element of a station on the told lane. */
  station(name) {
    const place = { storage: "target", nic: `nic${this.lane.nic}`, hbm: `gpu${this.lane.gpu}` }[name] ?? name;
    return this.svg.querySelector(`[data-place="${place}"]`);
  }

  /** Marks what binds. */
  mark(binding) {
    const kinds = [["nic", "nic"], ["target", "target"], ["fabric", "target"], ["dram", "dram"], ["root_complex", "root_complex"],
      ["socket", "root_complex"], ["copy_engine", "gpu"], ["gpu", "gpu"], ["hbm", "gpu"], ["cpu", "dram"], ["switch", "root_complex"]];
    const kind = kinds.find(([start]) => binding?.startsWith(start))?.[1];
    for (const device of this.svg.querySelectorAll(".device")) device.classList.toggle("binds", device.classList.contains(kind));
  }
}
