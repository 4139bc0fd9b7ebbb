/** Suggested rules are narrow, and cover the call they were made for. */

import { expect, test } from "bun:test"
import { type Footprint, reaches, reads, runs, touchesNothing, writes } from "#agent/words/footprint.ts"
import { judgedCall } from "#kits/permissions/call.ts"
import { suggestRule } from "#kits/permissions/suggest.ts"
import { decideCase, place, rulesFrom, sight } from "./judge.ts"

const table: readonly [tool: string, footprint: Footprint, rule: string | undefined][] = [
  ["Bash", runs("npm run test -- --watch"), "Bash(npm run test:*)"],
  ["Bash", runs("npm test"), "Bash(npm test:*)"],
  ["Bash", runs("git commit -m 'a b'"), "Bash(git commit:*)"],
  ["Bash", runs("git -C . push"), "Bash(git -C . push)"],
  ["Bash", runs("gh pr create --fill"), "Bash(gh pr create:*)"],
  ["Bash", runs("./build.sh all"), "Bash(./build.sh all)"],
  ["Bash", runs("python3 -c 'x y'"), "Bash(python3 -c 'x y')"],
  ["Bash", runs("sudo ls"), "Bash(sudo ls)"],
  ["Bash", runs("a && b"), undefined],
  ["Bash", runs("git status && npm run build 2>&1 | tail -5"), "Bash(npm run build:*)"],
  ["Bash", runs("NODE_ENV=test timeout 60 npm test"), "Bash(npm test:*)"],
  ["Bash", runs("npm run a && npm run b"), undefined],
  ["Bash", runs("git status && rm -rf x"), undefined],
  ["Bash", runs("npm test > out.txt"), undefined],
  ["Bash", runs("npm test $(evil)"), undefined],
  ["Bash", runs("npm test $UNKNOWN"), undefined],
  ["Bash", runs("cat /etc/hosts"), "Read(//etc/hosts)"],
  ["Bash", runs("LD_PRELOAD=x npm test"), undefined],
  ["Bash", runs("echo '*'"), undefined],
  ["Edit", writes("/repo/src/a.ts"), "Edit(./src/a.ts)"],
  ["Edit", writes("/repo/app/[id]/p*.ts"), "Edit(./app/\\[id\\]/p\\*.ts)"],
  ["Write", writes("/etc/hosts"), "Edit(//etc/hosts)"],
  ["Read", reads("/etc/hosts"), "Read(//etc/hosts)"],
  ["WebFetch", reaches("https://example.com/x"), "WebFetch(domain:example.com)"],
  ["mcp__a__b", touchesNothing(), "mcp__a__b"],
  ["MultiEdit", writes("/repo/a", "/repo/b"), undefined],
]
test.each(table)("%s %j: %p", (tool, footprint, rule) => {
  const call = {
    tool: { name: tool },
    input: {},
    footprint,
    workspace: place,
    cwd: place.root,
    realPath: (path: string) => path,
    sight,
  }
  expect(suggestRule(judgedCall(call))).toBe(rule)
  if (rule === undefined) return
  const decision = decideCase({ tool, footprint, mode: "dontAsk", rules: rulesFrom({ allow: [rule] }) })
  expect(decision.behavior).toBe("allow")
})
