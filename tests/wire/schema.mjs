// schema.mjs - proto/gizmod.cddl as a JSON Schema. What the table cannot make is not understood
// here either: a form that is not known ends the program.
import { parse } from "cddl";

const NUMBERS = { number: { type: "number" }, bool: { type: "boolean" } };
const NAMED = { ...NUMBERS, tstr: { type: "string" }, nil: { type: "null" } };

function unknown(part) {
  throw new Error(`not known: ${JSON.stringify(part)}`);
}

function text({ Type, Value }) {
  if (Type === "regexp") return { type: "string", pattern: `^${Value.Value}$` };
  if (Type !== "size") unknown(Type);
  // A schema counts characters, of which there are at most as many as bytes.
  const { Min, Max } = Value.Value;
  return { type: "string", minLength: Math.min(Min.Value, 1), maxLength: Max.Value };
}

/** An array of one repeated type, or, if each of its values has a name, a tuple. */
function array({ Values }) {
  if (Values.every(({ Name }) => Name !== "")) {
    const items = Values.map(({ Type }) => choice(Type));
    return { type: "array", items, minItems: items.length, maxItems: items.length };
  }
  const [{ Type, Occurrence }] = Values;
  if (Values.length !== 1) unknown(Values);
  const { n, m } = Occurrence;
  const items = choice(Type);
  return {
    type: "array",
    items,
    ...(n > 0 && { minItems: n }),
    ...(Number.isFinite(m) && { maxItems: m }),
  };
}

function one(part) {
  if (typeof part === "string") return NAMED[part] ?? unknown(part);
  if (part.Type === "tstr") return text(part.Operator);
  if (part.Type === "group") return NAMED[part.Value] ?? { $ref: `#/definitions/${part.Value}` };
  if (part.Type === "range")
    return { type: "integer", minimum: part.Value.Min.Value, maximum: part.Value.Max.Value };
  if (part.Type === "array") return array(part);
  if (part.Type === "literal") return { const: part.Value };
  return unknown(part);
}

function choice(types) {
  const parts = [types].flat();
  const words = parts.filter(({ Type }) => Type === "literal").map(({ Value }) => Value);
  const others = parts.filter(({ Type }) => Type !== "literal").map(one);
  const all = words.length > 1 ? [{ enum: words }, ...others] : parts.map(one);
  return all.length === 1 ? all[0] : { anyOf: all };
}

function record({ Properties }) {
  const properties = {};
  const required = [];
  for (const { Name, Type, Occurrence, Comments } of Properties) {
    const said = Comments.map(({ Content }) => Content).join(" ");
    properties[Name] = { ...choice(Type), ...(said !== "" && { description: said }) };
    if (Occurrence.n > 0) required.push(Name);
  }
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

function rule(part) {
  if (part.Type === "group") return record(part);
  if (part.Type === "array") return array(part);
  if (part.Type === "variable") return choice(part.PropertyType);
  return unknown(part);
}

/** @param {string} path of the CDDL file */
export function schemaOf(path) {
  const definitions = {};
  for (const part of parse(path)) {
    if (part.Name in definitions) throw new Error(`two rules are called ${part.Name}`);
    definitions[part.Name] = rule(part);
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $comment: "Made from gizmod.cddl by tests/wire/make.mjs: do not edit.",
    title: "gizmod-message",
    anyOf: ["client-message", "server-message"].map((name) => ({ $ref: `#/definitions/${name}` })),
    definitions,
  };
}
