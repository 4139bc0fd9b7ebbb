/** Sources as people and files write them, and what a policy says about them. */

import { expect, test } from "bun:test"
import { policyProblem } from "#ground/plugins/policy.ts"
import {
  entrySource,
  marketplaceFromText,
  marketplaceSource,
  sourceFromText,
  sourceWords,
} from "#ground/plugins/source.ts"

const commit = "0123456789abcdef0123456789abcdef01234567"

test.each([
  ["acme/tools", { kind: "git", url: "https://github.com/acme/tools.git" }],
  ["acme/tools#v1", { kind: "git", url: "https://github.com/acme/tools.git", ref: "v1" }],
  [`https://x.org/a.git#${commit}:plugins/b`, { kind: "git", url: "https://x.org/a.git", commit, folder: "plugins/b" }],
  ["git@x.org:a/b.git#main", { kind: "git", url: "git@x.org:a/b.git", ref: "main" }],
  [
    "https://github.com/a/b/tree/main/plugins/c",
    { kind: "git", url: "https://github.com/a/b.git", ref: "main", folder: "plugins/c" },
  ],
  [
    `https://x.org/a.zip#sha256=${"a".repeat(64)}`,
    { kind: "archive", url: "https://x.org/a.zip", sha256: "a".repeat(64) },
  ],
  ["npm:@acme/tools@^2", { kind: "npm", package: "@acme/tools", version: "^2" }],
  ["npm:tools", { kind: "npm", package: "tools" }],
  ["./tools", { kind: "folder", path: "/here/tools" }],
  ["/abs/tools", { kind: "folder", path: "/abs/tools" }],
])("%s", (text, source) => {
  expect(sourceFromText(text, "/here")).toEqual({ ok: true, value: source } as never)
})

test.each([
  ["./plugins/a", "", { kind: "relative", folder: "plugins/a" }],
  ["a", "plugins", { kind: "relative", folder: "plugins/a" }],
  ["./", "", { kind: "relative", folder: "" }],
  [
    { source: "github", repo: "a/b", ref: "v1", sha: commit },
    "",
    { kind: "git", url: "https://github.com/a/b.git", ref: "v1", commit },
  ],
  [{ source: "url", url: "https://x.org/a.git" }, "", { kind: "git", url: "https://x.org/a.git" }],
  [
    { source: "git-subdir", url: "a/b", path: "./c" },
    "",
    { kind: "git", url: "https://github.com/a/b.git", folder: "c" },
  ],
  [{ source: "npm", package: "@a/b", version: "1.0.0" }, "", { kind: "npm", package: "@a/b", version: "1.0.0" }],
  [
    { source: "archive", url: "https://x.org/a.tgz", path: "c" },
    "",
    { kind: "archive", url: "https://x.org/a.tgz", folder: "c" },
  ],
])("an entry's %p", (written, pluginRoot, source) => {
  expect(entrySource(written as never, pluginRoot)).toEqual({ ok: true, value: source } as never)
})

test("marketplaces are repositories, files and folders", () => {
  const value = (written: object): unknown => {
    const read = marketplaceSource(written as never, "/here")
    return read.ok ? sourceWords(read.value) : read.failure
  }
  expect(value({ source: { source: "github", repo: "a/b" } })).toBe("https://github.com/a/b.git")
  expect(value({ source: { source: "directory", path: "./m" } })).toBe("/here/m")
  expect(value({ source: { source: "url", url: "https://x.org/m.json" } })).toBe("https://x.org/m.json")
  expect(value({ source: { source: "url", url: "http://x.org/m.json" } })).toContain("https")
  expect(value({})).toBe("it has no source")
  expect(marketplaceFromText("https://x.org/m.json", "/")).toEqual({
    ok: true,
    value: { kind: "file", url: "https://x.org/m.json" },
  })
})

test("a policy lists and blocks by repository, owner, host and path; what it does not understand allows nothing", () => {
  const source = { kind: "git", url: "https://github.com/Acme/tools.git" } as const
  const may = (allowed: readonly unknown[] | undefined, blocked: readonly unknown[] = []): boolean =>
    policyProblem({ ...(allowed && { allowed: allowed as never }), blocked: blocked as never }, "m", source) ===
    undefined
  expect(may(undefined)).toBe(true)
  expect(may([])).toBe(false)
  expect(may([{ source: "github", repo: "acme/tools" }])).toBe(true)
  expect(may([{ source: "github", repo: "acme/*" }])).toBe(true)
  expect(may([{ source: "github", repo: "acm/*" }])).toBe(false)
  expect(may([{ source: "github", repo: "acme/tools", ref: "v1" }])).toBe(false)
  expect(may([{ source: "hostPattern", hostPattern: "^github\\.com$" }])).toBe(true)
  expect(may([{ source: "hostPattern", hostPattern: "(" }])).toBe(false)
  expect(may([{ source: "future", what: 1 }])).toBe(false)
  expect(may(undefined, ["acme/*"])).toBe(false)
  expect(may([{ source: "github", repo: "acme/*" }], [{ source: "git", url: "https://github.com/acme/tools" }])).toBe(
    false,
  )
  expect(policyProblem({ allowed: [], blocked: [] }, undefined, { kind: "folder", path: "/x" })).toContain("only allow")
})
