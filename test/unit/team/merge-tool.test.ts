/** The lead merges the branches of members with real git and a real store. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { TeamStore } from "#agent/words/team.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { openTeamStore } from "#ground/team/store.ts"
import { systemClock } from "#lib/clock.ts"
import { mergeTool } from "#team/merge-tool.ts"
import { openTestRepository, type TestRepository } from "../../kit/repository.ts"
import { newcomer, valueOf } from "../../kit/team/conformance.ts"

async function openTeam(t: TestRepository): Promise<{
  readonly store: TeamStore
  readonly merge: (teammate: string) => Promise<Outcome>
}> {
  const store = await openTeamStore({ path: ":memory:", about: { name: "crew", lead: "lead" }, clock: systemClock })
  valueOf(await store.roster.join(newcomer("lead")))
  for (const name of ["api", "client"])
    valueOf(await store.roster.join({ ...newcomer(name), branch: `codewright/${name}` }))
  const tool = mergeTool({ ...store, merge: t.merge, repository: t.root })
  const { signal } = new AbortController()
  return { store, merge: (teammate) => tool.run({ teammate }, { callId: "c", signal, progress: () => {} }) }
}

test("a branch is merged, also that of a member who has left", async () => {
  await using t = await openTestRepository()
  t.branch("codewright/api", { "b.txt": "b\n" })
  const { store, merge } = await openTeam(t)
  await store.roster.leave("api", "It is done.")
  expect(await merge("api")).toMatchObject({
    isError: false,
    content: "Merged codewright/api into main: 1 commit, 1 file.\nb.txt",
    data: { branch: "codewright/api", into: "main", commits: 1, files: ["b.txt"] },
  })
  expect(t.git("log", "-1", "--format=%s")).toBe("Merge the work of api")
  expect(await merge("api")).toMatchObject({
    isError: true,
    content: "codewright/api has nothing that main does not have. If api is finished, its work may not be committed.",
  })
  await store.close()
})

test("conflicts become a task of the member, and nothing is changed", async () => {
  await using t = await openTestRepository()
  t.branch("codewright/api", { "a.txt": "two\n" })
  t.branch("codewright/client", { "a.txt": "three\n", "c.txt": "c\n" })
  const { store, merge } = await openTeam(t)
  expect((await merge("api")).isError).toBe(false)
  expect(await merge("client")).toMatchObject({
    isError: true,
    content:
      "Not merged: codewright/client and main conflict. Nothing was changed. Conflicts in:\na.txt\nTask #1 to resolve them is client's.",
  })
  expect(existsSync(join(t.root, "c.txt"))).toBe(false)
  const [task] = await store.board.list()
  expect(task).toMatchObject({
    subject: "Resolve the conflicts of codewright/client with main",
    owner: "client",
    status: "pending",
  })
  expect(task?.description).toEndWith("Conflicts in:\na.txt")
  await store.close()
})

test("who has no branch is told with those who have one", async () => {
  await using t = await openTestRepository()
  const { store, merge } = await openTeam(t)
  expect(await merge("lead")).toMatchObject({
    isError: true,
    content: "lead has no branch of its own. Those who have one: api, client.",
  })
  expect(await merge("api")).toMatchObject({ isError: true, content: "There is no branch codewright/api." })
  await store.close()
})
