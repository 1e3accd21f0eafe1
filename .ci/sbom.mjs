// Writes what is in a release, and what it needs, as SPDX 2.3: node sbom.mjs VERSION FOLDER. Run by .ci/release in its tree.
// What is shipped are the files of the folder; what the Debian packages need are their dependencies, with the versions they
// were built with; what the editor and the npm package hold or need stands in package-lock.json.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

const [version, folder] = process.argv.slice(2);
const packages = [];
const relationships = [];
const idOf = (kind, name) => `SPDXRef-${kind}-${name.replace(/[^A-Za-z0-9.-]/g, "-")}`;
const run = (...command) => execFileSync(command[0], command.slice(1), { encoding: "utf8" }).trim();

function add(id, name, versionInfo, licence, purl, more = {}) {
  if (!packages.some((known) => known.SPDXID === id))
    packages.push({
      SPDXID: id,
      name,
      versionInfo,
      downloadLocation: "NOASSERTION",
      filesAnalyzed: false,
      licenseConcluded: "NOASSERTION",
      licenseDeclared: licence,
      copyrightText: "NOASSERTION",
      ...(purl && {
        externalRefs: [
          { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl },
        ],
      }),
      ...more,
    });
  return id;
}
const relate = (from, relationshipType, to) =>
  relationships.push({ spdxElementId: from, relationshipType, relatedSpdxElement: to });

// What Debian's packages need: "a (>= 1), b | c" names a and b.
function debianNeeds(file) {
  const depends = run("dpkg-deb", "-f", `${folder}/${file}`, "Depends");
  return depends
    .split(",")
    .map((one) => one.trim().split(/[ :|(]/)[0])
    .filter((name) => name && !readdirSync(folder).some((other) => other.startsWith(`${name}_`)));
}
function addDebian(name) {
  const built = run("dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Version}", name).split(/ +/)[1];
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(built)}`;
  return add(idOf("deb", name), name, built, "NOASSERTION", purl, {
    supplier: "Organization: Debian",
  });
}

const lock = JSON.parse(readFileSync("client/web/package-lock.json", "utf8")).packages;
const npm = Object.entries(lock).filter(
  ([path, entry]) => path.startsWith("node_modules/") && !entry.dev && !entry.link && !entry.peer,
);
function addNpm([path, entry]) {
  const name = path.replace(/^.*node_modules\//, "");
  const purl = `pkg:npm/${name.replace("@", "%40")}@${entry.version}`;
  const [algorithm, hash] = entry.integrity.split("-");
  return add(idOf("npm", name), name, entry.version, entry.license ?? "NOASSERTION", purl, {
    checksums: [
      {
        algorithm: algorithm.toUpperCase(),
        checksumValue: Buffer.from(hash, "base64").toString("hex"),
      },
    ],
  });
}

const sums = [];
const source = add("SPDXRef-gizmod", "gizmod", version, "MIT");
relate("SPDXRef-DOCUMENT", "DESCRIBES", source);
for (const file of readdirSync(folder).sort()) {
  if (file.endsWith(".spdx.json")) continue;
  const sum = createHash("sha256").update(readFileSync(`${folder}/${file}`)).digest("hex");
  sums.push(sum);
  const shipped = add(idOf("File", file), file, version, "MIT", undefined, {
    packageFileName: file,
    checksums: [{ algorithm: "SHA256", checksumValue: sum }],
  });
  relate(shipped, "GENERATED_FROM", source);
  if (file.endsWith(".deb"))
    for (const name of debianNeeds(file)) relate(shipped, "DEPENDS_ON", addDebian(name));
  if (file.startsWith("gizmod_")) // with the editor
    for (const entry of npm) relate(shipped, "CONTAINS", addNpm(entry));
  if (file.endsWith(".tgz"))
    for (const entry of npm.filter(([path]) => lock["sdk"]?.dependencies?.[path.slice(13)]))
      relate(shipped, "DEPENDS_ON", addNpm(entry));
}

const unique = createHash("sha256").update(sums.join()).digest("hex").slice(0, 32);
const created = new Date(process.env.SOURCE_DATE_EPOCH * 1000).toISOString().slice(0, 19) + "Z";
const document = {
  spdxVersion: "SPDX-2.3",
  dataLicense: "CC0-1.0",
  SPDXID: "SPDXRef-DOCUMENT",
  name: `gizmod-${version}`,
  documentNamespace: `https://spdx.org/spdxdocs/gizmod-${version}-${unique}`,
  creationInfo: { created, creators: ["Tool: gizmod-release"] },
  packages,
  relationships,
};
console.log(JSON.stringify(document, null, 1));
