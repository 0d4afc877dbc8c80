// A hopsim server and a browser for the tests; both end with them.
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const binary = process.env.HOPSIM ?? new URL("../../target/release/hopsim", import.meta.url).pathname;

/** The browser's own traffic stays off, so that the page's is all there is. */
const QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Starts a server; gives its address and a way to end it. */
export async function serve() {
  const child = spawn(binary, ["serve", "--quiet"], { stdio: ["ignore", "pipe", "inherit"], cwd: tmpdir() });
  const [address] = await once(createInterface(child.stdout), "line");
  const end = async () => {
    child.kill("SIGINT");
    await once(child, "exit");
  };
  return { address: address.trim(), end };
}

/** What the command line prints as JSON. */
export function printed(...options) {
  return JSON.parse(execFileSync(binary, ["run", "--mode", "settled", "--format", "json", ...options], { cwd: tmpdir(), stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 }));
}

/** Writes the page as static files; gives the folder. */
export function exported() {
  const folder = mkdtempSync(join(tmpdir(), "hopsim-still-"));
  execFileSync(binary, ["serve", "--quiet", "--export", join(folder, "page")], { cwd: tmpdir() });
  return { page: join(folder, "page"), end: () => rmSync(folder, { recursive: true }) };
}

/** Starts a browser with a new, empty profile. */
export async function browse() {
  const profile = mkdtempSync(join(tmpdir(), "hopsim-profile-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: QUIET,
    permissions: ["clipboard-read", "clipboard-write"], viewport: { width: 1440, height: 900 },
  });
  const end = async () => {
    await browser.close();
    rmSync(profile, { recursive: true });
  };
  return { browser, end };
}

/** Opens a page and notes what its console complains about; an answer that is refused in words is no complaint. */
export async function open(browser, address, fragment = "") {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => {
    const refused = message.text().includes("status of 400");
    if (["error", "warning"].includes(message.type()) && !refused) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(`${address}${fragment}`);
  await settled(page);
  return { page, complaints };
}

/** Waits until the page shows what it was asked for. */
export async function settled(page) {
  await page.waitForTimeout(120);
  await page.waitForSelector("body:not([aria-busy])", { timeout: 60_000 });
  await page.waitForSelector("#side-a .headline, #message:not([hidden])", { timeout: 60_000, state: "attached" });
}
