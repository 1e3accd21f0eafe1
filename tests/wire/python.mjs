// python.mjs - the types of the messages for Python, from the JSON Schema: a TypedDict for each
// record. Lists are Sequence, so that a program may say a tuple where the wire has a list.

const BANNER = `"""The messages of the plain form, as proto/README.md describes them. Made from proto/gizmod.cddl by
tests/wire/make.mjs: do not edit."""
`;
const SCALARS = { integer: "int", number: "float", string: "str", boolean: "bool", null: "None" };

/** set-message -> SetMessage @param {string} name */
const className = (name) => name.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());

function unknown(part) {
  throw new Error(`not known: ${JSON.stringify(part)}`);
}

/** Many words take a line each, as a formatter would have it. */
function literal(words) {
  const said = words.map((word) => JSON.stringify(word));
  const line = said.join(", ");
  return line.length < 80 ? `Literal[${line}]` : `Literal[\n    ${said.join(",\n    ")},\n]`;
}

function list({ items }) {
  const types = [...new Set([items].flat().map(typeOf))];
  // float takes int, too.
  return `Sequence[${types.length > 1 ? "float" : types[0]}]`;
}

function typeOf(part) {
  if (part.$ref) return className(part.$ref.replace("#/definitions/", ""));
  if (part.const !== undefined) return literal([part.const]);
  if (part.enum) return literal(part.enum);
  if (part.anyOf) return part.anyOf.map(typeOf).join(" | ");
  if (part.type === "array") return list(part);
  return SCALARS[part.type] ?? unknown(part);
}

function fieldsOf({ properties, required = [] }) {
  return Object.entries(properties).map(([key, part]) => ({
    key,
    type: required.includes(key) ? typeOf(part) : `NotRequired[${typeOf(part)}]`,
    said: part.description ? `  # ${part.description}` : "",
  }));
}

/** `from` is a word of Python, which no class can have as a field. */
function record(name, fields) {
  const isClass = fields.every(({ key }) => key !== "from");
  const line = ({ key, type, said }) =>
    isClass ? `    ${key}: ${type}${said}` : `        "${key}": ${type},${said}`;
  const lines = fields.map(line).join("\n");
  if (isClass) return `\n\nclass ${name}(TypedDict):\n${lines}`;
  return `\n\n${name} = TypedDict(\n    "${name}",\n    {\n${lines}\n    },\n)`;
}

/** The parts of a union, a line for each. */
function union(name, { anyOf }) {
  const lines = anyOf.map((part) => `    ${typeOf(part)},`).join("\n");
  return `\n\n${name}: TypeAlias = Union[\n${lines}\n]`;
}

/** The names of all definitions, each after those that it names: Python reads them in turn. */
function inOrder(definitions) {
  const order = new Set();
  const visit = (name) => {
    const named = JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g);
    for (const [, other] of named) if (!order.has(other)) visit(other);
    order.add(name);
  };
  for (const name of Object.keys(definitions)) visit(name);
  return [...order];
}

/** @param {{ definitions: Record<string, any> }} schema */
export function pythonOf({ definitions }) {
  const text = [
    BANNER,
    "from collections.abc import Sequence",
    "from typing import Literal, NotRequired, TypeAlias, TypedDict, Union\n",
  ];
  const records = [];
  const unions = [];
  for (const word of inOrder(definitions)) {
    const part = definitions[word];
    const name = className(word);
    if (part.type === "object") records.push(record(name, fieldsOf(part)));
    else if (part.anyOf?.every(({ $ref }) => $ref)) unions.push(union(name, part));
    else text.push(`${name}: TypeAlias = ${typeOf(part)}`);
  }
  return `${[...text, ...records, ...unions].join("\n")}\n`;
}
