/** Whoever does not converse on a screen does not load it. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"

const root = resolve(import.meta.dir, "../../../../src")
const transpiler = new Bun.Transpiler({ loader: "ts" })

function reached(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const { path: to, kind } of transpiler.scanImports(readFileSync(path, "utf8"))) {
    if (kind !== "import-statement") continue
    if (to.startsWith("#")) reached(resolve(root, to.slice(1)), seen)
    else if (to.startsWith(".")) reached(resolve(dirname(path), to), seen)
  }
  return seen
}

test("neither a headless run nor plain lines load the screen", () => {
  for (const start of ["main.ts", "faces/cli/main.ts", "faces/cli/run.ts", "faces/cli/converse.ts"])
    expect([...reached(resolve(root, start))].filter((path) => path.includes("/faces/tui/"))).toEqual([])
  expect([...reached(resolve(root, "faces/cli/on-screen.ts"))].some((path) => path.includes("/faces/tui/"))).toBe(true)
})
