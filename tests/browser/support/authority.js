// authority.js - what a daemon on a network needs, made for one test: a certificate by an authority of the test's own, which a Chromium with `home` as its home trusts,
// and keys that sign tokens. All of it is in a folder that goes with it.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { ctl } from "./daemon.js";

const run = promisify(execFile);
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
const LEAF = "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n";

export class Authority {
  static async create() {
    const authority = new Authority();
    authority.folder = await mkdtemp(join(tmpdir(), "gizmod-authority-"));
    authority.home = authority.path("home");
    await authority.#certify();
    await authority.#trust();
    await ctl(["key", authority.path("keys.json")]);
    return authority;
  }

  path(name) {
    return join(this.folder, name);
  }

  /** The options of a daemon that has the certificate and asks for tokens. */
  get options() {
    return ["--keys", this.path("keys.json"), "--cert", this.path("cert.pem"), "--key", this.path("key.pem")];
  }

  /** A token; `words` are those of `gizmoctl token`. */
  async token(...words) {
    return (await ctl(["token", "--keys", this.path("keys.json"), ...words])).trim();
  }

  async #certify() {
    const path = (name) => this.path(name);
    await writeFile(path("leaf.cnf"), LEAF);
    await run("openssl", ["req", "-x509", ...NEW_KEY, "-days", "2", "-subj", "/CN=The test's own authority", "-keyout", path("ca.key"), "-out", path("ca.pem")]);
    await run("openssl", ["req", "-new", ...NEW_KEY, "-subj", "/CN=gizmod", "-keyout", path("key.pem"), "-out", path("leaf.csr")]);
    await run("openssl", [
      "x509", "-req", "-days", "2", "-in", path("leaf.csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial", "-extfile", path("leaf.cnf"), "-out", path("cert.pem"),
    ]);
  }

  /** Chromium trusts whom this database of its home names. */
  async #trust() {
    const database = join(this.home, ".pki/nssdb");
    await mkdir(database, { recursive: true });
    await run("certutil", ["-d", `sql:${database}`, "-N", "--empty-password"]);
    await run("certutil", ["-d", `sql:${database}`, "-A", "-n", "test", "-t", "C,,", "-i", this.path("ca.pem")]);
  }

  async remove() {
    await rm(this.folder, { recursive: true, force: true });
  }
}
