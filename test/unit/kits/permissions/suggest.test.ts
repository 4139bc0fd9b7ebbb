/** Suggested rules are narrow, and cover the call they were made for. */

import { expect, test } from "bun:test"
import { type Footprint, reaches, reads, runs, touchesNothing, writes } from "#agent/words/footprint.ts"
import { judgedCall } from "#kits/permissions/call.ts"
import { suggestRule } from "#kits/permissions/rules/suggest.ts"
import { unsavable } from "#kits/permissions/rules/unsavable.ts"
import { bash, decideCase, place, rulesFrom, analyzer } from "./judge.ts"
import { readersConfined } from "#kits/permissions/walls.ts"

const table: readonly [tool: string, footprint: Footprint, rule: string | undefined][] = [
  ["Bash", runs("npm run test -- --watch"), "Bash(npm run test:*)"],
  ["Bash", runs("npm test"), "Bash(npm test:*)"],
  ["Bash", runs("git commit -m 'a b'"), "Bash(git commit:*)"],
  ["Bash", runs("git -C . push"), "Bash(git -C . push)"],
  ["Bash", runs("gh pr create --fill"), "Bash(gh pr create:*)"],
  ["Bash", runs("./build.sh all"), "Bash(./build.sh all)"],
  ["Bash", runs("python3 build.py"), "Bash(python3 build.py)"],
  ["Bash", runs("node scripts/build.js"), "Bash(node scripts/build.js)"],
  ...[
    "python3 -c 'x y'",
    "python3 -",
    "python3",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "python3 <<'EOF'\nprint(1)\nEOF",
    "python3 /dev/stdin < a.py",
    "python3.12 -u -",
    "node -",
    "node -e 'x'",
    "node --input-type=module <<'EOF'\nx\nEOF",
    "echo 1 | node",
    "bash -s",
    "bash -c 'make all'",
    "bash build.sh",
    "sh",
    "sh build.sh",
    "sh -s -- x",
    "zsh build.sh",
    "ruby -e 'x'",
    "perl -ne 'x' a",
    "php -r 'x'",
    "deno eval 'x'",
    "bun -e 'x'",
    "psql app",
    "psql app <<'EOF'\n\\! rm x\nEOF",
    "mysql app < dump.sql",
    "sqlite3 app.db",
    "sudo bash",
    "sudo -i",
    "sudo -u me python3 -",
    "env A=1 sh build.sh",
    "nohup bash -c 'x'",
    "ssh host uptime",
    "ssh host",
    "xargs sh",
    "crontab -",
    "at now",
    "gdb",
    "busybox sh",
    "make -f - <<'EOF'\nall:\nEOF",
    "awk -f - a",
    "python3 <(echo 1)",
  ].map((command): [string, Footprint, undefined] => ["Bash", runs(command), undefined]),
  ["Bash", runs("sqlite3 app.db .dump"), "Bash(sqlite3 app.db .dump)"],
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
    walls: readersConfined,
    analyzer,
  }
  expect(suggestRule(judgedCall(call))).toBe(rule)
  if (rule === undefined) return
  const decision = decideCase({ tool, footprint, mode: "dontAsk", rules: rulesFrom({ allow: [rule] }) })
  expect(decision.behavior).toBe("allow")
})

test.each([
  "Bash(python3 -)",
  "Bash(bash:*)",
  "Bash(sh *)",
  "Bash(python3 -c:*)",
  "Bash(node -e 'x')",
  "Bash(psql app)",
  "Bash(eval:*)",
  "Bash(sudo bash:*)",
])("%s is not saved", (text) =>
  expect(unsavable({ behavior: "allow", text, source: "session" })).toContain("would allow anything"),
)

test.each([
  "Bash(python3:*)",
  "Bash(node build.js)",
  "Bash(bash scripts/a.sh)",
  "Bash(npm run:*)",
  "Read(./a)",
  "WebSearch",
])("%s may be saved", (text) => expect(unsavable({ behavior: "allow", text, source: "session" })).toBeUndefined())

test("what is denied may name anything", () =>
  expect(unsavable({ behavior: "deny", text: "Bash(python3 -)", source: "session" })).toBeUndefined())

test.each(["python3 - <<'EOF'\nprint(1)\nEOF", "echo 'print(1)' | python3 -", "python3 -"])(
  "a rule for python3 - says nothing of the text in %j",
  (command) => expect(bash(command, { rules: rulesFrom({ allow: ["Bash(python3 -)"] }) }).behavior).toBe("ask"),
)
