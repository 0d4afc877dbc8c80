// Lessons on the page, served and in static files.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browse, exported, open, serve, settled } from "./server.mjs";

let server, still, browser;

before(async () => {
  server = await serve();
  still = exported();
  browser = await browse();
});
after(async () => {
  await browser.end();
  still.end();
  await server.end();
});

/** Answers every question of the lesson that is shown; gives how many there were. */
async function answerAll(page) {
  let asked = 0;
  for (;;) {
    const question = page.locator('.step[data-waits="true"]:not([hidden]) form.question').first();
    if ((await question.count()) === 0) return asked;
    asked += 1;
    await question.getByRole("button", { name: "Show the answer" }).click();
    await page.waitForTimeout(30);
  }
}

async function first(page) {
  await page.locator("#view-lessons").click();
  await page.locator("#titles button").first().click();
  await page.waitForSelector("#lesson .step", { timeout: 60_000 });
}

for (const [kind, address] of [["served", () => server.address], ["in static files", () => `file://${still.page}/index.html`]]) {
  test(`a lesson ${kind} asks before it tells, and comes to its end`, async () => {
    const { page, complaints } = await open(browser.browser, address());
    await first(page);
    const steps = page.locator("#lesson .step");
    const whole = await steps.count();
    assert.ok((await page.locator("#lesson .step:not([hidden])").count()) < whole, "later steps wait");
    assert.ok((await answerAll(page)) > 0);
    assert.equal(await page.locator("#lesson .step:not([hidden])").count(), whole);
    assert.ok(!(await page.locator("#lesson").innerText()).includes("{"), "every figure is in its place");
    assert.deepEqual(complaints.filter((line) => !line.includes("file://")), []);
    await page.close();
  });
}

test("static files show a scenario with its figures, and its sliders rest", async () => {
  const { page } = await open(browser.browser, `file://${still.page}/index.html`, "#scenario=checkpoint-140gb-textbook");
  assert.match(await page.locator("#side-a .headline").innerText(), /1\.4\d* s/);
  assert.ok(await page.locator("#slider-size").isDisabled());
  assert.ok(await page.locator("#still-note").isVisible());
  await page.locator("#step").click();
  await page.close();
});

test("a prediction is judged as in a terminal: right, near, wrong, unreadable", async () => {
  const { page } = await open(browser.browser, server.address);
  const judged = await page.evaluate(() => {
    const question = { choices: [], form: "a time, such as 2.5 s", answer: { figure: { value: 6.4, text: "6.4 s", within: 0.05 } } };
    return ["6.4 s", "6.2", "6400 ms", "5.5 s", "3.2 s", "long"].map((typed) => Lessons.judge(question, typed)?.text ?? null);
  });
  assert.deepEqual(judged, ["Right: 6.4 s.", "Right, near enough: 6.4 s.", "Right: 6.4 s.", "Near: it is 6.4 s.", "It is 6.4 s.", null]);
  await page.close();
});

test("a lesson is left for the list, and a link opens it again", async () => {
  const { page } = await open(browser.browser, server.address);
  await first(page);
  const link = await page.evaluate(() => location.hash);
  await page.locator("#all-lessons").click();
  assert.ok(await page.locator("#titles").isVisible());
  const other = await open(browser.browser, server.address, link);
  await other.page.waitForSelector("#lesson .step", { timeout: 60_000 });
  await settled(other.page);
  await other.page.close();
  await page.close();
});
