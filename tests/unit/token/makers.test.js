// makers.test.js - tokens between makers: what jose (Node) and PyJWT sign is taken here, and what
// gizmoctl signs is taken there, for each algorithm, with keys of either side.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const jose = createRequire(new URL("../../browser/package.json", import.meta.url))("jose");

const ALGORITHMS = ["HS256", "RS256", "PS256", "ES256"];
const NOW = Math.floor(Date.now() / 1000);
const folder = mkdtempSync(join(tmpdir(), "gizmod-makers-"));
after(() => rmSync(folder, { recursive: true }));

const ctl = (...args) => execFileSync(process.env.GIZMOD_CTL, args, { encoding: "utf8" });
/** What the daemon's own code says of tokens. */
const check = (keys, ...tokens) =>
  execFileSync(process.env.GIZMOD_CHECK_TOKEN, [keys, "gizmod", String(NOW)], {
    encoding: "utf8",
    input: tokens.join("\n"),
  })
    .trimEnd()
    .split("\n");

const CLAIMS = { sub: "ada", name: "Ada Łovelace", role: "editor", scenes: ["arm", "robot-*"] };
const TAKEN = {
  user: "ada",
  name: "Ada Łovelace",
  role: "editor",
  expires: NOW + 600,
  guest: false,
  scenes: ["arm", "robot-*"],
};

const sign = (key, header, claims = CLAIMS, audience = "gizmod") =>
  new jose.SignJWT(claims)
    .setProtectedHeader(header)
    .setAudience(audience)
    .setIssuedAt()
    .setNotBefore(NOW - 5)
    .setExpirationTime(NOW + 600)
    .sign(key);

let files = 0;
/** A pair of jose's, and files of keys: with the private part, and with the public one alone. */
async function josePair(alg) {
  const isSecret = alg === "HS256";
  const pair = isSecret
    ? await jose.generateSecret(alg, { extractable: true })
    : await jose.generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  const write = async (name, key) => {
    const file = join(folder, `${++files}-${name}.json`);
    const keys = [{ kid: "k", ...(await jose.exportJWK(key)), alg }];
    writeFileSync(file, JSON.stringify({ keys }), { mode: 0o600 });
    return file;
  };
  const key = isSecret ? pair : pair.privateKey;
  return {
    key,
    whole: await write("whole", key),
    open: await write("open", isSecret ? key : pair.publicKey),
  };
}

for (const alg of ALGORITHMS) {
  test(`${alg}: jose signs, and the daemon takes it`, async () => {
    const { key, open } = await josePair(alg);
    const good = await sign(key, { alg, kid: "k", typ: "JWT" });
    const listed = await sign(key, { alg }, CLAIMS, ["x", "gizmod"]);
    const foreign = await sign(key, { alg, kid: "k" }, CLAIMS, "x");
    const { key: other } = await josePair(alg);
    const [a, b, c, d] = check(open, good, listed, foreign, await sign(other, { alg, kid: "k" }));
    assert.deepEqual(JSON.parse(a), TAKEN);
    assert.deepEqual(JSON.parse(b), TAKEN);
    assert.equal(c, "token: it is for another audience");
    assert.equal(d, "token: the signature is not by a key of this server");
  });

  test(`${alg}: gizmoctl signs with a key of jose's, and jose takes it`, async () => {
    const { whole, open } = await josePair(alg);
    const from = Math.floor(Date.now() / 1000);
    const token = ctl("token", "--keys", whole, "--user", "ada", "--expires", "1h").trimEnd();
    const to = Math.ceil(Date.now() / 1000);
    const set = jose.createLocalJWKSet(JSON.parse(readFileSync(open, "utf8")));
    // A set of secrets is none that jose would choose from.
    const key = alg === "HS256" ? await jose.importJWK(JSON.parse(readFileSync(open)).keys[0]) : set;
    const { payload } = await jose.jwtVerify(token, key, { audience: "gizmod" });
    assert.equal(payload.sub, "ada");
    assert.deepEqual(payload.scenes, ["*"]);
    assert.ok(payload.exp >= from + 3600 && payload.exp <= to + 3600);
  });

  test(`${alg}: a key of gizmoctl's is one for jose, and its public part for both`, async () => {
    const file = join(folder, `${alg}-own.json`);
    ctl("key", "--algorithm", alg, file);
    const key = await jose.importJWK(JSON.parse(readFileSync(file)).keys[0], alg);
    const { kid } = JSON.parse(readFileSync(file)).keys[0];
    const token = await sign(key, { alg, kid });
    assert.deepEqual(JSON.parse(check(file, token)[0]), TAKEN);
    if (alg === "HS256") return;
    const open = join(folder, `${alg}-published.json`);
    writeFileSync(open, ctl("key", "--public", file));
    const own = ctl("token", "--keys", file, "--guest", "--expires", "1h", "--role", "viewer");
    const set = jose.createLocalJWKSet(JSON.parse(readFileSync(open, "utf8")));
    assert.equal((await jose.jwtVerify(own.trimEnd(), set)).payload.guest, true);
    assert.deepEqual(JSON.parse(check(open, token)[0]), TAKEN);
  });
}

test("a daemon that knows old and new keys takes the tokens of both", async () => {
  const file = join(folder, "rotated.json");
  const token = () => ctl("token", "--keys", file, "--user", "ada", "--expires", "1h").trimEnd();
  ctl("key", file);
  const before = token();
  ctl("key", "--algorithm", "RS256", file);
  assert.equal(check(file, before, token()).filter((line) => line.startsWith("{")).length, 2);
});

// ---- PyJWT ----

const PYTHON = `
import json, sys, jwt
from jwt.algorithms import get_default_algorithms
todo = json.load(sys.stdin)
made = []
for one in todo:
    alg = one["jwk"]["alg"]
    key = get_default_algorithms()[alg].from_jwk(json.dumps(one["jwk"]))
    public = key.public_key() if hasattr(key, "public_key") else key
    jwt.decode(one["token"], public, algorithms=[alg], audience="gizmod")
    made.append(jwt.encode(one["claims"], key, algorithm=alg, headers={"kid": one["jwk"]["kid"]}))
json.dump(made, sys.stdout)
`;

test("PyJWT takes what gizmoctl signs, and the daemon what PyJWT signs", () => {
  const file = join(folder, "python.json");
  const todo = ALGORITHMS.map((alg) => {
    ctl("key", "--algorithm", alg, file);
    const token = ctl("token", "--keys", file, "--user", "ada", "--expires", "1h").trimEnd();
    const claims = { ...CLAIMS, aud: ["gizmod"], exp: NOW + 600 };
    return { jwk: JSON.parse(readFileSync(file)).keys[0], token, claims };
  });
  const made = execFileSync("/usr/bin/python3", ["-c", PYTHON], {
    encoding: "utf8",
    input: JSON.stringify(todo),
  });
  const lines = check(file, ...JSON.parse(made));
  assert.equal(lines.length, ALGORITHMS.length);
  for (const line of lines) assert.deepEqual(JSON.parse(line), TAKEN);
});
