/** Where files that extend the program are found, and how they are named. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { markdownBelow, skillsIn } from "#ground/extensions/find.ts"
import { extensionFolders } from "#ground/extensions/places.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

function put(path: string, text = "x"): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

test("folders are those of the project, nearest first, then the person's own; those that are not there cost nothing", () => {
  using folder = temporaryFolder()
  const { join } = folder
  for (const path of [
    "repo/app/.claude/skills",
    "repo/.codewright/skills",
    "repo/.agents/skills",
    "above/x",
    "home/.claude/skills",
    "home/.agents/skills",
    "state/skills",
  ])
    mkdirSync(join(path), { recursive: true })
  mkdirSync(join(".claude/skills"), { recursive: true })
  const place = {
    cwd: join("repo/app"),
    root: join("repo"),
    home: join("home"),
    stateFolder: join("state"),
    claudeFolder: join("home/.claude"),
  }
  expect(extensionFolders(place, "skills")).toEqual([
    { path: join("repo/app/.claude/skills"), source: "project" },
    { path: join("repo/.codewright/skills"), source: "project" },
    { path: join("repo/.agents/skills"), source: "project" },
    { path: join("state/skills"), source: "user" },
    { path: join("home/.claude/skills"), source: "user" },
    { path: join("home/.agents/skills"), source: "user" },
  ])
  expect(extensionFolders(place, "commands")).toEqual([])
  expect(extensionFolders({ ...place, sources: ["project"] }, "skills").map(({ source }) => source)).toEqual([
    "project",
    "project",
    "project",
  ])
  expect(extensionFolders({ ...place, sources: [] }, "skills")).toEqual([])
  // At home the person's own folders are on the way; they stay theirs.
  const atHome = { ...place, cwd: join("home"), root: join("home") }
  expect(extensionFolders(atHome, "skills").map(({ source }) => source)).toEqual(["user", "user", "user"])
})

test("names have their folders in them; what is no text file is left out, circles and broken links do no harm", () => {
  using folder = temporaryFolder()
  const { join } = folder
  for (const name of ["b.md", "a.md", "team/deep/c.md", "x.txt", "team/.hidden.md"]) put(join("c", name))
  mkdirSync(join("c/folder.md"))
  symlinkSync(join("c"), join("c/team/again"))
  symlinkSync("nowhere", join("c/broken"))
  expect(markdownBelow(join("c")).map(({ name }) => name)).toEqual(["a", "b", "team:.hidden", "team:deep:c"])
  expect(markdownBelow(join("missing"))).toEqual([])
  expect(markdownBelow(join("c/a.md"))).toEqual([])
})

test("a skill is a folder with a SKILL.md, also behind a link", () => {
  using folder = temporaryFolder()
  const { join } = folder
  put(join("s/one/SKILL.md"))
  put(join("s/two/README.md"))
  put(join("else/SKILL.md"))
  put(join("s/loose.md"))
  symlinkSync(join("else"), join("s/three"))
  symlinkSync("three-times", join("s/three-times"))
  expect(skillsIn(join("s")).map(({ name, path }) => ({ name, path }))).toEqual([
    { name: "one", path: join("s/one/SKILL.md") },
    { name: "three", path: join("s/three/SKILL.md") },
  ])
})
