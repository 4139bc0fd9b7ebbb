/** A question in a terminal that follows a session of a server. */

import { expect, test } from "bun:test"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { answerable } from "#faces/cli/fleet/remote-answer.ts"
import type { JsonObject } from "#lib/json.ts"

const ask: QuestionAsk = {
  kind: "permission",
  callId: "c1",
  tool: "Bash",
  title: "rm a",
  input: { command: "rm a" },
  footprint: touchesNothing(),
  decision: { behavior: "ask", reason: { kind: "default" }, message: "It removes files.", trace: [] },
  suggestedRule: "Bash(rm:*)",
  destinations: ["session", "local settings", "project settings", "user settings"],
}

test.each<[JsonObject, readonly string[]]>([
  [{ details: { destinations: ["session", "local settings", "user settings"] } }, ["session", "user settings"]],
  [{ details: { destinations: ["session"] } }, ["session"]],
  [{ details: {} }, []],
  [{}, []],
])("with %j it offers only what the server offers", (approval, destinations) => {
  expect(answerable(ask, approval)).toEqual({ ...ask, destinations } as QuestionAsk)
})
