/** What `undo.exclude` may name. */

import { expect, test } from "bun:test"
import { mkdirSync, realpathSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { excludedFolders } from "#ground/workspace/excluded-folders.ts"
import { lastingFolder } from "../../../kit/tmp.ts"

test("folders by name, path and home; a link and where it leads; never the whole project", () => {
  const home = realpathSync(lastingFolder())
  const cwd = join(home, "project")
  for (const folder of ["project/data", "sets"]) mkdirSync(join(home, folder), { recursive: true })
  symlinkSync(join(home, "sets"), join(cwd, "linked"))
  const names = ["data/", "./data", "gone/deep", "~/sets", "linked", "/elsewhere", ".", "..", "~", "*/cache", ""]
  const { folders, warnings } = excludedFolders(names, { cwd, home })
  expect(folders.map(({ name, path }) => [name, path])).toEqual([
    ["data/", join(cwd, "data")],
    ["./data", join(cwd, "data")],
    ["gone/deep", join(cwd, "gone/deep")],
    ["~/sets", join(home, "sets")],
    ["linked", join(cwd, "linked")],
    ["linked", join(home, "sets")],
    ["/elsewhere", "/elsewhere"],
  ])
  expect(warnings).toEqual([
    ...[".", "..", "~"].map((name) => `undo.exclude cannot name the whole project: "${name}" is ignored.`),
    'undo.exclude takes folders, not patterns: "*/cache" is ignored.',
  ])
})
