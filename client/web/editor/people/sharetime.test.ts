// How long the link holds that a person chooses a term or a date for.
import assert from "node:assert/strict";
import { test } from "node:test";

import { lastMoment, linkSeconds, untilText } from "./sharetime";

const NOON = new Date("2026-11-23T12:00:00").getTime();

test("share_a_term_is_a_number_of_seconds", () => {
  assert.deepEqual(
    ["hour", "day", "week"].map((term) => linkSeconds(term, "", NOON)),
    [3600, 86_400, 604_800],
  );
});

test("share_a_date_holds_to_the_end_of_that_day_here", () => {
  assert.equal(linkSeconds("date", "2026-11-23", NOON), 12 * 3600 - 1);
  assert.equal(linkSeconds("date", "2026-11-24", NOON), 36 * 3600 - 1);
  for (const over of ["2026-11-22", "", "soon", "2026-12-24"])
    assert.equal(linkSeconds("date", over, NOON), null);
  assert.equal(lastMoment(NOON).day, "2026-11-23");
});

test("share_what_a_token_says_of_its_end_is_said_in_words", () => {
  const claims = Buffer.from(JSON.stringify({ exp: NOON / 1000 })).toString("base64url");
  assert.match(
    untilText(`e30.${claims}.c2ln`),
    /^It is valid until Monday.* 23 November 2026.*12:00\.$/,
  );
});
