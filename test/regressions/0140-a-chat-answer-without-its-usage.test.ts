/** The simulator never sent the usage of a streamed chat completion, so what counts it was never tried. */

import { expect, test } from "bun:test"
import { openTestSession } from "../kit/open-test-session.ts"
import { wireFormats } from "../kit/wire-formats.ts"

test("what a streamed chat completion used is what its server says", async () => {
  const usage = { input_tokens: 4_321, output_tokens: 123 }
  await using t = await openTestSession({ format: wireFormats.chat, script: [{ content: "Done.", usage }] })
  await t.prompt("go")
  expect(t.entries().find(({ kind }) => kind === "reply_end")).toMatchObject({ usage })
})
