import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import { fingerprint } from "#ground/workspace/fingerprint.ts"
import { repair } from "#session/journal/repair.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const stamped = (bodies: readonly EntryBody[]): Entry[] =>
  bodies.map((body, i) => ({ ...body, uuid: String(i), parentUuid: null, at: 0 }))
const called: EntryBody = {
  kind: "reply",
  messageId: "m",
  model: "x",
  block: { type: "tool_use", id: "c", name: "Write", input: {} },
  usage: noUsage,
}

test("after a crash the model is told whether an edit took effect", () => {
  using folder = temporaryFolder()
  const path = folder.join("a.txt")
  const told = (more: readonly EntryBody[]): string => {
    const [result] = repair(stamped([called, ...more]), {
      fingerprint,
      canAskAgain: false,
      asked: () => undefined,
      agent: () => undefined,
      why: "the program ended",
    }).bodies
    return result?.kind === "result" ? String(result.content) : ""
  }
  const intent: EntryBody = {
    kind: "intent",
    callId: "c",
    tool: "Write",
    title: "Write a.txt",
    files: [{ path, before: fingerprint(path) }],
  }
  expect(told([])).toBe("Not run: the program ended before this started.")
  expect(told([intent])).toContain("It did not take effect")
  writeFileSync(path, "new")
  expect(told([intent])).toContain("It took effect")
  expect(told([{ ...intent, files: [] }])).toContain("It may have taken effect")
})
