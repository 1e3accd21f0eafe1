#!/usr/bin/env node
// circles.mjs - fails if more than two files depend on each other in a circle.
//
//   node circles.mjs ROOT
//
// Two graphs are searched. "imports": what a file includes or imports, types too; x.c and x.h of a
// folder are one file. "names" (C only): which .c file defines the functions and tables that
// another one uses, because one header can declare what many .c files define.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(process.argv[2] ?? ".");
const FOLDERS = ["server", "proto", "schema", "client", "tests"];
/** Fetched or generated. */
const SKIPPED = /\/(node_modules|build|dist|sdk\/types)$/;
const C = /\.[ch]$/;
const SCRIPT = /\.(tsx?|m?js)$/;
/** Where an #include "..." is looked for, after the folder of the file that has it. */
const INCLUDE_FOLDERS = ["", "server", "client/c", "client/ctl", "tests"];
/** Packages that are part of this tree. */
const PACKAGES = {
  "gizmod-client": "client/web/sdk/index.js",
  "gizmod-client/three": "client/web/sdk/three/index.js",
};

// ---- files ----

function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.test(path)) yield* filesIn(path);
    if (entry.isFile() && (C.test(path) || SCRIPT.test(path))) yield path;
  }
}

/** C without its comments; a script keeps them, because the types of a .js file are imported there. */
const codeOf = (path, text) => (C.test(path) ? text.replace(/\/\*[^]*?\*\/|\/\/.*/g, "") : text);

function readSources() {
  const sources = new Map();
  for (const folder of FOLDERS) {
    for (const path of filesIn(join(root, folder))) {
      sources.set(path, codeOf(path, readFileSync(path, "utf8")));
    }
  }
  return sources;
}

// ---- what a file includes or imports ----

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

function included(path, name) {
  const folders = [dirname(path), ...INCLUDE_FOLDERS.map((folder) => join(root, folder))];
  return folders.map((folder) => join(folder, name)).find(isFile);
}

function imported(path, name) {
  if (PACKAGES[name]) return join(root, PACKAGES[name]);
  if (!name.startsWith(".")) return undefined;
  return ["", ".ts", ".tsx", ".js"].map((end) => join(dirname(path), name + end)).find(isFile);
}

const INCLUDES = /^[ \t]*#[ \t]*include "([^"]+)"/gm;
const IMPORTS = /\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

function references(path, text) {
  const [pattern, find] = C.test(path) ? [INCLUDES, included] : [IMPORTS, imported];
  return [...text.matchAll(pattern)].map(([, name]) => find(path, name)).filter(Boolean);
}

// ---- who defines the names that a .c file uses ----

/** Functions with a body, and tables with values, at the left edge of a formatted .c file. */
const FUNCTION = /^([a-z][\w \t\n*]*?[ \n*])(\w+)\([^;{}]*\)\n\{/gm;
const TABLE = /^([a-z][\w \t*]*?[ *])(\w+)(?:\[[^\]]*\])* =/gm;

/** The names that this .c file defines for other files, and those it keeps to itself. */
function definitions(text) {
  const all = [...text.matchAll(FUNCTION), ...text.matchAll(TABLE)];
  const names = (own) => all.filter(([, type]) => /\bstatic\b/.test(type) === own);
  return { shared: names(false).map((match) => match[2]), own: names(true).map((match) => match[2]) };
}

/** The headers that a file reaches through its includes. */
function reached(path, includes, seen = new Set()) {
  for (const next of includes.get(path) ?? []) {
    if (!seen.has(next)) reached(next, includes, seen.add(next));
  }
  return seen;
}

const isTest = (path) => relative(root, path).startsWith("tests/");

/** Which of the files that define a name is meant: the one of the same folder, or the only one. */
function definer(places, path) {
  const seen = places.filter((place) => isTest(path) || !isTest(place));
  const near = seen.filter((place) => dirname(place) === dirname(path));
  const choice = near.length > 0 ? near : seen;
  return choice.length === 1 ? choice[0] : undefined;
}

/** From each .c file to those that define the names it uses, if a header it reaches has the name. */
function linkNames(sources, includes, link) {
  const bodies = [...sources].filter(([path]) => path.endsWith(".c"));
  const words = new Map([...sources].map(([path, text]) => [path, new Set(text.match(/\b[a-z]\w+/g))]));
  const own = new Map();
  const places = new Map();
  for (const [path, text] of bodies) {
    const names = definitions(text);
    own.set(path, new Set([...names.shared, ...names.own]));
    for (const name of names.shared) places.set(name, [...(places.get(name) ?? []), path]);
  }
  for (const [path] of bodies) {
    const headers = [...reached(path, includes)].map((header) => words.get(header));
    for (const name of words.get(path)) {
      if (own.get(path).has(name) || !places.has(name)) continue;
      const to = definer(places.get(name), path);
      if (to && headers.some((header) => header.has(name))) link(path, to);
    }
  }
}

// ---- circles ----

/** A graph of files, x.c and x.h as one: add(from, to) for each dependency. */
function graph() {
  const edges = new Map();
  const named = (path) => relative(root, path).replace(C, "");
  const at = (name) => edges.get(name) ?? edges.set(name, new Set()).get(name);
  const add = (from, to) => named(from) !== named(to) && at(named(from)).add(named(to));
  return { edges, add };
}

/** Tarjan's algorithm: the sets of files that reach each other, if they are more than two. */
function circlesOf(edges) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const sets = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) === index.get(file)) sets.push(stack.splice(stack.indexOf(file)).sort());
  };
  for (const file of edges.keys()) if (!index.has(file)) visit(file);
  return sets.filter((set) => set.length > 2);
}

function describe(kind, circle, edges) {
  const lines = circle.map((file) => {
    const next = [...edges.get(file)].filter((other) => circle.includes(other));
    return `  ${file} -> ${next.join(", ")}`;
  });
  return `a circle of ${circle.length} files by ${kind}:\n${lines.join("\n")}`;
}

function main() {
  const sources = readSources();
  const includes = new Map([...sources].map(([path, text]) => [path, references(path, text)]));
  const graphs = { imports: graph(), names: graph() };
  for (const [path, to] of includes) to.forEach((next) => graphs.imports.add(path, next));
  linkNames(sources, includes, graphs.names.add);

  for (const [kind, { edges }] of Object.entries(graphs)) {
    for (const circle of circlesOf(edges)) {
      console.log(describe(kind, circle, edges));
      process.exitCode = 1;
    }
  }
}

main();
