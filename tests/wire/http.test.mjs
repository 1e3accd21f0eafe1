// http.test.mjs - the daemon answers over HTTP as proto/openapi.json says: each operation is asked
// for, and each answer is held against the description.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv from "ajv";

import { Daemon, ENGINE } from "../browser/support/daemon.js";

const proto = join(dirname(fileURLToPath(import.meta.url)), "../../proto");
const read = (path) => JSON.parse(readFileSync(join(proto, path), "utf8"));
const document = read("openapi.json");
const ajv = new Ajv({ strict: false });
ajv.addSchema(read("gizmod.schema.json"), "gizmod.schema.json");
ajv.addSchema(document, "openapi.json");

let daemon;
const asked = new Set();
before(async () => {
  daemon = await Daemon.start([]);
});
after(() => daemon.stop());

/** The part of the document that `value` is, or refers to. */
function resolve(value) {
  if (value.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split("/")
    .reduce((part, key) => part[key.replaceAll("~1", "/")], document);
}

/** Where the schema of an answer is, for ajv. */
function placeOf(path, method, status, type) {
  const answer = document.paths[path][method].responses[status];
  const from = answer.$ref ?? `#/paths/${path.replaceAll("/", "~1")}/${method}/responses/${status}`;
  return encodeURI(`openapi.json${from}/content/${type.replaceAll("/", "~1")}/schema`);
}

/** Asks for an operation, and holds the answer against what is said of it. */
async function ask(method, path, status, { query = "", body, headers, scene = "engine" } = {}) {
  const operation = document.paths[path][method];
  assert.ok(operation, `${method} ${path} is described`);
  const url = `${daemon.url}${path.replace("{scene}", scene)}${query}`;
  const answer = await fetch(url, { method: method.toUpperCase(), body, headers });
  const what = `${method} ${path}: ${answer.status}`;
  assert.equal(answer.status, status, what);
  asked.add(operation.operationId);
  assert.ok(operation.responses[status], `${what} is described`);
  const { content, headers: named = {} } = resolve(operation.responses[status]);
  for (const name of Object.keys(named)) assert.ok(answer.headers.get(name), `${what} has ${name}`);
  if (answer.headers.get("content-type") === "text/event-stream") {
    await answer.body.cancel(); // it has no end of its own
    return answer;
  }
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (content === undefined) {
    assert.equal(bytes.length, 0, what);
    return answer;
  }
  const type = answer.headers.get("content-type").split(";")[0];
  assert.ok(content[type], `${what}: ${type}`);
  if (type !== "application/json") return answer;
  const isValid = ajv.getSchema(placeOf(path, method, status, type));
  assert.ok(isValid(JSON.parse(bytes)), `${what}: ${ajv.errorsText(isValid.errors)} in ${bytes}`);
  return answer;
}

test("the description is one of OpenAPI 3.1", async () => {
  const validator = new Validator();
  await validator.addSpecRef(read("gizmod.schema.json"), "gizmod.schema.json");
  const { valid, errors } = await validator.validate(document);
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(validator.version, "3.1");
});

test("each operation answers as it is described", async () => {
  const engine = readFileSync(ENGINE);
  const scene = "/scenes/{scene}";
  await ask("get", "/healthz", 200);
  await ask("get", "/readyz", 200);
  await ask("get", "/metrics", 200);
  await ask("put", scene, 400, { body: "no glTF" });
  await ask("put", scene, 201, { body: engine, query: "?user=ada" });
  await ask("put", scene, 409, { body: engine });
  await ask("put", scene, 200, { body: engine, query: "?replace" });
  await ask("get", "/scenes", 200);
  await ask("post", `${scene}/import`, 200, { body: engine, query: "?user=ada" });
  await ask("post", `${scene}/import`, 404, { body: engine, query: "?parent=99999999" });
  await ask("post", `${scene}/import`, 400, { body: "no glTF" });
  await ask("get", `${scene}/assets`, 200);
  await ask("get", `${scene}/assets`, 404, { scene: "none" });
  const { headers } = await ask("get", `${scene}/asset`, 200);
  await ask("get", `${scene}/asset`, 304, { headers: { "If-None-Match": headers.get("etag") } });
  for (const path of ["export", "export.glb", "export.gltf", "backup"]) {
    await ask("get", `${scene}/${path}`, 200, { query: path === "backup" ? "" : "?ids" });
    await ask("get", `${scene}/${path}`, 404, { scene: "none" });
  }
  await ask("get", `${scene}/asset`, 404, { scene: "none" });
  await ask("get", `${scene}/asset`, 403, { headers: { "Sec-Fetch-Site": "cross-site" } });
  const edits = (...list) => ({ body: JSON.stringify(list), query: "?user=ada" });
  const create = { op: "create", nodes: [{ name: "a" }], key: "k" };
  const nobody = { op: "set", nodes: [{ id: 9999, name: "b" }] };
  await ask("post", `${scene}/edits`, 200, edits(create, { op: "undo" }, { op: "note", text: "n" }));
  await ask("post", `${scene}/edits`, 404, edits(create, nobody));
  await ask("post", `${scene}/edits`, 400, edits({ op: "ping" }));
  await ask("post", `${scene}/edits`, 404, { ...edits({ op: "undo" }), scene: "none" });
  const tag = (await ask("get", `${scene}/nodes`, 200, { query: "?limit=3" })).headers.get("etag");
  await ask("get", `${scene}/nodes`, 304, { headers: { "If-None-Match": tag } });
  await ask("get", `${scene}/at`, 200, { query: "?seq=82&limit=3" });
  await ask("get", `${scene}/at`, 400);
  await ask("get", `${scene}/history`, 200, { query: "?user=ada&limit=5" });
  await ask("get", `${scene}/path`, 200, { query: "?node=1" });
  await ask("get", `${scene}/path`, 404, { query: "?node=99999" });
  await ask("get", `${scene}/events`, 200);
  for (const path of ["nodes", "history", "events"])
    await ask("get", `${scene}/${path}`, 404, { scene: "none" });
  await ask("patch", scene, 400, { body: '{"name": "NEW"}' });
  await ask("patch", scene, 200, { body: '{"name": "motor"}' });
  await ask("delete", scene, 404);
  await ask("delete", scene, 204, { scene: "motor" });
});

test("no operation was left out", () => {
  const described = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  assert.deepEqual(asked, new Set(described));
});
