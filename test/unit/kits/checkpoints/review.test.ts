/** Reviewing changes: parts are listed, kept, undone and restored, and nothing that somebody else changed is touched. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import type { Entry, ReviewAct } from "#agent/words/entry.ts"
import type { ReviewScope } from "#agent/words/op.ts"
import type { Review, ReviewHunk } from "#kits/checkpoints/checkpoints.ts"
import { openUndoWorld, type UndoWorld } from "../../../kit/undo/world.ts"

const signal = new AbortController().signal
const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`)
const whole = (changed: { readonly [line: number]: string } = {}): string =>
  `${lines.map((line, i) => changed[i + 1] ?? line).join("\n")}\n`

const path = (world: UndoWorld, name: string): string => `${world.root}/${name}`
const read = (world: UndoWorld, name: string): string => readFileSync(path(world, name), "utf8")
const put = (world: UndoWorld, name: string, text: string): void => writeFileSync(path(world, name), text)
const write = (world: UndoWorld, name: string, text: string): Promise<void> =>
  world.edit(path(world, name), () => put(world, name, text))

async function reviewed(world: UndoWorld, scope: ReviewScope = "session"): Promise<Review> {
  const review = await world.kit().review(world.log(), scope)
  if (!review.ok) throw new Error(review.failure)
  return review.value
}

const hunksOf = async (world: UndoWorld, name: string, scope?: ReviewScope): Promise<readonly ReviewHunk[]> =>
  (await reviewed(world, scope)).files.find((file) => file.path === name)?.hunks ?? []

/** As the session does it. */
async function does(world: UndoWorld, act: ReviewAct, ...hunks: readonly (ReviewHunk | undefined)[]): Promise<string> {
  const ids = hunks.flatMap((hunk) => hunk?.id ?? [])
  const done = await world.kit().carryOutReview({ log: world.log(), scope: "session", act, hunks: ids, signal })
  if (!done.ok) return done.failure
  world.record({ kind: "review", act, ...done.value })
  return "done"
}

async function withTwoHunks(): Promise<UndoWorld> {
  const world = openUndoWorld()
  put(world, "a.txt", whole())
  world.prompt()
  await write(world, "a.txt", whole({ 5: "five", 30: "thirty" }))
  return world
}

test("a hunk is undone, the other stays, and it can be restored", async () => {
  await using world = await withTwoHunks()
  const [first, second] = await hunksOf(world, "a.txt")
  expect([first?.state, second?.state]).toEqual(["new", "new"])
  expect(await does(world, "undo", first)).toBe("done")
  expect(read(world, "a.txt")).toBe(whole({ 30: "thirty" }))

  const [undone, left] = await hunksOf(world, "a.txt")
  expect([left?.id, left?.state]).toEqual([second?.id, "new"])
  expect(undone).toEqual({ id: undone?.id ?? "", state: "undone", hunk: first?.hunk ?? null })
  await world.reopen()
  expect(await does(world, "restore", undone)).toBe("done")
  expect(read(world, "a.txt")).toBe(whole({ 5: "five", 30: "thirty" }))
  expect((await hunksOf(world, "a.txt")).map(({ state }) => state)).toEqual(["new", "new"])
})

test("what is kept stays kept until it is changed again", async () => {
  await using world = await withTwoHunks()
  const [first] = await hunksOf(world, "a.txt")
  expect(await does(world, "keep", first)).toBe("done")
  expect((await hunksOf(world, "a.txt")).map(({ state }) => state)).toEqual(["kept", "new"])
  await write(world, "a.txt", whole({ 5: "five, again", 30: "thirty" }))
  expect((await hunksOf(world, "a.txt")).map(({ state }) => state)).toEqual(["new", "new"])
})

test("an edit of somebody else is never overwritten, and the rest is undone around it", async () => {
  await using world = await withTwoHunks()
  const [first, second] = await hunksOf(world, "a.txt")
  put(world, "a.txt", whole({ 5: "five, mine", 12: "twelve, mine", 30: "thirty" }))
  expect(await does(world, "undo", first)).toBe("Not undone: a.txt line 5 (edited since). Nothing was changed.")
  expect(await does(world, "undo", first, second)).toBe("done")
  expect(read(world, "a.txt")).toBe(whole({ 5: "five, mine", 12: "twelve, mine" }))
  const entry = world.log().findLast((one): one is Entry & { kind: "review" } => one.kind === "review")
  expect(entry?.left?.map(({ hunk, why }) => [hunk.path, hunk.lines?.from, why])).toEqual([
    ["a.txt", 5, "edited since"],
  ])
})

