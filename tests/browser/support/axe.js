// axe.js - what axe-core finds on a page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What is serious or worse, in words; "moderate" is told but let pass. The page must be one that `bypassCSP` opened. */
export async function violations(person) {
  await person.page.evaluate(await readFile(AXE, "utf8"));
  const { violations } = await person.page.evaluate(() => window.axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("\n  ")}`);
}
