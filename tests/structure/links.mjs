// Checks that every link in a page of this tree leads somewhere: to a file, and to a heading if it names one. node links.mjs ROOT
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(process.argv[2]);
const SKIPPED = new Set(["node_modules", "build", ".git", "scenes"]);

function pagesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? pagesIn(path) : entry.name.endsWith(".md") ? [path] : [];
  });
}

const textOf = (page) => readFileSync(page, "utf8").replace(/^ *```[^]*?^ *```$/gm, "");

/** The names of a page's headings, as those who show it make them. */
function headings(page) {
  const titles = [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.replace(/\]\([^)]*\)/g, ""));
  return titles.map((title) => title.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-"));
}

const pages = pagesIn(root);
let count = 0;
for (const page of pages) {
  for (const [, link] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (link.includes("://")) continue;
    count++;
    const [path, heading] = link.split("#");
    const to = path ? resolve(dirname(page), path) : page;
    const right = existsSync(to) && (!heading || !to.endsWith(".md") || headings(to).includes(heading));
    if (right) continue;
    console.log(`${relative(root, page)}: ${link} leads nowhere`);
    process.exitCode = 1;
  }
}
if (count < 100) throw new Error(`only ${count} links were found in ${pages.length} pages`);
