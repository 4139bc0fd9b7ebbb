/** A conversation knows only the files it has read: not those of the one before a clear, a rewind or a switch. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { type AnyBlock, type Message, textOf } from "#agent/words/message.ts"
import { act, promptId } from "../kit/going-back.ts"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { calls, edit, read, says, write } from "../kit/script.ts"

const files = { "a.txt": "one end\n", "b.txt": "two end\n" }

/** The calls of one prompt. */
const doing = (...steps: Parameters<typeof calls>) => [...steps.map((step) => calls(step)), says("Done.")]

const editA = edit("a.txt", "end", "more end")

const lastResult = (t: TestSession) => t.results().at(-1)

test("after a clear, an edit of a file of the old conversation is refused, and nothing is told of it", async () => {
  await using t = await openTestSession({
    script: [
      ...doing(read("a.txt")),
      ...doing(editA),
      ...doing(write("a.txt", "other\n")),
      ...doing(read("a.txt"), editA),
    ],
    files,
  })
  await t.prompt("read")
  await act(t, { type: "clear" })
  await Bun.write(t.path("a.txt"), "by hand, end\n")
  await t.prompt("edit")
  expect(lastResult(t)).toMatchObject({ tool: "Edit", isError: true })
  await t.prompt("write")
  expect(lastResult(t)).toMatchObject({ tool: "Write", isError: true })
  expect(t.read("a.txt")).toBe("by hand, end\n")
  expect(t.entries().some((entry) => entry.kind === "attachment" && entry.name === "changed_files")).toBe(false)
  await t.prompt("read and edit")
  expect(lastResult(t)).toMatchObject({ tool: "Edit", isError: false })
})

for (const what of ["conversation", "both"] as const)
  test(`after a rewind of ${what} to before a read, the edit is refused; after the redo it is made`, async () => {
    await using t = await openTestSession({
      script: [says("Hello."), ...doing(read("a.txt")), ...doing(editA), ...doing(editA)],
      files,
    })
    await t.prompt("hello")
    await t.prompt("read")
    await act(t, { type: "rewind", promptId: promptId(t, "read"), what })
    await t.prompt("edit")
    expect(lastResult(t)).toMatchObject({ tool: "Edit", isError: true })
    await act(t, { type: "redo" })
    await t.prompt("edit again")
    expect(lastResult(t)).toMatchObject({ tool: "Edit", isError: false })
  })

test("a rewind to after a read keeps it: the edit needs no second one", async () => {
  await using t = await openTestSession({
    script: [...doing(read("a.txt")), ...doing(editA), ...doing(editA)],
    files,
  })
  await t.prompt("read")
  await t.prompt("edit")
  await act(t, { type: "rewind", promptId: promptId(t, "edit"), what: "both" })
  expect(t.read("a.txt")).toBe(files["a.txt"])
  await t.prompt("edit again")
  expect(lastResult(t)).toMatchObject({ tool: "Edit", isError: false })
  expect(t.read("a.txt")).toBe("one more end\n")
})

test("what was cleared is not known after a resume either, nor in a fork", async () => {
  await using t = await openTestSession({
    script: [...doing(read("a.txt"), read("b.txt")), ...doing(read("b.txt")), ...doing(editA), ...doing(editA)],
    files,
  })
  await t.prompt("read both")
  await act(t, { type: "clear" })
  await t.prompt("read b")
  await using resumed = await t.reopen()
  await resumed.prompt("edit")
  expect(lastResult(resumed)).toMatchObject({ tool: "Edit", isError: true })
  await using forked = await resumed.fork()
  await forked.prompt("edit")
  expect(lastResult(forked)).toMatchObject({ tool: "Edit", isError: true })
})

test("a file that was mentioned is known, also after a resume, and no longer after a clear", async () => {
  await using t = await openTestSession({
    script: [says("Seen."), ...doing(editA), ...doing(editA), ...doing(editA)],
    files,
  })
  await t.prompt("look at @a.txt")
  await t.prompt("edit")
  expect(lastResult(t)).toMatchObject({ tool: "Edit", isError: false })
  await using again = await t.reopen()
  await again.prompt("edit")
  expect(lastResult(again)).toMatchObject({ tool: "Edit", isError: false })
  await act(again, { type: "clear" })
  await again.prompt("edit")
  expect(lastResult(again)).toMatchObject({ tool: "Edit", isError: true })
})

