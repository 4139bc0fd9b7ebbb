import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { openFiles, type StagedWrite, type WrittenState } from "#ground/workspace/files.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { Result } from "#lib/result.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const { signal } = new AbortController()
const bytes = (text: string): Buffer => Buffer.from(text)
const openIn = ({ path }: TemporaryFolder) => openFiles({ cwd: () => path, clock: systemClock, ids: systemIds })

function good<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure))
  return result.value
}

test("what is staged changes nothing until it is committed", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder)
  writeFileSync(folder.join("a"), "old")
  const { identity } = good(files.stat(folder.join("a")))
  const staged = good(await files.stage(folder.join("a"), bytes("new"), identity, signal))
  expect(readFileSync(folder.join("a"), "utf8")).toBe("old")
  expect(good(await staged.commit())).toMatchObject({ madeFolder: undefined, identity: { bytes: 3 } })
  expect(readFileSync(folder.join("a"), "utf8")).toBe("new")
  expect(readdirSync(folder.path)).toEqual(["a"])
})

test("what is dropped, or comes upon another state, leaves nothing behind", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder)
  const stage = (name: string): Promise<Result<StagedWrite, unknown>> =>
    files.stage(folder.join(name), bytes("x"), "nothing", signal)
  const first = good(await stage("new/deep/a"))
  const second = good(await stage("new/b"))
  second.drop()
  first.drop()
  first.drop()
  expect(readdirSync(folder.path)).toEqual([])

  const late = good(await stage("other/c"))
  writeFileSync(folder.join("other/c"), "theirs")
  expect(late.commit()).toMatchObject({ ok: false, failure: { kind: "changed" } })
  expect(readdirSync(folder.join("other"))).toEqual(["c"])
  expect(readFileSync(folder.join("other/c"), "utf8")).toBe("theirs")
})

test("folders made for a write that fails are unmade, as far as they are empty", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder)
  const write = (name: string, one = signal) => files.write(folder.join(name), bytes("x"), "nothing", one)
  expect(await write("new/deep/a", AbortSignal.abort())).toMatchObject({ failure: { kind: "aborted" } })
  // The making fails half-way: the name of the second folder is too long.
  expect(await write(`new/${"n".repeat(300)}/a`)).toMatchObject({ failure: { kind: "bad_path" } })
  expect(readdirSync(folder.path)).toEqual([])
  mkdirSync(folder.join("there"))
  await write("there/deep/a", AbortSignal.abort())
  expect(readdirSync(folder.path)).toEqual(["there"])
})

test("a file that was made can be unmade with its folders, unless someone touched them", async () => {
  using folder = temporaryFolder()
  const files = openIn(folder)
  const make = async (name: string): Promise<WrittenState> =>
    good(await files.write(folder.join(name), bytes("x"), "nothing", signal))
  const written = await make("new/deep/a")
  expect(written.madeFolder).toBe(folder.join("new"))
  expect(files.unmake(folder.join("new/deep/a"), written).ok).toBe(true)
  expect(readdirSync(folder.path)).toEqual([])

  const again = await make("new/deep/a")
  writeFileSync(folder.join("new/theirs"), "x")
  expect(files.unmake(folder.join("new/deep/a"), again).ok).toBe(true)
  expect(readdirSync(folder.join("new"))).toEqual(["theirs"])

  const changed = await make("new/b")
  writeFileSync(folder.join("new/b"), "theirs")
  expect(files.unmake(folder.join("new/b"), changed)).toMatchObject({ failure: { kind: "changed" } })
  expect(readFileSync(folder.join("new/b"), "utf8")).toBe("theirs")
})
