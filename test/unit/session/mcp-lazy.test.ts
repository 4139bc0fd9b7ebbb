import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

const src = resolve(import.meta.dir, "../../../src")

/** Everything that is loaded with a file: what it imports, without what is only a type or asked for later. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const path = file.startsWith("#") ? join(src, file.slice(1)) : file
  if (!existsSync(path)) return seen
  for (const { path: to, kind } of new Bun.Transpiler({ loader: "ts" }).scanImports(readFileSync(path, "utf8")))
    if (kind === "import-statement")
      loadedWith(to.startsWith("./") ? join(dirname(path), to) : to.startsWith("#") ? join(src, to.slice(1)) : to, seen)
  return seen
}

test("a session without servers loads nothing that speaks to servers", () => {
  const loaded = [...loadedWith(join(src, "faces/cli/run.ts")), ...loadedWith(join(src, "session/open.ts"))]
  expect(loaded.length).toBeGreaterThan(100)
  expect(loaded.filter((file) => file.includes("/ground/mcp/") || file.startsWith("@modelcontextprotocol"))).toEqual([])
  expect(loaded.filter((file) => file.endsWith("kits/mcp/room.ts"))).toEqual([])
})
