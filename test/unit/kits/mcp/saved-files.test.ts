import { expect, test } from "bun:test"
import { contentOf } from "#kits/mcp/content.ts"
import { withSavedFiles } from "#kits/mcp/saved-files.ts"
import { failed, ok } from "#lib/result.ts"

const report = {
  type: "resource",
  resource: { uri: "a://report", blob: Buffer.from("%PDF-1.7").toString("base64"), mimeType: "application/pdf" },
}
const note = { type: "resource", resource: { uri: "a://note", text: "hello" } }
const picture = { type: "resource", resource: { uri: "a://p", blob: "AAAA", mimeType: "image/png" } }

test("bytes are saved whole, and the model gets the path; text and images stay as they are", async () => {
  const files = new Map<string, string>()
  const blocks = await withSavedFiles([note, report, picture, "odd"], "call_1", async (name, bytes) => {
    files.set(name, new TextDecoder().decode(bytes))
    return ok(`/results/${name}`)
  })
  expect([...files]).toEqual([["call_1-2.pdf", "%PDF-1.7"]])
  expect(blocks).toEqual([
    note,
    { type: "text", text: "[a://report: application/pdf, 8 bytes, saved to /results/call_1-2.pdf]" },
    picture,
    "odd",
  ])
})

test("what cannot be saved is said as before", async () => {
  const blocks = await withSavedFiles([report], "c", async () => failed("the disk is full"))
  expect(contentOf(blocks)).toBe("[a://report: application/pdf, 9 bytes, which cannot be shown here.]")
})
