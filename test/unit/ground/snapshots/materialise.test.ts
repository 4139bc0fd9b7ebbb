/** Files of a snapshot, put somewhere else: everything as it was, and nothing outside of the place. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { materialise } from "#ground/snapshots/materialise.ts"
import { openSnapshots, type Snapshots } from "#ground/snapshots/snapshots.ts"
import { isSame, type PathState } from "#ground/snapshots/state.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok } from "#lib/result.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const signal = new AbortController().signal

function storeOver(folder: TemporaryFolder, root: string, name: string): Snapshots {
  const parts = {
    folder: folder.join(name),
    roots: () => [root],
    excluded: [],
    clock: systemClock,
    ids: systemIds,
    pid: process.pid,
  }
  const store = openSnapshots(parts)
  if (!store.ok) throw new Error(store.failure.kind)
  return store.value
}

const name = fc.constantFrom("a", "b", "c d", "ü", "-x")
const tree = fc.dictionary(
  fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/")),
  fc.record({
    bytes: fc.uint8Array({ maxLength: 60 }),
    mode: fc.constantFrom(0o644, 0o755, 0o600, 0o444),
    link: fc.option(fc.constantFrom("a", "../elsewhere", "/etc/hosts"), { freq: 5 }),
  }),
  { maxKeys: 8 },
)

test("whatever the tree is", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (files) => {
      using folder = temporaryFolder()
      mkdirSync(folder.join("from"))
      mkdirSync(folder.join("to"))
      for (const [path, { bytes, mode, link }] of Object.entries(files)) {
        const whole = folder.join("from", path)
        try {
          mkdirSync(dirname(whole), { recursive: true })
          if (link !== null) symlinkSync(link, whole)
          else {
            writeFileSync(whole, bytes, { flag: "wx" })
            utimesSync(whole, 1_700_000_000, 1_700_000_000.5)
            chmodSync(whole, mode)
          }
        } catch {
          // A file where a folder would have to be, or a link that leads out: another tree will do.
        }
      }
      await using from = closing(storeOver(folder, folder.join("from"), "store"))
      expect((await from.store.saveAll("person", signal)).ok).toBe(true)
      const states = new Map(from.store.now().states)
      const place = { from: folder.join("from"), to: folder.join("to"), content: from.store.content }
      expect(await materialise(states, place)).toEqual(ok(undefined))
      await using to = closing(storeOver(folder, folder.join("to"), "other"))
      expect((await to.store.saveAll("person", signal)).ok).toBe(true)
      const found = to.store.now().states
      expect(found.size).toBe(states.size)
      for (const [path, state] of states) {
        const other = found.get(path.replace(folder.join("from"), folder.join("to")))
        expect(other && isSame(state, other)).toBe(true)
        if (state.kind === "file" && other?.kind === "file")
          expect(other.stamp.modifiedMs).toBeCloseTo(state.stamp.modifiedMs, 0)
      }
    }),
    { numRuns: 30 },
  )
})

const closing = (store: Snapshots) => ({ store, [Symbol.asyncDispose]: () => store.close() })

const stamp = { bytes: 0, modifiedMs: 1000, changedMs: 1000, inode: 0, device: 0, settled: true }

test("what lies below a link is not written, and what is gone or in the way is replaced", async () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("to/was-folder"), { recursive: true })
  mkdirSync(folder.join("outside"))
  writeFileSync(folder.join("to/gone"), "x")
  const states = new Map<string, PathState>([
    ["/p/link", { kind: "link", target: folder.join("outside"), stamp }],
    ["/p/link/file", { kind: "file", mode: 0o644, hash: "h", stamp }],
    ["/p/gone", { kind: "absent" }],
    ["/p/was-folder", { kind: "file", mode: 0o600, hash: "h", stamp }],
    ["/elsewhere", { kind: "file", mode: 0o600, hash: "h", stamp }],
  ])
  const place = { from: "/p", to: folder.join("to"), content: () => ok(Buffer.from("content")) }
  expect(await materialise(states, place)).toEqual(ok(undefined))
  expect(existsSync(folder.join("outside/file"))).toBe(false)
  expect(existsSync(folder.join("to/gone"))).toBe(false)
  expect(lstatSync(folder.join("to/link")).isSymbolicLink()).toBe(true)
  expect(readFileSync(folder.join("to/was-folder"), "utf8")).toBe("content")
  expect(statSync(folder.join("to/was-folder")).mode & 0o777).toBe(0o600)
  const missing = { ...place, content: () => failed({ kind: "missing", id: "h" } as const) }
  expect(await materialise(states, missing)).toEqual(failed({ kind: "missing", id: "h" }))
})
