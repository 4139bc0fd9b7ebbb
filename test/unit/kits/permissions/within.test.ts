/** The limits of an agent's tools: a call stays within them as a whole, or it does not run. */

import { expect, test } from "bun:test"
import { bothOf, type Footprint, reaches, reads, runs, touchesNothing, writes } from "#agent/words/footprint.ts"
import { judgedCall } from "#kits/permissions/call.ts"
import { readersConfined } from "#kits/permissions/walls.ts"
import { brokenLimits } from "#kits/permissions/tool-limits.ts"
import { place, rulesFrom, analyzer } from "./judge.ts"

function isWithin(limits: readonly string[], tool: string, footprint: Footprint): boolean {
  const call = { tool: { name: tool }, input: {}, footprint, workspace: place, cwd: place.root, analyzer }
  const judged = judgedCall({ ...call, realPath: (path) => path, walls: readersConfined })
  return brokenLimits(rulesFrom({ allow: limits }), judged) === undefined
}

test.each<[limit: string, tool: string, footprint: Footprint, within: boolean]>([
  ["Bash(git log:*)", "Bash", runs("git log -3"), true],
  ["Bash(git log:*)", "Bash", runs("cd src && git log"), true],
  ["Bash(git log:*)", "Bash", runs("git log && rm x"), false],
  ["Bash(git log:*)", "Bash", runs('eval "$X"'), false],
  ["Bash(git log:*)", "Read", reads("/etc/passwd"), true],
  ["Bash", "Bash", runs("rm x"), true],
  ["Edit(src/**)", "Edit", writes("/repo/src/a.ts"), true],
  ["Edit(src/**)", "Edit", writes("/repo/a.ts"), false],
  ["Edit(src/**)", "Edit", bothOf(writes("/repo/src/a.ts"), reads("/etc/passwd")), false],
  ["WebFetch(domain:example.com)", "WebFetch", reaches("https://example.com/"), true],
  ["WebFetch(domain:example.com)", "WebFetch", reaches("https://evilexample.com/"), false],
  ["WebFetch(domain:example.com)", "WebFetch", reaches("https://a.example.com/"), false],
  ["WebFetch(domain:*.example.com)", "WebFetch", reaches("https://a.example.com/"), true],
  ["WebFetch(domain:*.example.com)", "WebFetch", reaches("https://evilexample.com/"), false],
  ["WebFetch(domain:example.com)", "WebFetch", touchesNothing(), false],
])("%s: %s %j: %p", (limit, tool, footprint, within) => {
  expect(isWithin([limit], tool, footprint)).toBe(within)
})
