/** Folders that `undo.exclude` names: nothing in them is kept, no rewind changes them, and whoever rewinds is told. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { optional } from "#lib/optional.ts"
import { reachableConfine } from "../../kit/confine.ts"
import { openUndoWorld, type UndoWorld } from "../../kit/undo/world.ts"

const signal = new AbortController().signal

for (const how of ["scanned", "recorded"] as const)
  describe.skipIf(how === "recorded" && process.platform !== "linux")(`where commands are ${how}`, () => {
    let recorder: string | undefined
    let world: UndoWorld
    beforeAll(async () => {
      if (how === "recorded") recorder = await reachableConfine()
    })
    afterAll(() => world[Symbol.asyncDispose]())

    async function fresh(exclude: readonly string[] = ["data", "kit/data"]): Promise<UndoWorld> {
      if (world) await world[Symbol.asyncDispose]()
      world = openUndoWorld({ exclude, ...optional("recorder", recorder) })
      put({ "src/a": "a", "data/kept": "k", "data/gone": "g", "kit/b": "b", "kit/data/deep/c": "c" })
      return world
    }

    function put(files: Readonly<Record<string, string>>): void {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(world.root, name)), { recursive: true })
        writeFileSync(join(world.root, name), text)
      }
    }

    const files = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(world.root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((path) => [path.slice(world.root.length + 1), readFileSync(path, "utf8")]),
      )

    async function rewind(promptId: string) {
      const preview = await world.kit().preview({ log: world.log(), promptId, signal })
      const rewound = await world.kit().rewindFiles({ log: world.log(), promptId, signal, force: true })
      if (!preview.ok || !rewound.ok || !rewound.value) throw new Error("nothing was rewound")
      const { kept, why } = rewound.value
      const left = kept.map((path) => `${path.slice(world.root.length + 1)} (${why?.[path]})`)
      return { uncovered: preview.value.uncovered, left: left.toSorted() }
    }

    const notices = (): readonly string[] =>
      world.log().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))

    test("a rewind restores the rest, and says what it leaves", async () => {
      await fresh()
      const promptId = world.prompt()
      await world.shell("echo 1 >> src/a; echo 1 >> data/kept; rm data/gone; echo n > data/new; rm -r kit/data/deep")
      await world.edit(join(world.root, "data/edited"), () => put({ "data/edited": "e" }))
      const [told = "", ...more] = notices()
      expect(more).toEqual([])
      expect(told).toStartWith("Not covered by /rewind: ")
      for (const folder of ["data", "kit/data"]) expect(told).toContain(`${folder} (excluded by undo.exclude)`)
      expect(await rewind(promptId)).toEqual({
        uncovered: ["data (excluded by undo.exclude)", "kit/data (excluded by undo.exclude)"],
        left: [],
      })
      expect(files()).toEqual({
        "src/a": "a",
        "data/kept": "k1\n",
        "data/new": "n\n",
        "data/edited": "e",
        "kit/b": "b",
      })
    })

    test("a folder that was moved stays where it is now, also when the folder around it was moved", async () => {
      await fresh()
      const promptId = world.prompt()
      await world.shell("mv data elsewhere; mv kit other; echo 1 >> other/data/deep/c")
      const { left } = await rewind(promptId)
      expect(left).toContain("elsewhere (excluded by undo.exclude)")
      expect(left).toContain("other/data (excluded by undo.exclude)")
      expect(files()).toEqual({
        "src/a": "a",
        "elsewhere/kept": "k",
        "elsewhere/gone": "g",
        "kit/b": "b",
        "other/data/deep/c": "c1\n",
      })
    })

    test("a folder that a command removed as a whole is named", async () => {
      await fresh()
      const promptId = world.prompt()
      await world.shell("rm -r data src")
      expect(await rewind(promptId)).toEqual({
        uncovered: ["kit/data (excluded by undo.exclude)", "data (excluded by undo.exclude)"],
        left: ["data (excluded by undo.exclude)"],
      })
      expect(files()).toEqual({ "src/a": "a", "kit/b": "b", "kit/data/deep/c": "c" })
    })

    test("what was kept before its folder was excluded is not restored, and the other way round", async () => {
      await fresh([])
      const first = world.prompt()
      await world.shell("echo 1 > data/kept; echo 1 > src/a")
      await world.reopen("closed", ["data"])
      const second = world.prompt()
      await world.shell("echo 2 > data/kept; echo 2 > src/a")
      await rewind(first)
      expect(files()).toMatchObject({ "src/a": "a", "data/kept": "2\n", "data/gone": "g" })
      await world.reopen("closed", [])
      put({ "data/mine": "m" })
      await rewind(second)
      expect(files()).toMatchObject({ "data/kept": "2\n", "data/gone": "g", "data/mine": "m" })
    })

    test("what is excluded costs nothing in the store", async () => {
      await fresh(["data"])
      put({ "data/large": "unmistakable".repeat(10) })
      world.prompt()
      await world.shell("echo more >> data/large; mv data/large data/larger; echo 1 >> src/a")
      const kept = Bun.spawnSync(["grep", "-rl", "unmistakable", world.store]).stdout.toString()
      expect(kept).toBe("")
      rmSync(join(world.root, "data"), { recursive: true })
      expect(existsSync(join(world.root, "data"))).toBe(false)
    })
  })
