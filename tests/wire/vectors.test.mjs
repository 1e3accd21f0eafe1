// vectors.test.mjs - the description of the wire says of each golden vector what the server says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { decodeMulti } from "@msgpack/msgpack";
import Ajv from "ajv";

const proto = join(dirname(fileURLToPath(import.meta.url)), "../../proto");
const read = (path) => JSON.parse(readFileSync(join(proto, path), "utf8"));
const { vectors } = read("vectors/vectors.json");
const ajv = new Ajv({ strict: true, strictTuple: false, allowUnionTypes: true });
ajv.addSchema(read("gizmod.schema.json"), "wire");
const sides = {
  client: ajv.getSchema("wire#/definitions/client-message"),
  server: ajv.getSchema("wire#/definitions/server-message"),
};

test("a remark of the description is that of its field alone", () => {
  const cddl = readFileSync(join(proto, "gizmod.cddl"), "utf8");
  let count = 0;
  for (const [name, { properties = {} }] of Object.entries(
    read("gizmod.schema.json").definitions,
  )) {
    const record = cddl.split(`\n${name} = {\n`)[1]?.split("\n}")[0].split("\n") ?? [];
    for (const [field, { description, items }] of Object.entries(properties)) {
      const line = record.find((text) => text.replace("?", "").trim().startsWith(`${field}: `));
      assert.equal(description, line.split(" ; ")[1], `${name}.${field}`);
      assert.equal(items?.description, undefined, `${name}.${field}`);
      if (description !== undefined) count++;
    }
  }
  assert.ok(count > 50);
});

/** What the frame holds, or null if it is no MessagePack. */
function decode(bytes) {
  try {
    return [...decodeMulti(Buffer.from(bytes, "hex"))];
  } catch {
    return null;
  }
}

/** The packed form is lists, which no rule describes. */
const isPlain = (message) => !Array.isArray(message) && message.error === undefined;

test("each message of a vector is one of its side", () => {
  let count = 0;
  for (const { name, side, expect } of vectors) {
    for (const message of expect.filter(isPlain)) {
      assert.ok(sides[side](message), `${name}: ${ajv.errorsText(sides[side].errors)}`);
      count++;
    }
  }
  assert.ok(count > 100);
});

/**
 * Refused by rules that are comments in the description, or that no description of values can say:
 * keys and ids that are there twice, one field or the other, ranges of numbers, bytes that are no
 * text.
 */
const BEYOND = new Set(
  `
op_twice key_twice key_twice_inside rid_twice key_not_a_text depth_17 pointer_without_at
grab_without_at restore_without_seq pick_without_a_place at_without_seq_or_time
create_node_without_name change_of_nothing id_twice_in_order id_twice_out_of_order
id_twice_by_count id_twice_in_set id_twice_in_a_delta viewport_empty viewport_negative
quaternion_zero quaternion_zero_third scale_near_zero scale_beyond coordinate_beyond euler_and_r
bounds_min_above_max ray_without_direction at_and_ray grab_at_and_ray pick_at_and_rect
at_seq_and_time grab_with_phase_up grab_value_beyond grab_value_with_at_and_ray snap_step_zero
snap_step_negative size_zero tolerance_negative name_not_utf8 name_with_nul ref_not_utf8
interest_two_parts interest_box_inside_out note_of_nothing restore_of_nothing
restore_seq_and_checkpoint at_seq_and_checkpoint camera_target_beyond link_of_no_time
hold_node_twice pose_node_twice pose_t_and_x pose_coordinate_too_large pose_r_and_euler
set_t_and_y
`
    .trim()
    .split(/\s+/),
);

test("what the server refuses is refused, but for rules beyond the description", () => {
  const accepted = new Set();
  let refused = 0;
  for (const { name, side, bytes, expect } of vectors) {
    if (expect.length !== 1 || expect[0].error === undefined) continue;
    const messages = decode(bytes);
    if (messages?.length !== 1) continue;
    if (sides[side](messages[0])) accepted.add(name);
    else refused++;
  }
  assert.deepEqual(accepted, BEYOND);
  assert.ok(refused > 150);
});
