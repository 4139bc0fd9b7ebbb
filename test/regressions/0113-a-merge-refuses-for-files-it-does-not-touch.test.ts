/** MergeBranch refused while anything was uncommitted and said to commit it, so models committed the user's unfinished work. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { mergeTool } from "#team/merge-tool.ts"
import { failed } from "#lib/result.ts"
import { openTestRepository } from "../kit/repository.ts"

const ask = { branch: "api", folder: undefined, message: "Merge api", signal: new AbortController().signal }

test("changes in other files, staged or not, stay as they are", async () => {
  await using t = await openTestRepository()
  t.put("staged.txt", "first\n")
  t.git("add", "-A")
  t.git("commit", "-q", "--no-gpg-sign", "-m", "more")
  t.branch("api", { "b.txt": "b\n" })
  t.put("a.txt", "half done\n")
  t.put("staged.txt", "staged\n")
  t.git("add", "staged.txt")
  const before = t.git("status", "--porcelain")
  expect(await t.merge(ask)).toEqual({ ok: true, value: { into: "main", commits: 1, files: ["b.txt"] } })
  expect(t.git("status", "--porcelain")).toBe(before)
  expect(readFileSync(join(t.root, "a.txt"), "utf8")).toBe("half done\n")
  expect(t.git("log", "-1", "--format=%s, %p").split(" ")).toHaveLength(4)
  expect(t.git("show", "--format=", "--name-only", "--first-parent", "HEAD")).toBe("b.txt")
})

test("the files that collide are named, and the user is to be asked", async () => {
  const tool = mergeTool({
    board: { create: async () => failed({ kind: "nothing" }) },
    roster: {
      members: async () => [
        {
          name: "api",
          branch: "codewright/crew-api",
          sessionId: "1",
          pid: 1,
          start: "",
          host: "",
          state: "idle",
          tokens: 0,
          costUsd: 0,
          joinedAt: 0,
        },
      ],
    },
    repository: "/repo",
    merge: async () => failed({ kind: "uncommitted", folder: "/repo", files: ["a.txt"] }),
  })
  const { content } = await tool.run({ teammate: "api" }, { ...ask, callId: "1", progress: () => {} })
  expect(content).toContain("ask the user what to do, and do not commit, stash or discard them yourself.\na.txt")
})