test("a mentioned file that could not be shown does not count as read", async () => {
  const long = `${"x".repeat(99)}\n`.repeat(800)
  const names = ["1.txt", "2.txt", "3.txt"]
  const at = (name: string) => edit(name, "end", "more end")
  await using t = await openTestSession({
    script: [says("Seen."), ...doing(...names.map(at))],
    files: Object.fromEntries(names.map((name) => [name, `${long}end\n`])),
  })
  await t.prompt(names.map((name) => `@${name}`).join(" "))
  await t.prompt("edit")
  expect(t.results().map(({ isError }) => isError)).toEqual([false, false, true])
})

type Step =
  | { readonly do: "read" | "edit" | "write" | "mention"; readonly file: string }
  | { readonly do: "clear" | "redo" | "reopen" | "fork" }
  | { readonly do: "rewind"; readonly nth: number; readonly what: "conversation" | "files" | "both" }
  | { readonly do: "switch"; readonly nth: number }

const anyFile = fc.constantFrom("a.txt", "b.txt")
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom("read", "edit", "edit", "write", "mention"), file: anyFile }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("clear", "redo", "reopen", "fork") }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("rewind" as const),
      nth: fc.nat(),
      what: fc.constantFrom("conversation", "files", "both"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("switch" as const), nth: fc.nat() }) },
) as fc.Arbitrary<Step>

test("in no conversation does a change pass of a file that it has not read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 14 }), async (steps) => {
      let t = await openTestSession({ script: steps.flatMap(scriptOf), files })
      const opened = [t]
      try {
        for (const step of steps) {
          t = await run(t, step)
          if (!opened.includes(t)) opened.push(t)
          if (step.do !== "edit" && step.do !== "write") continue
          const done = lastResult(t)
          if (done?.isError === false)
            expect([step, hasSeen(t.requests().at(-2) ?? [], step.file)]).toEqual([step, true])
        }
      } finally {
        // The first owns the folder, so it is closed last.
        for (const one of opened.toReversed()) await one[Symbol.asyncDispose]()
      }
    }),
    { numRuns: Number(process.env.CODEWRIGHT_TREE_RUNS ?? 10) },
  )
}, 300_000)

function scriptOf(step: Step) {
  switch (step.do) {
    case "read":
      return doing(read(step.file))
    case "edit":
      return doing(edit(step.file, "end", "more end"))
    case "write":
      return doing(write(step.file, "written end\n"))
    case "mention":
      return [says("Seen.")]
    default:
      return []
  }
}

async function run(t: TestSession, step: Step): Promise<TestSession> {
  switch (step.do) {
    case "mention":
      await t.prompt(`look at @${step.file}`)
      return t
    case "clear":
    case "redo":
      // There may be nothing to take back.
      await t.session.submit({ type: step.do })
      await t.settled()
      return t
    case "reopen":
      return t.reopen()
    case "fork":
      return t.fork()
    case "rewind": {
      const asked = await t.ask({ type: "points" })
      const points = asked.ok ? asked.value : []
      const point = points[step.nth % Math.max(1, points.length)]
      if (point) await t.session.submit({ type: "rewind", promptId: point.promptId, what: step.what })
      await t.settled()
      return t
    }
    case "switch": {
      const branches = await t.ask({ type: "branches" })
      const branch = branches[step.nth % Math.max(1, branches.length)]
      if (branch) await t.session.submit({ type: "switch", to: branch.tip })
      await t.settled()
      return t
    }
    default:
      await t.prompt(step.do)
      return t
  }
}

/**
 * Whether the messages of a request hold the file: a call that read or wrote it and did not fail, or a mention. That it
 * is unchanged since an earlier read shows nothing of it.
 */
function hasSeen(messages: readonly Message[], file: string): boolean {
  const blocks = messages.flatMap(({ content }): readonly AnyBlock[] => content)
  const shows = (text: string): boolean => !text.includes("is unchanged since your last read")
  const done = new Set(
    blocks.flatMap((block) =>
      block.type === "tool_result" && !block.is_error && shows(textOf(block.content)) ? [block.tool_use_id] : [],
    ),
  )
  return blocks.some((block) => {
    if (block.type === "text") return block.text.includes(`mentioned ${file}; this is what Read`) && shows(block.text)
    return block.type === "tool_use" && block.input.file_path === file && done.has(block.id)
  })
}
