import { expect, test } from "bun:test"
import { contentProblem, type ElicitationAsk } from "#agent/words/elicitation.ts"
import type { Answer } from "#agent/words/question.ts"
import { elicit } from "#kits/mcp/elicit.ts"
import type { JsonObject } from "#lib/json.ts"

const ask = (properties: JsonObject, required: readonly string[] = []): ElicitationAsk => ({
  kind: "elicitation",
  callId: "c",
  server: "srv",
  message: "Tell me.",
  schema: { type: "object", properties, required },
})

const problems: readonly [string, JsonObject, unknown, string | undefined][] = [
  ["a string", { type: "string" }, "x", undefined],
  ["a number for a string", { type: "string" }, 1, "field must be a string."],
  ["too short", { type: "string", minLength: 2 }, "x", "field needs at least 2 characters."],
  ["too long", { type: "string", maxLength: 1 }, "xy", "field takes at most 1 characters."],
  ["not an address", { type: "string", format: "email" }, "x", "field must be of the format email."],
  ["an address", { type: "string", format: "email" }, "a@b.c", undefined],
  ["not a date", { type: "string", format: "date" }, "2026-99-99", "field must be of the format date."],
  ["a value of the list", { type: "string", enum: ["a", "b"] }, "b", undefined],
  ["a value beside the list", { type: "string", enum: ["a", "b"] }, "c", "field must be one of a, b."],
  ["a part of a whole number", { type: "integer" }, 1.5, "field must be a whole number."],
  ["too small", { type: "number", minimum: 2 }, 1, "field must be at least 2."],
  ["too large", { type: "number", maximum: 2 }, 3, "field must be at most 2."],
  ["a word for a yes", { type: "boolean" }, "yes", "field must be true or false."],
  ["several values", { type: "array", items: { enum: ["a", "b"] } }, ["a", "b"], undefined],
  ["one wrong of several", { type: "array", items: { enum: ["a"] } }, ["a", "x"], "field must be one of a."],
  ["too few", { type: "array", minItems: 1, items: { enum: ["a"] } }, [], "field needs at least 1 values."],
  ["an object", { type: "object" }, {}, "field has a type that cannot be answered."],
]

test.each(problems)("content is held against the form: %s", (_, property, value, expected) => {
  const wrong = contentProblem(ask({ field: property }), { field: value as never })
  expect(wrong).toBe(expected)
})

test("what is missing, and what was never asked for, is named", () => {
  const form = ask({ name: { type: "string" } }, ["name"])
  expect(contentProblem(form, {})).toBe("name is missing.")
  expect(contentProblem(form, { name: "x", toString: "y" })).toBe("toString is not a field of the form.")
})

async function told(answer: Answer): Promise<{ readonly answer: unknown; readonly warnings: readonly string[] }> {
  const warnings: string[] = []
  const { message, schema = {} } = ask({ age: { type: "integer" } }, ["age"])
  const ports = { ask: async () => answer, canElicit: true, warn: (text: string): void => void warnings.push(text) }
  return { answer: await elicit({ server: "srv" }, { message, schema }, ports, new AbortController().signal), warnings }
}

test("content that fits the form goes to the server as it is", async () => {
  const content = { age: 4 }
  expect(await told({ kind: "elicited", action: "accept", content })).toEqual({
    answer: { action: "accept", content },
    warnings: [],
  })
})

test("content that does not fit never reaches the server", async () => {
  const { answer, warnings } = await told({ kind: "elicited", action: "accept", content: { age: "four" } })
  expect(answer).toEqual({ action: "cancel" })
  expect(warnings).toEqual(["srv was told nothing, because age must be a number."])
})

test.each(["decline", "cancel"] as const)("%s is told as it is", async (action) => {
  expect((await told({ kind: "elicited", action })).answer).toEqual({ action })
})