test("what somebody else changed between two changes of the agent is neither shown nor undone", async () => {
  await using world = await withTwoHunks()
  put(world, "a.txt", `mine\n${whole({ 5: "five", 12: "twelve, mine", 30: "thirty" })}`)
  world.prompt()
  await write(world, "a.txt", `mine\n${whole({ 5: "five", 12: "twelve, mine", 21: "twenty-one", 30: "thirty" })}`)
  const hunks = await hunksOf(world, "a.txt")
  expect(hunks.map(({ hunk }) => hunk?.lines.filter((line) => !line.startsWith(" ")))).toEqual([
    ["-line 5", "+five"],
    ["-line 21", "+twenty-one"],
    ["-line 30", "+thirty"],
  ])
  expect(await does(world, "undo", ...hunks)).toBe("done")
  expect(read(world, "a.txt")).toBe(`mine\n${whole({ 12: "twelve, mine" })}`)
  expect((await hunksOf(world, "a.txt")).map(({ state }) => state)).toEqual(["undone", "undone", "undone"])
})

test("a created file goes with its folder, comes back, and stays if somebody wrote in it", async () => {
  await using world = openUndoWorld()
  world.prompt()
  await world.edit(path(world, "new/b.txt"), () => {
    mkdirSync(path(world, "new"))
    put(world, "new/b.txt", "new\n")
  })
  expect(await does(world, "undo", ...(await hunksOf(world, "new/b.txt")))).toBe("done")
  expect(existsSync(path(world, "new"))).toBe(false)
  expect(await does(world, "restore", ...(await hunksOf(world, "new/b.txt")))).toBe("done")
  expect(read(world, "new/b.txt")).toBe("new\n")
  put(world, "new/b.txt", "mine\n")
  const hunks = (await hunksOf(world, "new/b.txt")).filter(({ state }) => state === "new")
  expect(await does(world, "undo", ...hunks)).toBe("Not undone: new/b.txt (edited since). Nothing was changed.")
  expect(read(world, "new/b.txt")).toBe("mine\n")
})

test("a removed file comes back with its permissions, and other files stay", async () => {
  await using world = openUndoWorld()
  put(world, "tool.sh", "#!/bin/sh\n")
  chmodSync(path(world, "tool.sh"), 0o755)
  world.prompt()
  await world.edit(path(world, "tool.sh"), () => rmSync(path(world, "tool.sh")))
  await write(world, "c.txt", "c\n")
  expect(await does(world, "undo", ...(await hunksOf(world, "tool.sh")))).toBe("done")
  expect(statSync(path(world, "tool.sh")).mode & 0o777).toBe(0o755)
  expect(read(world, "c.txt")).toBe("c\n")
})

test("bytes that are no text are undone as a whole", async () => {
  await using world = openUndoWorld()
  writeFileSync(path(world, "x.bin"), Buffer.from([0, 1, 2]))
  world.prompt()
  await world.edit(path(world, "x.bin"), () => writeFileSync(path(world, "x.bin"), Buffer.from([0, 9])))
  const [only, ...others] = await hunksOf(world, "x.bin")
  expect([only?.hunk, others]).toEqual([null, []])
  expect(await does(world, "undo", only)).toBe("done")
  expect([...readFileSync(path(world, "x.bin"))]).toEqual([0, 1, 2])
})

test("a turn shows its own changes, without what was undone of the turns before", async () => {
  await using world = await withTwoHunks()
  world.prompt()
  await write(world, "b.txt", "b\n")
  const [first] = await hunksOf(world, "a.txt")
  await does(world, "undo", first)
  const turn = await reviewed(world, "turn")
  expect(turn.files.map((file) => [file.path, file.hunks.map(({ state }) => state)])).toEqual([
    ["a.txt", ["undone"]],
    ["b.txt", ["new"]],
  ])
})

test("a rewind afterwards takes everything back, what was undone included", async () => {
  await using world = openUndoWorld()
  put(world, "a.txt", whole())
  const promptId = world.prompt()
  await write(world, "a.txt", whole({ 5: "five", 30: "thirty" }))
  await does(world, "undo", (await hunksOf(world, "a.txt"))[0])
  const back = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
  expect(back.ok && back.value?.kept).toEqual([])
  expect(read(world, "a.txt")).toBe(whole())
})

test("the model is told once what was undone, and not what was kept", async () => {
  await using world = await withTwoHunks()
  const { conversation, attachments } = world.kit()
  const tell = (): void =>
    world
      .log()
      .slice(-1)
      .forEach((entry) => conversation?.onEntry(entry))
  const [first, second] = await hunksOf(world, "a.txt")
  await does(world, "keep", second)
  tell()
  expect(await attachments?.(signal)).toEqual([])
  await does(world, "undo", first)
  tell()
  const [note] = (await attachments?.(signal)) ?? []
  expect(note?.text).toContain("- Undid the change at line 5 of a.txt:\n line 2\n line 3\n line 4\n-line 5\n+five\n")
  world.record({ kind: "attachment", name: note?.name ?? "", text: note?.text ?? "" })
  tell()
  expect(await attachments?.(signal)).toEqual([])
})
