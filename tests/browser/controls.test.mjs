// Each control does what it says.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { browse, open, printed, serve, settled } from "./server.mjs";

const SMALL = "#scenario=one-at-a-time-textbook";
let server, browser, page, complaints;

before(async () => {
  server = await serve();
  browser = await browse();
});
after(async () => {
  await browser.end();
  await server.end();
});
beforeEach(async () => {
  ({ page, complaints } = await open(browser.browser, server.address, SMALL));
});
afterEach(async () => {
  assert.deepEqual(complaints, []);
  await page.close();
});

const text = (selector) => page.locator(selector).innerText();
const value = (side, figure) => page.locator(`#side-${side} [data-figure="${figure}"]`).getAttribute("data-value").then(Number);
const fragment = () => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));

/** Moves a slider to one of its positions as a hand would. */
async function slide(knob, position) {
  await page.locator(`#slider-${knob}`).fill(String(position));
  await settled(page);
}

/** Holds all figures of the table against the works of a report. */
async function same(report, works) {
  for (const [column, name] of works.entries()) {
    const work = report.works.find((one) => one.name === name);
    for (const key of ["duration_s", "throughput_gb_s", "ceiling_gb_s", "bytes", "requests", "dram_bytes", "cpu_copies", "cpu_s", "peak_host_bytes"]) {
      const cell = page.locator(`#figures [data-figure="${key}"]`).nth(column);
      assert.equal(Number(await cell.getAttribute("data-value")), work[key], `${name} ${key}`);
    }
    const side = "ab"[column];
    assert.equal(await text(`#side-${side} [data-figure="binding"]`), work.binding[0].name);
    for (const bar of await page.locator(`#side-${side} [data-resource]`).all()) {
      const shown = await bar.getAttribute("data-resource");
      const alike = work.resources.filter((one) => one.name.replace(/\d+/, "*") === shown.replace(/\d+/, "*"));
      assert.equal(Number(await bar.getAttribute("data-value")), Math.max(...alike.map((one) => one.utilisation)), shown);
    }
  }
}

test("the figures are those that run prints", async () => {
  await same(printed("one-at-a-time-textbook"), ["gds", "bounce"]);
});

test("every slider changes the figures to those that run prints with the command shown", async () => {
  for (const [knob, position] of [["gpus", 3], ["threads", 2], ["depth", 1], ["size", 4], ["nics", 0], ["gpu_lanes", 1], ["nic_lanes", 1], ["target_rate", 0]]) {
    const earlier = await text("#command");
    await slide(knob, position);
    assert.notEqual(await text("#command"), earlier, knob);
  }
  const sets = [...(await text("#command")).matchAll(/--set '([^']*)'/g)].flatMap(([, edit]) => ["--set", edit]);
  assert.ok(sets.length >= 16);
  await same(printed("one-at-a-time-textbook", ...sets), ["gds", "bounce"]);
});

test("figures that take long are estimated first, and the estimate says that it is one", async () => {
  let answer;
  const held = new Promise((resolve) => { answer = resolve; });
  await page.route((url) => url.pathname === "/api/point" && !url.searchParams.has("estimate"), async (route) => {
    await held;
    await route.continue();
  });
  const first = await value("a", "duration_s");
  await page.locator("#slider-size").fill("4");
  await page.waitForSelector("#side-a .about");
  assert.notEqual(await value("a", "duration_s"), first);
  assert.match(await text("#figures thead"), /a first estimate/);
  assert.equal(await page.locator("body").getAttribute("aria-busy"), "true");
  answer();
  await settled(page);
  assert.equal(await page.locator(".about").count(), 0);
  assert.doesNotMatch(await text("#figures thead"), /estimate/);
});

