// The page: what changes leads to questions, and answers to drawings.
"use strict";

/** How long a slider may move on before the next question, in milliseconds. */
const PAUSE = 40;

/** How long figures may take before the page asks for an estimate of them, in milliseconds. */
const PATIENCE = 30;

const Page = {
  points: null,
  /** The question whose figures are shown, not just an estimate of them. */
  answered: "",
  pending: 0,
  focusAfter: "",

  async begin() {
    Page.theme(Page.kept("theme") ?? "auto");
    Page.listen();
    try {
      Controls.list(await Source.scenarios());
      await Lessons.list();
    } catch (error) {
      Page.say(error);
      return;
    }
    State.read(location.hash);
    await Page.restore();
  },

  /** Shows what the state says from the beginning. */
  async restore() {
    const names = Object.keys(Controls.scenarios);
    if (!State.scenario) State.scenario = names.find((name) => name.startsWith("load") && name.endsWith("textbook")) ?? names[0] ?? "";
    Controls.settle();
    Controls.draw();
    Page.view();
    if (State.view === "lessons" && State.lesson) Page.openLesson(State.lesson);
    await Page.refresh();
  },

  listen() {
    byId("scenario").addEventListener("change", () => {
      Object.assign(State, { scenario: byId("scenario").value, moved: {}, a: { work: "", path: "" }, b: { work: "", path: "" } });
      Motion.now = 0;
      Page.restore();
    });
    byId("along").addEventListener("change", () => {
      State.along = byId("along").value;
      State.write();
      Page.curve();
    });
    byId("reset").addEventListener("click", () => {
      Object.assign(State, { moved: {}, a: { ...State.a, path: "" }, b: { ...State.b, path: "" } });
      Page.restore();
    });
    const presses = {
      play: () => Motion.play(!Motion.playing), step: Motion.step, restart: Motion.restart,
      slower: () => Motion.faster(-1), faster: () => Motion.faster(1),
      theme: Page.nextTheme, "view-explore": () => Page.see("explore"), "view-lessons": () => Page.see("lessons"),
      "copy-link": () => Page.copy(location.href, "The link"),
      "copy-command": () => Page.copy(byId("command").textContent, "The command"),
      "copy-toml": () => Page.copy(byId("toml").textContent, "The file"),
    };
    for (const [id, press] of Object.entries(presses)) byId(id).addEventListener("click", press);
    byId("sliders").addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", () => {
      State.read(location.hash);
      Page.restore();
    });
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      Page.drawSides();
      Page.drawCurve();
    });
  },

  /** Something was moved or chosen: asks anew once the hand rests. */
  changed() {
    State.write();
    clearTimeout(Page.pending);
    Page.pending = setTimeout(Page.refresh, PAUSE);
  },

  /** Asks for the points of both sides, then for the curve, then for the range over assumed figures. */
  async refresh() {
    State.write();
    const question = State.fragment();
    document.body.setAttribute("aria-busy", "true");
    Page.answered = "";
    const estimate = setTimeout(Page.estimate, PATIENCE, question);
    try {
      const points = await Page.ask();
      if (question !== State.fragment()) return;
      Page.answered = question;
      Page.show(points);
    } catch (error) {
      if (error.name !== "AbortError") Page.say(error);
      return;
    } finally {
      clearTimeout(estimate);
      Source.callOff(...Page.kinds("estimate"));
      if (question === State.fragment()) document.body.removeAttribute("aria-busy");
    }
    await Page.curve();
    await Page.range(question);
  },

  /** Shows an estimate until the figures are there. Where there is none, they come all the same, or say why not. */
  async estimate(question) {
    if (Source.still) return;
    try {
      const points = await Page.ask("estimate");
      if (question === State.fragment() && question !== Page.answered) Page.show(points);
    } catch (error) {
      if (!(error instanceof Refusal) && error.name !== "AbortError") Page.say(error);
    }
  },

  show(points) {
    Page.points = points;
    Page.quiet();
    Page.drawSides();
    Page.drawFile();
  },

  /** What the questions of both sides are called: a new one of the same name calls the one before off. */
  kinds(depth) {
    return ["a", "b"].map((side) => `${depth}-${side}`);
  },

  async ask(depth = "") {
    const kinds = Page.kinds(depth);
    const a = Source.point(State.query("a"), { depth, as: kinds[0] });
    const b = State.isOneRun() ? a : Source.point(State.query("b"), { depth, as: kinds[1] });
    const [first, second] = await Promise.all([a, b]);
    return { a: first, b: second };
  },

  async range(question) {
    if (Source.still) return;
    try {
      const ranges = await Page.ask("range");
      if (question !== State.fragment()) return;
      Page.drawTable(ranges);
    } catch (error) {
      if (error.name !== "AbortError") Page.drawTable(Page.points);
    }
  },

  work(points, side) {
    return points[side].report.works.find((work) => work.name === State[side].work);
  },

  drawSides() {
    if (!Page.points || !Controls.scenario()) return;
    const sides = ["a", "b"].map((side) => {
      const place = byId(`side-${side}`);
      const made = Figures.side(side, Page.points[side], Page.work(Page.points, side), place.clientWidth - 34);
      const open = place.querySelector("details.steps")?.open;
      place.replaceChildren(Controls.head(side), ...made.parts);
      if (open !== undefined) place.querySelector("details.steps").open = open;
      return made;
    });
    Motion.show(sides);
    Page.drawTable(Page.points);
    if (Page.focusAfter) byId(Page.focusAfter)?.focus();
    Page.focusAfter = "";
  },

  drawTable(points) {
    const isEstimate = points.a.report.mode === "stream";
    byId("figures").replaceChildren(Figures.table(["a", "b"].map((side) => Page.work(points, side)), isEstimate));
    const warnings = new Map(["a", "b"].flatMap((side) => points[side].report.warnings).map((warning) => [warning.text, warning]));
    byId("warnings").replaceChildren(...[...warnings.values()].map((warning) => element("li", {}, `${warning.text}; ${warning.advice}`)));
    byId("warnings").hidden = warnings.size === 0;
  },

  drawFile() {
    const points = State.isOneRun() ? [Page.points.a] : [Page.points.a, Page.points.b];
    byId("command").textContent = points.map((point) => point.command).join("\n");
    byId("toml").textContent = Page.points.a.toml;
  },

  async curve() {
    const slider = Controls.scenario()?.sliders.find((one) => one.knob === State.along);
    if (!slider) return;
    try {
      const a = Source.curve(State.query("a"), State.along, "curve-a");
      const b = State.isOneRun() ? a : Source.curve(State.query("b"), State.along, "curve-b");
      const [first, second] = await Promise.all([a, b]);
      Page.curves = { slider, sides: [{ name: "A", places: first, work: State.a.work }, { name: "B", places: second, work: State.b.work }] };
      Page.drawCurve();
    } catch (error) {
      if (error.name !== "AbortError") Page.say(error);
    }
  },

  drawCurve() {
    if (Page.curves && !byId("explore").hidden) Curve.draw(Page.curves.sides, Page.curves.slider, byId("curve").clientWidth);
  },

  see(view) {
    State.view = view;
    State.write();
    Page.view();
    Page.drawSides();
    Page.drawCurve();
  },

  view() {
    for (const view of ["explore", "lessons"]) {
      byId(view).hidden = State.view !== view;
      byId(`view-${view}`).setAttribute("aria-pressed", State.view === view);
    }
  },

  async openLesson(name) {
    State.lesson = name;
    State.write();
    byId("lesson-list").hidden = Boolean(name);
    byId("lesson").hidden = !name;
    if (!name) return byId("titles").querySelector("button")?.focus();
    byId("lesson").replaceChildren(element("p", {}, "The lesson's runs are under way …"));
    try {
      const told = await Source.lesson(name);
      Page.quiet();
      if (State.lesson === name) Lessons.show(told);
    } catch (error) {
      if (error.name === "AbortError") return;
      Page.openLesson("");
      Page.say(error);
    }
  },

  /** Says what went wrong, and that the figures below are those from before. */
  say(error) {
    // What is no refusal is a mistake of the page itself.
    if (!(error instanceof Refusal)) console.error(error);
    byId("message").replaceChildren(element("b", {}, error.message), error.help ? `; ${error.help}` : "");
    byId("message").hidden = false;
    document.body.classList.toggle("stale", Boolean(Page.points));
  },

  quiet() {
    byId("message").hidden = true;
    document.body.classList.remove("stale");
  },

  async copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = element("textarea", { class: "unseen" }, text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    byId("said").textContent = `${what} is copied.`;
  },

  kept(key) {
    try {
      return localStorage.getItem(`hopsim-${key}`);
    } catch {
      return null;
    }
  },

  nextTheme() {
    const themes = ["auto", "light", "dark"];
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    try {
      localStorage.setItem("hopsim-theme", next);
    } catch {
      // A browser that keeps nothing shows the theme all the same.
    }
    Page.theme(next);
  },

  theme(theme) {
    document.documentElement.dataset.theme = theme;
    byId("theme").querySelector("span").textContent = `theme: ${theme}`;
  },
};

Page.begin();
