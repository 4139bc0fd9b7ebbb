/** Mounts are worked out once, and again as soon as the disk says otherwise. */

import { expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { openKnownMounts } from "#ground/sandbox/known-mounts.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("a secret that appears is hidden from the next command on, and one that goes is forgotten", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("home"))
  mkdirSync(folder.join("tmp"))
  const policy: Policy = {
    name: "reader",
    writes: [],
    held: [],
    hidden: ["key", "cloud/token"].map((name) => ({ path: folder.join(`home/${name}`), because: "a test" })),
    temp: { folder: folder.join("tmp"), asTmp: false },
    network: { mode: "off", because: "a test" },
    limits: { processes: 10, memoryBytes: 1000 },
  }
  const later = Date.now() + 60_000
  const mountsOf = openKnownMounts(() => later)
  const needed = { reads: [folder.join("source")], writes: [folder.join("cwd")] }
  const mounts = () => mountsOf(policy, needed)
  const sealed = () => mounts().flatMap((mount) => (mount.kind === "sealed" ? [mount.path] : []))
  expect(sealed()).toEqual([])
  // Other tests change the folder around this one, perhaps between two looks.
  const looks = Array.from({ length: 20 }, mounts)
  expect(looks.some((look, nth) => look === looks[nth - 1])).toBe(true)
  expect(mountsOf({ ...policy }, needed)).not.toBe(looks[19])

  mkdirSync(folder.join("home/cloud"))
  writeFileSync(folder.join("home/cloud/token"), "")
  expect(sealed()).toEqual([folder.join("home/cloud/token")])
  writeFileSync(folder.join("home/key"), "")
  expect(sealed()).toEqual([folder.join("home/key"), folder.join("home/cloud/token")])
  rmSync(folder.join("home/cloud"), { recursive: true })
  expect(sealed()).toEqual([folder.join("home/key")])

  const before = mounts()
  writeFileSync(folder.join("cwd"), "")
  expect(new Set(mounts())).toEqual(
    new Set([...before, { kind: "writable", path: folder.join("cwd"), from: folder.join("cwd") }]),
  )
  expect(mountsOf(policy, { reads: [], writes: [] })).toEqual(before)
})
