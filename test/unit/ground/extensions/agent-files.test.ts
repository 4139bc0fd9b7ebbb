/** Files of agents: where they are looked for, and that a strange folder or file does no harm. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { findAgentFiles } from "#ground/extensions/agent-files.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("user before project, the ecosystem's before ours, by name", () => {
  using folder = temporaryFolder()
  const put = (path: string, text = path): void => {
    mkdirSync(dirname(folder.join(path)), { recursive: true })
    writeFileSync(folder.join(path), text)
  }
  for (const place of ["p/.codewright", "p/.claude", "state", "claude"])
    for (const name of ["b", "a"]) put(`${place}/agents/${name}.md`)
  put("p/.claude/agents/notes.txt")
  const places = {
    cwd: folder.join("p"),
    root: folder.join("p"),
    state: folder.join("state"),
    claudeFolder: folder.join("claude"),
  }
  const found = findAgentFiles({ ...places, trusted: true })
  expect(found.files.map(({ text }) => text)).toEqual(
    ["claude", "state", "p/.claude", "p/.codewright"].flatMap((place) => [
      `${place}/agents/a.md`,
      `${place}/agents/b.md`,
    ]),
  )
  expect(found.problems).toEqual([])
  expect(findAgentFiles({ ...places, trusted: true, chosen: ["user"] }).files.map(({ source }) => source)).toEqual([
    "user",
    "user",
    "user",
    "user",
  ])

  const untrusted = findAgentFiles({ ...places, trusted: false })
  expect(untrusted.files.map(({ source }) => source)).toEqual(["user", "user", "user", "user"])
  expect(untrusted.problems).toEqual([
    `Skipped the agents in ${folder.join("p/.claude/agents")} and ${folder.join("p/.codewright/agents")}: this folder is not trusted.`,
  ])
})

test("no folder, a folder for a file, a pipe, a huge file, no text, a dangling link", () => {
  using folder = temporaryFolder()
  const agents = folder.join("state/agents")
  mkdirSync(`${agents}/folder.md`, { recursive: true })
  Bun.spawnSync(["mkfifo", `${agents}/pipe.md`])
  writeFileSync(`${agents}/huge.md`, "x".repeat(300_000))
  writeFileSync(`${agents}/binary.md`, "a\0b")
  symlinkSync("/nowhere", `${agents}/link.md`)
  writeFileSync(`${agents}/good.md`, "good")
  mkdirSync(folder.join("claude"))
  writeFileSync(folder.join("claude/agents"), "no folder")
  const found = findAgentFiles({
    cwd: folder.join("p"),
    root: folder.join("p"),
    state: folder.join("state"),
    claudeFolder: folder.join("claude"),
    trusted: true,
  })
  expect(found.files.map(({ text }) => text)).toEqual(["good"])
  expect(found.problems).toHaveLength(4)
  expect(found.problems.every((problem) => problem.includes(": this agent is left out: "))).toBe(true)
})

test("those of subfolders, and of the folders above up to the top of the repository, the nearest last", () => {
  using folder = temporaryFolder()
  const agents = [
    "claude/agents/teams/core.md",
    "p/.claude/agents/b.md",
    "p/.claude/agents/engineering/a.md",
    "p/apps/.codewright/agents/c.md",
    "p/apps/web/.claude/agents/deep/er/d.md",
    "p/apps/web/src/.claude/agents/below.md",
    "above/.claude/agents/above.md",
  ]
  for (const path of agents) {
    mkdirSync(dirname(folder.join(path)), { recursive: true })
    writeFileSync(folder.join(path), path)
  }
  const places = { state: folder.join("state"), claudeFolder: folder.join("claude"), trusted: true }
  const found = findAgentFiles({ ...places, cwd: folder.join("p/apps/web"), root: folder.join("p") })
  expect(found).toEqual({ problems: [], files: expect.anything() })
  expect(found.files.map(({ source, text }) => [source, text])).toEqual([
    ["user", "claude/agents/teams/core.md"],
    ["project", "p/.claude/agents/b.md"],
    ["project", "p/.claude/agents/engineering/a.md"],
    ["project", "p/apps/.codewright/agents/c.md"],
    ["project", "p/apps/web/.claude/agents/deep/er/d.md"],
  ])
  const untrusted = findAgentFiles({
    ...places,
    trusted: false,
    cwd: folder.join("p/apps/web"),
    root: folder.join("p"),
  })
  expect(untrusted.files.map(({ source }) => source)).toEqual(["user"])
})
