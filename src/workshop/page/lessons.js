// Lessons: a question, a prediction, the answer, and why. Predictions are judged here, so that static files do it too.
"use strict";

const Lessons = {
  async list() {
    const titles = await Source.titles();
    byId("titles").replaceChildren(...titles.map((lesson) => element("li", {},
      element("button", { type: "button", "data-lesson": lesson.name, onclick: () => Page.openLesson(lesson.name) },
        element("b", {}, lesson.title), element("span", {}, `${lesson.aim}`), element("span", { class: "faint" }, `about ${lesson.minutes} minutes`)))));
    if (titles.length === 0) byId("titles").replaceChildren(element("li", {}, "There are none."));
  },

  /** Shows a lesson; its steps after the first unanswered question come when that is answered. */
  show(told) {
    const steps = told.steps.map((step, index) => Lessons.step(step, index + 1));
    byId("lesson").replaceChildren(
      element("button", { type: "button", id: "all-lessons", onclick: () => Page.openLesson("") }, "← All lessons"),
      element("h2", { tabindex: -1 }, told.title), element("p", { class: "aim" }, told.aim),
      ...steps);
    byId("lesson").hidden = false;
    Lessons.reveal(steps);
    byId("lesson").querySelector("h2").focus();
  },

  /** Steps are seen up to the first that waits for a prediction. */
  reveal(steps) {
    let open = true;
    for (const step of steps) {
      step.hidden = !open;
      open = open && step.dataset.waits !== "true";
    }
  },

  step(step, number) {
    const body = element("section", { class: "step", "data-waits": String(Boolean(step.question)), "aria-label": `Step ${number}` },
      element("h3", {}, `${number}. ${step.title}`), Lessons.prose(step.text));
    const after = element("div", { class: "after", hidden: Boolean(step.question) },
      step.ways.map(Lessons.way), Lessons.side(step.side), Lessons.prose(step.explanation), Lessons.commands(step.runs));
    if (step.question) body.append(Lessons.question(step.question, body, after));
    body.append(after);
    return body;
  },

  /** Paragraphs; words between backquotes are code. */
  prose(text) {
    const words = (part) => part.split("`").map((piece, index) => (index % 2 ? element("code", {}, piece) : piece.replaceAll("\n", " ")));
    return text.split(/\n\s*\n/).map((part) => element("p", {}, words(part.trim())));
  },

  question(question, body, after) {
    const name = `answer-${question.text.length}-${question.choices.length}-${body.getAttribute("aria-label")}`;
    const choices = question.choices.map((choice, index) => element("label", { class: "choice" },
      element("input", { type: "radio", name, value: index, required: true }), ` ${choice}`));
    const typed = element("label", {}, `Your prediction (${question.form ?? "a number"}) `, element("input", { type: "text", name, required: true, autocomplete: "off" }));
    const verdict = element("p", { class: "verdict", role: "status" });
    const answer = (text, right) => {
      verdict.textContent = text;
      verdict.classList.toggle("right", right);
      after.hidden = false;
      body.dataset.waits = "false";
      Lessons.reveal([...byId("lesson").querySelectorAll(".step")]);
    };
    const form = element("form", {
      class: "question",
      onsubmit: (event) => {
        event.preventDefault();
        const judged = Lessons.judge(question, new FormData(form).get(name) ?? "");
        if (judged) answer(judged.text, judged.right);
        else verdict.textContent = `That is no answer to this; expected ${question.form ?? "one of the choices"}.`;
      },
    },
    element("fieldset", {}, element("legend", {}, question.text), choices.length > 0 ? choices : typed),
    element("button", { type: "submit" }, "Check"),
    element("button", { type: "button", class: "quiet", onclick: () => answer(`The answer: ${Lessons.answer(question)}.`, false) }, "Show the answer"),
    verdict);
    return form;
  },

  answer(question) {
    return question.answer.figure ? question.answer.figure.text : question.choices[question.answer.choice].replace(/\.$/, "");
  },

  /** Judges a prediction as hopsim does in a terminal; null where it cannot be read as an answer. */
  judge(question, typed) {
    const { figure, choice } = question.answer;
    if (!figure) {
      const right = Number(typed) === choice;
      return { right, text: right ? "Right." : `No: ${question.choices[choice]}` };
    }
    const shown = Words.figure(figure.text);
    const value = Words.figure(typed, shown.unit).value;
    if (Number.isNaN(value)) return null;
    const off = Math.abs(value - shown.value);
    // The text has four digits, so that an exact prediction may be off by their rounding.
    if (off <= Math.max(figure.within, 0.0005) * Math.abs(shown.value)) {
      return { right: true, text: `${off <= 0.0005 * Math.abs(shown.value) ? "Right" : "Right, near enough"}: ${figure.text}.` };
    }
    return { right: false, text: off <= 0.25 * Math.abs(shown.value) ? `Near: it is ${figure.text}.` : `It is ${figure.text}.` };
  },

  way(story) {
    return element("details", { class: "steps" },
      element("summary", {}, `${story.work}: the way of one request, ${Words.seconds(story.total_ps / 1e12)}`),
      element("ol", {}, Figures.steps(story)));
  },

  /** Figures of works: a row a work, a column a figure. */
  side({ figures, works }) {
    if (works.length === 0) return null;
    return element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "What came out" }, element("table", {},
      element("thead", {}, element("tr", {}, element("td"), figures.map((figure) => element("th", { scope: "col" }, figure)))),
      element("tbody", {}, works.map(([name, cells]) => element("tr", {}, element("th", { scope: "row" }, name), cells.map((cell) => element("td", {}, cell)))))));
  },

  commands(runs) {
    if (runs.length === 0) return null;
    return element("details", {}, element("summary", {}, "The same in the terminal"),
      element("pre", { tabindex: 0, role: "group", "aria-label": "Commands" }, runs.map((run) => run.command).join("\n")));
  },
};
