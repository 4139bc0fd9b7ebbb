/** Whoever does not converse on a screen does not load it. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"

const root = resolve(import.meta.dir, "../../../../src")
const transpiler = new Bun.Transpiler({ loader: "ts" })

/** All that is loaded with a file: paths of ours, names of others. */
function reached(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const { path: to, kind } of transpiler.scanImports(readFileSync(path, "utf8"))) {
    if (kind !== "import-statement") continue
    if (to.startsWith("#")) reached(resolve(root, to.slice(1)), seen)
    else if (to.startsWith(".")) reached(resolve(dirname(path), to), seen)
    else seen.add(to)
  }
  return seen
}

const others = (start: string): string[] => [...reached(resolve(root, start))].filter((name) => !name.startsWith(root))

test("neither a headless run nor plain lines load the screen", () => {
  for (const start of ["main.ts", "faces/cli/main.ts", "faces/cli/run.ts", "faces/cli/terminal/converse.ts"])
    expect([...reached(resolve(root, start))].filter((path) => path.includes("/faces/tui/"))).toEqual([])
  expect(
    [...reached(resolve(root, "faces/cli/terminal/on-screen.ts"))].some((path) => path.includes("/faces/tui/")),
  ).toBe(true)
})

test("nothing that takes long to load is loaded before it is needed", () => {
  // Each of these costs a millisecond or more, whether or not anything of it is used.
  // The way to the system's library is the exception: it makes slow files wait side by side (decision 34), and must come first.
  const slow =
    /^(?!node:|bun:ffi$)|^node:(?:zlib|crypto|http|https|net|tls|child_process|readline|stream|worker_threads)/
  expect(others("faces/cli/run.ts").filter((name) => slow.test(name))).toEqual([])
  expect(others("faces/cli/terminal/on-screen.ts").filter((name) => slow.test(name))).toEqual([])
})
