// monitoring.mjs - what server/monitoring/ has for Prometheus and Grafana: promtool takes the alerts, each is raised by the numbers
// that should raise it, and each query of the board is one.
//     node monitoring.mjs SOURCE_DIR
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = join(process.argv[2], "server/monitoring");
if (spawnSync("promtool", ["--version"]).status !== 0) {
  console.log("promtool is not installed (package prometheus): nothing is checked");
  process.exit(0);
}
const promtool = (...words) => execFileSync("promtool", words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] }).toString();

promtool("check", "rules", "alerts.yml");
promtool("test", "rules", "alerts.test.yml");

const alerts = readFileSync(join(folder, "alerts.yml"), "utf8");
const tested = readFileSync(join(folder, "alerts.test.yml"), "utf8");
for (const [, name] of alerts.matchAll(/- alert: (\w+)/g))
  if (!tested.includes(name)) throw new Error(`no test raises ${name}`);

const board = JSON.parse(readFileSync(join(folder, "grafana.json"), "utf8"));
const queries = board.panels.flatMap((panel) => panel.targets.map((target) => target.expr));
if (queries.length < 10) throw new Error("the board has hardly any queries");
const here = mkdtempSync(join(tmpdir(), "gizmod-monitoring-"));
const rules = queries.map((query, i) => ({ record: `query:${i}`, expr: query.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*") }));
writeFileSync(join(here, "rules.yml"), JSON.stringify({ groups: [{ name: "board", rules }] }));
promtool("check", "rules", join(here, "rules.yml"));
rmSync(here, { recursive: true });
