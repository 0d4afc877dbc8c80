// One line a test, what went wrong under those that failed, and a last line that counts.
export default async function* report(source) {
  const counts = { passed: 0, failed: 0 };
  for await (const { type, data } of source) {
    // A file is a test to Node as well; only what is in it counts, unless the file itself breaks off.
    const isFile = /\.mjs$/.test(data?.name ?? "") && !data?.details?.error;
    if (isFile || !["test:pass", "test:fail"].includes(type)) continue;
    const fine = type === "test:pass";
    counts[fine ? "passed" : "failed"] += 1;
    yield `${fine ? "ok  " : "FAIL"} ${data.name} (${Math.round(data.details.duration_ms)} ms)\n`;
    if (!fine) yield `${String(data.details.error?.cause?.stack ?? data.details.error).replace(/^/gm, "     ")}\n`;
  }
  yield `${counts.passed} passed, ${counts.failed} failed\n`;
}
