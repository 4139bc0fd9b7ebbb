/** Heads of commands and skills are the same after they were packed into few texts. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { CommandDefinition } from "#agent/words/command.ts"
import type { Head } from "#ground/extensions/head-index.ts"
import type { JsonValue } from "#lib/json.ts"
import { packHeads, unpackHeads } from "#session/adapters/packed-heads.ts"

const names = fc.array(fc.string(), { maxLength: 3 })
const head = fc.record(
  {
    name: fc.string({ minLength: 1 }),
    kind: fc.constantFrom("command", "skill"),
    source: fc.constantFrom("user", "project"),
    description: fc.string({ unit: "grapheme" }),
    takes: fc.string(),
    argumentNames: names,
    allowedTools: names,
    disallowedTools: names,
    isForModel: fc.boolean(),
    isForPerson: fc.boolean(),
    path: fc.string({ minLength: 1 }),
    problems: names,
    paths: names,
    whenToUse: fc.string(),
  },
  {
    noNullPrototype: true,
    requiredKeys: [
      "name",
      "kind",
      "source",
      "description",
      "takes",
      "argumentNames",
      "allowedTools",
      "disallowedTools",
      "isForModel",
      "isForPerson",
      "path",
      "problems",
    ],
  },
) as fc.Arbitrary<Head>

const builtIn: CommandDefinition = {
  name: "built in",
  kind: "skill",
  source: "built-in",
  description: "Comes with the program",
  takes: "",
  argumentNames: [],
  allowedTools: [],
  disallowedTools: [],
  isForModel: true,
  isForPerson: true,
  body: "text",
  problems: [],
}

const throughJson = (value: JsonValue): JsonValue => JSON.parse(JSON.stringify(value))

test("what is unpacked is what was packed, and what could be mistaken is not packed", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(head, fc.constant(builtIn)), { maxLength: 20 }), (heads) => {
      const packed = packHeads(heads)
      const isPlain = !heads.some(({ name, description, path }) => `${name}${description}${path}`.includes("\u007f"))
      expect(packed !== undefined).toBe(isPlain)
      if (packed) expect(unpackHeads(throughJson(packed), [builtIn])).toEqual(heads)
    }),
  )
})

test("a list with a command that the program no longer has does not count", () => {
  const packed = packHeads([builtIn])
  expect(packed && unpackHeads(packed, [])).toBeUndefined()
})
