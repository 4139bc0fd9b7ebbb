/** Pull requests on three forges, over a socket: one for a branch, and refusals in plain words. */

import { describe, expect, test } from "bun:test"
import { apiOf, forgeKinds, openPullRequest, placeOfUrl, type ForgeRepository } from "#ground/forges/forge.ts"
import { type MockForge, openMockForge } from "../../../kit/mock-forge.ts"

const wish = { branch: "codewright/tax", into: "main", title: "Add taxes", body: "As asked" }
const at = (forge: MockForge, kind: ForgeRepository["kind"], more: Partial<ForgeRepository> = {}): ForgeRepository => ({
  kind,
  host: forge.host,
  api: forge.url,
  path: "owner/shop",
  token: "t0p",
  ...more,
})

describe.each([...forgeKinds])("%s", (kind) => {
  test("is asked once for a branch, and tells of the one that is there", async () => {
    using forge = openMockForge({ kind, token: "t0p" })
    const url = `${forge.url}/pull/7`
    expect(await openPullRequest(fetch, at(forge, kind), wish)).toEqual({
      ok: true,
      value: { url, number: 7, existed: false },
    })
    expect(await openPullRequest(fetch, at(forge, kind), wish)).toEqual({
      ok: true,
      value: { url, number: 7, existed: true },
    })
    expect(forge.pulls).toEqual([
      { number: 7, head: "codewright/tax", base: "main", title: "Add taxes", body: "As asked" },
    ])
  })

  test("somebody was quicker: theirs is taken", async () => {
    using forge = openMockForge({ kind, token: "t0p", hides: 2 })
    await openPullRequest(fetch, at(forge, kind), wish)
    const second = await openPullRequest(fetch, at(forge, kind), wish)
    expect(second).toMatchObject({ ok: true, value: { number: 7, existed: true } })
    expect(forge.pulls.length).toBe(1)
  })

  test("the default branch is the target where none is named", async () => {
    using forge = openMockForge({ kind, token: "t0p" })
    await openPullRequest(fetch, at(forge, kind), { ...wish, into: undefined })
    expect(forge.pulls[0]?.base).toBe("main")
  })

  test("refusals say what to do", async () => {
    using forge = openMockForge({ kind, token: "t0p" })
    const said = async (more: Partial<ForgeRepository>, into = "main"): Promise<unknown> => {
      const made = await openPullRequest(fetch, at(forge, kind, more), { ...wish, into })
      return made.ok ? made.value : made.failure
    }
    expect(await said({ token: "wrong" })).toContain("does not accept the token")
    expect(await said({ path: "owner/other" })).toContain("has no repository owner/other")
    expect(await said({}, "gone")).toContain("base is invalid")
    expect(await said({ api: "http://127.0.0.1:1" })).toContain("cannot be reached")
    expect(forge.pulls).toEqual([])
  })
})

test("where a repository is, from each kind of address", () => {
  expect(
    [
      "https://github.com/owner/shop.git",
      "git@github.com:owner/shop.git",
      "ssh://git@git.example.com:2222/group/sub/shop",
      "http://user@host:3000/owner/shop/",
      "file:///srv/shop.git",
      "/srv/shop",
      "https://github.com/owner",
    ].map(placeOfUrl),
  ).toEqual([
    { host: "github.com", path: "owner/shop" },
    { host: "github.com", path: "owner/shop" },
    { host: "git.example.com:2222", path: "group/sub/shop" },
    { host: "host:3000", path: "owner/shop" },
    undefined,
    undefined,
    undefined,
  ])
  expect([
    apiOf("github", "github.com"),
    apiOf("github", "ghe.example"),
    apiOf("gitlab", "gitlab.com"),
    apiOf("gitea", "code.example"),
  ]).toEqual([
    "https://api.github.com",
    "https://ghe.example/api/v3",
    "https://gitlab.com/api/v4",
    "https://code.example/api/v1",
  ])
})
