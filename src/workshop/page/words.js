// Figures as people read them, the way hopsim prints them in a terminal, and a few helpers for building elements.
"use strict";

const Words = {
  /** Four significant digits, without trailing zeros. */
  significant(value) {
    if (value === 0 || !Number.isFinite(value)) return String(value);
    const magnitude = Math.floor(Math.log10(Math.abs(value)));
    const text = value.toFixed(Math.min(100, Math.max(3 - magnitude, 0)));
    return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  },

  scaled(value, units) {
    const unit = units.find(([worth]) => Math.abs(value) >= worth) ?? units[units.length - 1];
    return `${Words.significant(value / unit[0])} ${unit[1]}`;
  },

  seconds(value) {
    if (value === 0 || !Number.isFinite(value)) return `${value} s`;
    return Words.scaled(value, [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]]);
  },

  gbPerSecond(value) {
    return value !== 0 && Math.abs(value) < 0.1
      ? `${Words.significant(value * 1e3)} MB/s`
      : `${Words.significant(value)} GB/s`;
  },

  bytes(value) {
    const binary = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];
    const whole = binary.find(([worth]) => value >= worth && value % worth === 0);
    if (whole && value % 1e6 !== 0 && value / whole[0] < 1024) return `${value / whole[0]} ${whole[1]}`;
    if (value === 0) return "0 B";
    return Words.scaled(value, [[1e15, "PB"], [1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]);
  },

  percent(share) {
    return share > 0 && share < 0.0005 ? "< 0.1 %" : `${(share * 100).toFixed(1)} %`;
  },

  count(value) {
    return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  },

  /** A station as a person calls it. */
  station(name) {
    return { hbm: "HBM", nic: "NIC", pcie: "PCIe", storage: "storage" }[name] ?? name.replaceAll("_", " ");
  },

  /**
   * A typed figure in the unit of everything: seconds, bytes, bytes a second, or a bare number. `unit` is what a number
   * without a unit is taken to be in. NaN where it is no figure.
   */
  figure(text, unit = "") {
    const match = /^~?\s*([-+]?[\d.,]+(?:e[-+]?\d+)?)\s*(.*)$/i.exec(text.trim());
    if (!match) return { value: NaN, unit: "" };
    const typed = match[2].trim().replace(/µ/g, "u");
    return { value: Number(match[1].replaceAll(",", "")) * Words.worth(typed || unit), unit: typed || unit };
  },

  worth(unit) {
    const powers = { "": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
    const amount = /^([kKMGTP]i?|)([Bb])(\/s)?$/.exec(unit);
    if (amount) return (powers[amount[1]] ?? NaN) / (amount[2] === "b" ? 8 : 1);
    return { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, min: 60, h: 3600, "%": 0.01 }[unit] ?? 1;
  },
};

/** An element with attributes and children; texts become text, never markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  return filled(made, attributes, children);
}

/** The same for pictures. */
function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const byId = (id) => document.getElementById(id);
