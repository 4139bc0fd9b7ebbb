/** A conversation as a document: each part once and in order, and nothing of the text taken for anything but text. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { parseHTML } from "linkedom"
import type { EntryBody } from "#agent/words/entry.ts"
import { htmlDocument } from "#faces/document/html.ts"
import { type DocumentHead, type Draw, markdownDocument } from "#faces/document/markdown.ts"
import { type DocumentPart, partsOf } from "#faces/document/parts.ts"
import { plainDocument } from "#faces/document/plain.ts"
import { answered, called, entriesOf, saidBy } from "../../../kit/write-log.ts"

const result = (callId: string, content: string, more: object = {}): EntryBody => ({
  kind: "result",
  callId,
  tool: "T",
  content,
  isError: false,
  durationMs: 1,
  ...more,
})
const partsIn = (bodies: readonly EntryBody[]): readonly DocumentPart[] => partsOf(entriesOf(bodies), () => false)
const drawn = (draw: Draw, top: DocumentHead, parts: readonly DocumentPart[]): string =>
  draw.head(top) + draw.parts(parts) + draw.foot
const head = { title: "A title", facts: [["folder", "/w"]] } as const

describe("the parts of a conversation", () => {
  test("calls stand where they were made, with what came of them; what was cut off is left out", () => {
    const parts = partsIn([
      saidBy("do it"),
      called("a", "Read", { file_path: "x.ts" }),
      called("b", "Bash", { command: "ls\nls" }),
      result("b", "no", { isError: true }),
      { kind: "intent", callId: "a", tool: "Read", title: "read x.ts", files: [] },
      result("a", "text"),
      called("c", "Bash", { command: "rm" }),
      result("c", "declined", { isError: true, denied: { input: {} } }),
      called("d", "Bash", { command: "late" }),
      answered("half an ans", "cut"),
      { kind: "orphan", messageId: "cut", why: "lost" },
      answered("Done."),
      { kind: "shell", command: "make", output: "made", exitCode: 0 },
      { kind: "mode", mode: "plan" },
      { kind: "turn_end", turnId: "t", reason: "aborted" },
    ])
    expect(
      parts.map((part) =>
        part.kind === "call" ? `${part.title}: ${part.outcome} ${part.text}` : `${part.kind} ${part.text}`,
      ),
    ).toEqual([
      "prompt do it",
      "read x.ts: done text",
      "Bash ls: failed no",
      "Bash rm: denied declined",
      "Bash late: unanswered ",
      "answer Done.",
      "! make: done made",
      "notice Interrupted.",
    ])
  })

  test("a gap is said where it is", () => {
    const entries = entriesOf([saidBy("one"), saidBy("two")])
    expect(partsOf(entries, (index) => index === 1).map(({ kind }) => kind)).toEqual(["prompt", "notice", "prompt"])
  })
})

test("each kind of display has its text", () => {
  const hunks = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }]
  const displays = [
    { kind: "text", text: "plain" },
    { kind: "diff", path: "x", hunks, created: true },
    { kind: "diffs", files: [{ path: "y", hunks, created: false }] },
    { kind: "terminal", command: "ls", output: "out", exitCode: 0 },
    { kind: "list", items: ["one", "two"], note: "and more" },
    { kind: "todos", todos: [{ content: "task", status: "in_progress", activeForm: "tasking" }] },
    { kind: "image", mediaType: "image/png", bytes: 9, path: "z.png" },
  ]
  const bodies = displays.flatMap((display, n) => [called(`c${n}`, "T", {}), result(`c${n}`, "answer", { display })])
  const text = plainDocument(partsIn(bodies))
  for (const expected of [
    "plain",
    "new file x",
    "-a",
    "y",
    "$ ls",
    "out",
    "and more",
    "[>] task",
    "[image z.png, 9 B]",
  ])
    expect(text).toContain(expected)
  expect(drawn(markdownDocument, head, partsIn(bodies))).toContain("```diff\nnew file x\n@@ -1,1 +1,1 @@\n-a\n+b\n```")
})

test("no text can close the fence it stands in", () => {
  const [fence] =
    /^`{3,}$/m.exec(drawn(markdownDocument, head, partsIn([called("c", "T", {}), result("c", "a\n`````\nb")]))) ?? []
  expect(fence?.length).toBe(6)
})

const pieces =
  String.raw`<script>alert(1)</script>~<img src=x onerror=alert(1)>~</pre></section>~" onclick="x~'~&lt;~]]>~<!--~-->~<style>~**~[a](javascript:x)~![a](http://x/y)~<a href='javascript:x'>~word~- ~# ~> ~<`
    .split("~")
    .concat("`", "```", "\n", "\n\n", " ", "| a | b |\n|---|---|\n| c | d |\n", "\u001b[31m", "\0")
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 12 })

test("whatever the text is, the HTML holds only our own tags and attributes, and nothing that runs or is fetched", () => {
  const tags = new Set<string>()
  fc.assert(
    fc.property(hostile, (words) => {
      const text = words.join("")
      const parts = partsIn([
        saidBy(text),
        answered(text),
        { kind: "notice", level: "info", text },
        called("c", text, { command: text }),
        result("c", text, {
          display: {
            kind: "diff",
            path: text,
            created: false,
            hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${text}`, `+${text}`] }],
          },
        }),
      ])
      const html = drawn(htmlDocument, { title: text, facts: [[text, text]] }, parts)
      const { document } = parseHTML(html)
      for (const element of document.querySelectorAll("*")) {
        tags.add(element.localName)
        for (const { name, value } of element.attributes) {
          expect(["lang", "charset", "http-equiv", "content", "name", "class", "open", "href", "rel"]).toContain(name)
          if (name === "href") expect(value).toMatch(/^https?:|^mailto:/)
        }
      }
      expect(document.querySelectorAll("main > *")).toHaveLength(parts.length)
    }),
    { numRuns: 300 },
  )
  for (const tag of ["script", "img", "iframe", "link", "object", "embed", "form"]) expect(tags.has(tag)).toBe(false)
})
