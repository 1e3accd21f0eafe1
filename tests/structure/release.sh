#!/bin/sh
# Makes a release twice, in clones at two places, under another time zone, umask and language, and compares all bytes. Looks at
# what is in it: the packages have no error of lintian, the unit's exposure is at most 1.5, the checksums are right, the list of
# what is shipped names each file, and each name has the one version.
#     release.sh SOURCE_DIR OUT
set -eu
source=$1 out=$2
rm -rf "$out"
mkdir -p "$out"
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "release: $*"; exit 1; }

[ -z "$(git -C "$source" status --porcelain)" ] || fail "only what is committed is released: git status"
git clone -q "$source" "$here/one"
mkdir "$here/another"
git clone -q "$source" "$here/another/place"
"$here/one/.ci/release" "$out/first"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C "$here/another/place/.ci/release" "$out/second")
diff -r "$out/first" "$out/second" || fail "two runs give other bytes"

cd "$out/first"
sha256sum --quiet -c SHA256SUMS
[ "$(wc -l <SHA256SUMS)" = "$(($(find . -type f | wc -l) - 1))" ] || fail "SHA256SUMS has not each file"
version=$(sed -n 's/^project(gizmod VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
for file in *; do
    case "$file" in SHA256SUMS | *[-_]"$version"[-_.]*) ;; *) fail "$file is not of version $version" ;; esac
done
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ./*.deb || fail "lintian"
dpkg-deb -x gizmod_*.deb "$here/unpacked"
systemd-analyze security --offline=yes --threshold=15 "$(find "$here/unpacked" -name gizmod.service)" >"$here/exposure" ||
    { tail -n 1 "$here/exposure"; fail "more exposed than 1.5"; }

cat >"$here/look.mjs" <<'END'
import { readFileSync, readdirSync } from "node:fs";
const name = readdirSync(".").find((file) => file.endsWith(".spdx.json"));
const bill = JSON.parse(readFileSync(name, "utf8"));
const ids = new Set(["SPDXRef-DOCUMENT", ...bill.packages.map((one) => one.SPDXID)]);
const wrong = [];
if (bill.spdxVersion !== "SPDX-2.3" || ids.size !== bill.packages.length + 1) wrong.push("form");
for (const { spdxElementId, relatedSpdxElement } of bill.relationships)
  for (const id of [spdxElementId, relatedSpdxElement]) if (!ids.has(id)) wrong.push(id);
for (const id of ids) if (!/^SPDXRef-[A-Za-z0-9.-]+$/.test(id)) wrong.push(id);
const names = new Set(bill.packages.map((one) => one.name));
const needed = ["libssl3", "libpq5", "libwebsockets-evlib-uv", "three", "preact", "@msgpack/msgpack"];
for (const file of readdirSync(".").filter((file) => /\.(deb|tgz|whl|gz)$/.test(file)).concat(needed))
  if (!names.has(file)) wrong.push(`no ${file}`);
for (const tool of ["typescript", "esbuild", "ws"]) if (names.has(tool)) wrong.push(`${tool} is not shipped`);
if (wrong.length > 0) throw new Error(wrong.join(", "));
END
node "$here/look.mjs" || fail "the list of what is shipped"