test("a question that is called off in the middle of its answer is no answer", async () => {
  const outcome = await page.evaluate(async () => {
    const fetched = window.fetch;
    // An answer whose head has come and whose body does not.
    window.fetch = async (_, { signal }) => ({
      ok: true, status: 200,
      json: () => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const asked = Source.ask("test", "api/point").then(() => "answered", (error) => error.name);
    await new Promise((resolve) => setTimeout(resolve, 20));
    Source.callOff("test");
    window.fetch = fetched;
    return asked;
  });
  assert.equal(outcome, "AbortError");
});

test("a slider moves by the keyboard and says its value", async () => {
  await page.locator("#slider-size").focus();
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  assert.equal(await page.locator("#slider-size").getAttribute("aria-valuetext"), "512 KiB");
  assert.equal((await fragment()).size, "512 KiB");
});

test("back to the file takes all sliders back", async () => {
  const first = await value("a", "duration_s");
  await slide("size", 2);
  assert.notEqual(await value("a", "duration_s"), first);
  await page.locator("#reset").click();
  await settled(page);
  assert.equal(await value("a", "duration_s"), first);
  assert.equal(await page.locator(".slider.moved").count(), 0);
});

test("another scenario brings its own title and sliders", async () => {
  await page.locator("#scenario").selectOption("load-640gb-textbook");
  await settled(page);
  assert.match(await text("#title"), /Fill the HBM/);
  assert.equal(await page.locator(".gpu:not(.unused)").count(), 16, "eight GPUs on each side");
});

test("a path that is chosen is the path that is taken", async () => {
  await page.locator("#path-a").selectOption("compat-read");
  await settled(page);
  assert.match(await text("#figures thead"), /A: gds \(compat-read\)/);
  await same(printed("one-at-a-time-textbook", "--set", "works.gds.path=compat-read"), ["gds", "bounce"]);
});

test("both sides may show one work by two paths", async () => {
  await page.locator("#work-b").selectOption("gds");
  await settled(page);
  await page.locator("#path-b").selectOption("bounce-read");
  await settled(page);
  assert.equal(await page.locator("#command").innerText().then((command) => command.split("\n").length), 2);
  assert.ok((await value("b", "duration_s")) > (await value("a", "duration_s")));
});

test("a link restores all of what is shown", async () => {
  await slide("size", 6);
  await page.locator("#path-b").selectOption("compat-read");
  await page.locator("#along").selectOption("threads");
  await settled(page);
  await page.locator("#copy-link").click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const shown = async (where) => [await where.locator("#figures").innerText(), await where.locator("#along").inputValue(), await where.locator("#command").innerText()];
  const wanted = (await shown(page)).map((part) => part.replaceAll("…", ""));
  const other = await open(browser.browser, server.address, new URL(link).hash);
  const [figures, ...rest] = await shown(other.page);
  assert.deepEqual(rest, wanted.slice(1));
  assert.equal(figures.split("\n")[1], wanted[0].split("\n")[1]);
  await other.page.close();
});

test("play moves the bytes, pause holds them, restart takes them back", async () => {
  await page.locator("#play").click();
  await page.waitForTimeout(600);
  const moved = await text("#clock");
  assert.notEqual(moved, "0 s");
  await page.locator("#play").click();
  const held = await text("#clock");
  await page.waitForTimeout(200);
  assert.equal(await text("#clock"), held);
  await page.locator("#restart").click();
  assert.equal(await text("#clock"), "0 s");
});

test("slower and faster change the speed, each to its end", async () => {
  for (let times = 0; times < 3; times += 1) await page.locator("#slower").click();
  assert.match(await text("#speed"), /0.125/);
  assert.ok(await page.locator("#slower").isDisabled());
  for (let times = 0; times < 6; times += 1) await page.locator("#faster").click();
  assert.match(await text("#speed"), /× 8/);
});

test("step by step the request comes to the end of both ways", async () => {
  await page.locator("#step").click();
  assert.equal(await page.locator("#side-a li[aria-current]").count(), 1);
  let dots = 0;
  for (let steps = 0; steps < 60 && !/done/.test(await text("#side-b .progress")); steps += 1) {
    dots = Math.max(dots, await page.locator("#side-b .bytes > *").count());
    await page.locator("#step").click();
  }
  assert.match(await text("#side-a .progress"), /done after 129.5 us/);
  assert.match(await text("#side-b .progress"), /done after 253.7 us/);
  assert.ok(dots > 0, "dots were seen on their way");
});

test("the drawing lights up three hops on one side and five on the other", async () => {
  const hops = (side) => page.locator(`#side-${side} li.move`).allInnerTexts().then((items) => items.join(" ").match(/hop \d/g).length);
  assert.deepEqual([await hops("a"), await hops("b")], [3, 5]);
});

test("the curve goes along the slider that is chosen", async () => {
  await page.waitForSelector("#curve svg");
  await page.locator("#along").selectOption("threads");
  await page.waitForSelector("#curve-table th:has-text('Threads')", { state: "attached" });
  assert.equal(await page.locator("#curve .line.a circle").count(), 6);
  await page.locator("#curve-panel summary").click();
  assert.match(await text("#curve-table"), /GB\/s, target/);
});

test("the file that is copied says what is shown", async () => {
  await slide("size", 4);
  await page.locator("#file-panel summary").click();
  await page.locator("#copy-toml").click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /size = "64 KiB"/);
  assert.match(copied, /model = "dgx-h100-textbook"/);
});

test("a bad parameter of a link gets a message on the page", async () => {
  await page.evaluate(() => { location.hash = "#scenario=one-at-a-time-textbook&gpus=99"; });
  await page.waitForSelector("#message:not([hidden])");
  assert.match(await text("#message"), /gpus: 99 is out of its range; it goes from 1 to 8/);
  await page.evaluate(() => { location.hash = "#scenario=no-such-thing"; });
  await page.waitForFunction(() => byId("message").textContent.includes("no-such-thing"));
});

test("the theme goes from the system's to light, dark and back, and is kept", async () => {
  const ink = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.locator("#theme").click();
  const light = await ink();
  await page.locator("#theme").click();
  assert.notEqual(await ink(), light);
  await page.reload();
  await settled(page);
  assert.notEqual(await ink(), light);
  await page.locator("#theme").click();
  assert.match(await text("#theme"), /auto/);
});

test("the order of the keyboard begins with a way past the header", async () => {
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
});
