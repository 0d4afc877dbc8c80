// What is seen on each screen: contrast, labels, nothing wider than the screen. With PICTURES=DIR, screenshots are kept there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { browse, open, serve, settled } from "./server.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENS = {
  desktop: { width: 1440, height: 900 },
  projector: { width: 1280, height: 720 },
  phone: { width: 390, height: 844 },
};
let server, browser;

before(async () => {
  server = await serve();
  browser = await browse();
});
after(async () => {
  await browser.end();
  await server.end();
});

/** What axe finds wrong, a line each. */
async function wrong(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}

async function picture(page, name) {
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png`, fullPage: true });
}

for (const [screen, viewport] of Object.entries(SCREENS)) {
  for (const theme of ["light", "dark"]) {
    for (const view of ["explore", "lessons"]) {
      test(`${view} on a ${screen} in ${theme}: contrast, labels, width`, async () => {
        const { page, complaints } = await open(browser.browser, server.address, `#scenario=load-640gb-textbook&view=${view}`);
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        await settled(page);
        if (view === "explore") {
          await page.waitForSelector("#curve svg", { timeout: 60_000 });
          for (let steps = 0; steps < 6; steps += 1) await page.locator("#step").click();
        }
        await picture(page, `${view}-${screen}-${theme}`);
        assert.deepEqual(await wrong(page), []);
        const { scrollWidth, innerWidth } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth, innerWidth }));
        assert.ok(scrollWidth <= innerWidth, `${scrollWidth} of ${innerWidth}`);
        assert.deepEqual(complaints, []);
        await page.close();
      });
    }
  }
}

for (const theme of ["light", "dark"]) {
  test(`a lesson with its answers, and all that folds open, in ${theme}: contrast, labels`, async () => {
    const { page } = await open(browser.browser, server.address, "#view=lessons&lesson=count-the-hops");
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.waitForSelector("#lesson .step");
    while ((await page.locator('.step[data-waits="true"]:not([hidden])').count()) > 0) {
      await page.locator('.step[data-waits="true"]:not([hidden]) .quiet').first().click();
    }
    const unfold = () => page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    await unfold();
    await picture(page, `lesson-told-${theme}`);
    assert.deepEqual(await wrong(page), []);
    await page.locator("#view-explore").click();
    await page.waitForSelector("#curve svg");
    await unfold();
    await picture(page, `unfolded-${theme}`);
    assert.deepEqual(await wrong(page), []);
    await page.close();
  });
}

test("a projector shows the sliders and both nodes without scrolling", async () => {
  const { page } = await open(browser.browser, server.address, "#scenario=load-640gb-textbook");
  await page.setViewportSize(SCREENS.projector);
  await settled(page);
  for (const selector of ["#sliders", "#side-a .node", "#side-b .node", "#play"]) {
    const box = await page.locator(selector).boundingBox();
    assert.ok(box.y + box.height <= 720 + 8, `${selector} ends at ${box.y + box.height}`);
  }
  await page.close();
});
