// make.mjs - makes proto/gizmod.schema.json and the types of the client packages from
// proto/gizmod.cddl: `node tests/wire/make.mjs`; with --check it says whether they are up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

import { pythonOf } from "./python.mjs";
import { schemaOf } from "./schema.mjs";

const top = join(dirname(fileURLToPath(import.meta.url)), "../..");
const BANNER = `// wire.ts - the messages of the plain form, as proto/README.md describes them. Made from
// proto/gizmod.cddl by tests/wire/make.mjs: do not edit.`;

/** A line for each definition: a change of one message is a change of one line. */
function printed({ definitions, ...rest }) {
  const lines = Object.entries(definitions).map(
    ([name, definition]) => `${JSON.stringify(name)}: ${JSON.stringify(definition)}`,
  );
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},\n"definitions": {\n${lines.join(",\n")}\n}}\n`;
}

const schema = schemaOf(join(top, "proto/gizmod.cddl"));
const types = await compile(schema, "GizmodMessage", {
  bannerComment: BANNER,
  additionalProperties: false,
  style: { printWidth: 100 },
});
const made = {
  "proto/gizmod.schema.json": printed(schema),
  "client/web/sdk/wire.ts": types,
  "client/python/gizmod/wire.py": pythonOf(schema),
};

for (const [path, text] of Object.entries(made)) {
  const file = join(top, path);
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${path} is not what proto/gizmod.cddl makes: run node tests/wire/make.mjs`);
    process.exitCode = 1;
  }
}
