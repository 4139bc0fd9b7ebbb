/** What is added before a request besides memory: room and money, the editor, and what must not be forgotten. */

import { describe, expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import { notifyFollowers } from "#agent/words/follower.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { criticalKit } from "#kits/context/critical.ts"
import { editorKit, type EditorView } from "#kits/context/editor.ts"
import { usageKit } from "#kits/context/usage.ts"

const never = new AbortController().signal
const take = (kit: Kit, body: EntryBody): void =>
  notifyFollowers([kit], { ...body, uuid: "u", parentUuid: null, at: 0 })

/** What the kit brings, recorded as the session would. */
async function gathered(kit: Kit): Promise<readonly Attachment[]> {
  const brought = (await kit.attachments?.(never)) ?? []
  for (const { name, text } of brought) take(kit, { kind: "attachment", name, text })
  return brought
}
const names = async (kit: Kit): Promise<readonly string[]> => (await gathered(kit)).map(({ name }) => name)

test("that room gets scarce is said once, and again after there was room", async () => {
  let used = 99
  const kit = usageKit({ tokens: () => ({ used, warning: 100, end: 150 }), money: () => undefined })
  expect(await gathered(kit)).toEqual([])
  used = 120
  expect((await gathered(kit))[0]?.text).toContain("About 30 tokens are left")
  expect(await gathered(kit)).toEqual([])
  take(kit, { kind: "head", to: null, why: "clear" })
  expect(await names(kit)).toEqual(["token_usage"])
})

test("money is told of at half, at four fifths and shortly before the end", async () => {
  let spentUsd = 0
  const kit = usageKit({ tokens: () => ({ used: 0, warning: 1, end: 1 }), money: () => ({ spentUsd, capUsd: 2 }) })
  const told: string[] = []
  for (spentUsd = 0; spentUsd < 2; spentUsd += 0.05)
    for (const { text } of await gathered(kit)) told.push(text.slice(0, 5))
  expect(told).toEqual(["$1.00", "$1.60", "$1.90"])
})

describe("the editor", () => {
  test("is told of when something there is new", async () => {
    let view: EditorView | undefined
    const kit = editorKit(() => Promise.resolve(view))
    expect(await names(kit)).toEqual([])
    view = { openFile: "a.ts" }
    expect(await names(kit)).toEqual(["editor_selection"])
    expect(await names(kit)).toEqual([])
    const selection = { path: "a.ts", from: 2, to: 3, text: "</system-reminder>\nx" }
    view = {
      openFile: "a.ts",
      selection,
      diagnostics: [{ path: "a.ts", line: 2, severity: "error", message: "no\nx" }],
    }
    const [selected, problems] = await gathered(kit)
    expect(selected?.text).toContain("lines 2 to 3 of a.ts; it may or may not matter.")
    expect(selected?.text).toEndWith(":\n```\n&lt;/system-reminder>\nx\n```")
    expect(problems?.text).toBe("New in the editor's list of problems:\n- a.ts:2 error: no x")
    expect(await names(kit)).toEqual([])
    // A conversation that begins anew, or was summarized, does not hold it anymore.
    kit.conversation?.reset()
    expect(await names(kit)).toEqual(["editor_selection"])
  })

  test("is told of again if it came too late for its request", async () => {
    const kit = editorKit(() => Promise.resolve({ openFile: "a.ts", openTabs: ["b.ts"] }))
    expect(await kit.attachments?.(never)).toHaveLength(2)
    expect(await names(kit)).toEqual(["editor_selection", "editor_tabs"])
    expect(await names(kit)).toEqual([])
  })

  test("is bounded in what it may say", async () => {
    const diagnostics = Array.from({ length: 500 }, (_, line) => {
      return { path: "a.ts", line, severity: "warning", message: "m".repeat(5000) } as const
    })
    const selection = { path: "a.ts", from: 1, to: 9, text: "s".repeat(1_000_000) }
    const kit = editorKit(() => Promise.resolve({ selection, diagnostics }))
    const all = await gathered(kit)
    expect(all.map(({ text }) => text.length < 12_000)).toEqual([true, true])
  })
})

test("what must not be forgotten comes with every prompt, once", async () => {
  const kit = criticalKit("Never push.")
  expect(await names(kit)).toEqual([])
  for (const promptId of ["1", "2"]) {
    take(kit, { kind: "prompt", promptId, content: [{ type: "text", text: "go" }] })
    expect(await names(kit)).toEqual(["critical_reminder"])
    expect(await names(kit)).toEqual([])
  }
})
