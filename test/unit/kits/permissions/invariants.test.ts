/** What holds whatever the rules, the mode and the command are. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { reads, runs, writes } from "#agent/words/footprint.ts"
import { type PermissionMode, permissionModes, type RuleSource } from "#agent/words/permission.ts"
import { judgedCall } from "#kits/permissions/call.ts"
import { suggestRule } from "#kits/permissions/rules/suggest.ts"
import { bash, decideCase, edit, place, read, rulesFrom, analyzer } from "./judge.ts"
import { readersConfined } from "#kits/permissions/walls.ts"

const sources: readonly RuleSource[] = [
  "managed",
  "command line",
  "local settings",
  "project settings",
  "user settings",
  "session",
  "command",
]
const mode = fc.constantFrom(...permissionModes)
const source = fc.constantFrom(...sources)

/** A deny rule, a call it speaks about, and allow rules that would let it pass. */
const denied = fc.constantFrom(
  {
    deny: "Bash(rm:*)",
    allow: ["Bash", "Bash(rm:*)", "Bash(rm x)"],
    tool: "Bash",
    footprint: runs("rm x"),
    input: { command: "rm x" },
  },
  { deny: "Bash", allow: ["Bash", "Bash(ls)"], tool: "Bash", footprint: runs("ls"), input: { command: "ls" } },
  {
    deny: "Bash(curl:*)",
    allow: ["Bash"],
    tool: "Bash",
    footprint: runs("ls && curl x"),
    input: { command: "ls && curl x" },
  },
  {
    deny: "Read(secret/**)",
    allow: ["Read", "Read(secret/**)"],
    tool: "Read",
    footprint: reads("/repo/secret/a"),
    input: { file_path: "/repo/secret/a" },
  },
  {
    deny: "Edit(src/**)",
    allow: ["Edit", "Write"],
    tool: "Write",
    footprint: writes("/repo/src/a"),
    input: { file_path: "/repo/src/a" },
  },
  { deny: "mcp__git", allow: ["mcp__git__push"], tool: "mcp__git__push", footprint: runs(""), input: {} },
)

describe("deny beats everything", () => {
  test("in every mode, from every source, whatever else is allowed or asked, in any order", () => {
    fc.assert(
      fc.property(
        denied,
        mode,
        source,
        fc.array(source, { maxLength: 5 }),
        fc.boolean(),
        (given, now, from, others, first) => {
          const deny = rulesFrom({ deny: [given.deny] }, from)
          const allow = others.flatMap((other) => rulesFrom({ allow: given.allow, ask: [given.tool] }, other))
          const decision = decideCase({
            tool: given.tool,
            footprint: { ...given.footprint, runs: given.footprint.runs.filter((command) => command !== "") },
            input: given.input,
            mode: now,
            rules: first ? [...deny, ...allow] : [...allow, ...deny],
          })
          expect(decision).toMatchObject({ behavior: "deny", reason: { kind: "rule", source: from } })
        },
      ),
      { numRuns: 400 },
    )
  })

  test("and what a command brings along for its turn never beats a deny, an ask or a safety check", () => {
    const brought = rulesFrom({ allow: ["Bash", "Edit", "Read"] }, "command")
    fc.assert(
      fc.property(mode, source, (now: PermissionMode, from) => {
        expect(
          bash("rm x", { mode: now, rules: [...brought, ...rulesFrom({ deny: ["Bash(rm:*)"] }, from)] }).behavior,
        ).toBe("deny")
        const asks = bash("rm x", { mode: now, rules: [...brought, ...rulesFrom({ ask: ["Bash(rm:*)"] }, from)] })
        expect(asks.behavior).toBe(["plan", "delegate", "dontAsk"].includes(now) ? "deny" : "ask")
        expect(bash("rm -rf /", { mode: now, rules: brought }).behavior).not.toBe("allow")
        expect(edit("/repo/.git/config", { mode: now, rules: brought }).behavior).not.toBe("allow")
      }),
    )
    expect(bash("npm test", { rules: brought })).toMatchObject({
      behavior: "allow",
      reason: { kind: "rule", rule: "Bash", source: "command" },
    })
  })
})

/** Simple commands that need consent, and some that do not. */
const part = fc.constantFrom(
  "npm test",
  "npm run build",
  "git commit -m x",
  "git push origin main",
  "curl https://example.com",
  "cargo build",
  "make all",
  "node a.js",
  "python3 -c 'x'",
  "rm a.txt",
  "rm -rf build",
  "touch x",
  "mv a b",
  "ls",
  "cat a.txt",
  "git status",
  "echo hi",
  "sudo ls",
  "npx evil",
  "docker rm x",
  "echo x > out.txt",
)
const glue = fc.constantFrom(" && ", " ; ", " | ", " || ", "\n", " & ")

test("'always' on a compound grants no part that was not shown as waiting, alone or in another company", () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 4 }),
      glue,
      fc.array(part, { maxLength: 2 }),
      (parts, between, others) => {
        const command = parts.join(between)
        const rule = suggestRule(judged(command))
        if (rule === undefined) return
        const granted = rulesFrom({ allow: [rule] }, "session")
        // It spares the question it was given for.
        expect(bash(command, { rules: granted }).behavior).toBe("allow")
        for (const other of others) {
          const before = bash(other)
          const after = bash(other, { rules: granted })
          const isMeant = parts.some((each) => sameProgram(each, other))
          // Whatever was not part of what was shown is decided as before.
          if (!isMeant) expect([other, rule, after.behavior]).toEqual([other, rule, before.behavior])
          if (!isMeant && before.behavior !== "allow")
            expect(bash(`${command}${between}${other}`, { rules: granted }).behavior).not.toBe("allow")
        }
        // What is destroyed is asked about however it is granted.
        expect(bash("rm -rf build", { rules: granted }).behavior).toBe("ask")
      },
    ),
    { numRuns: 500 },
  )
})

function judged(command: string) {
  return judgedCall({
    tool: { name: "Bash" },
    input: { command },
    footprint: runs(command),
    workspace: place,
    cwd: place.root,
    realPath: (path) => path,
    walls: readersConfined,
    analyzer,
  })
}

/** The words that a suggested rule may take in: the program and its subcommand. */
const sameProgram = (a: string, b: string): boolean =>
  a.split(" ").slice(0, 2).join(" ") === b.split(" ").slice(0, 2).join(" ")

describe("case", () => {
  const rules = rulesFrom({ deny: ["Read(secret/**)", "Edit(src/Core/**)"] })

  test("where the file system ignores it, so do rules that tighten", () => {
    const workspace = { ignoresCase: true }
    expect(read("/repo/SECRET/key", { rules, workspace }).behavior).toBe("deny")
    expect(read("/Repo/Secret/key", { rules, workspace }).behavior).toBe("deny")
    expect(edit("/repo/SRC/core/a.ts", { rules, workspace, mode: "acceptEdits" }).behavior).toBe("deny")
    expect(bash("cat Secret/key", { rules, workspace }).behavior).toBe("deny")
  })

  test("where it does not, another spelling is another file", () => {
    expect(read("/repo/SECRET/key", { rules }).behavior).toBe("allow")
    expect(read("/repo/secret/key", { rules }).behavior).toBe("deny")
    expect(edit("/repo/SRC/core/a.ts", { rules, mode: "acceptEdits" }).behavior).toBe("allow")
  })

  test("what is protected is so in every spelling, everywhere", () => {
    for (const ignoresCase of [true, false])
      for (const path of ["/repo/.GIT/config", "/repo/.Env", "/repo/.VSCode/tasks.json", "/home/me/.SSH/id"])
        expect(edit(path, { mode: "bypassPermissions", workspace: { ignoresCase } }).behavior).toBe("ask")
  })

  test("an allow rule stays exact: a folder that only looks alike is not covered", () => {
    const allowed = rulesFrom({ allow: ["Edit(src/**)"] })
    expect(edit("/repo/SRC/a.ts", { rules: allowed, workspace: { ignoresCase: true } }).behavior).toBe("ask")
  })
})

test("a rule holds in the workspace: elsewhere the same words are asked about", () => {
  const rules = rulesFrom({ allow: ["Bash(npm test:*)", "Bash(make)"] })
  const behaviors = (commands: readonly string[]): readonly string[] =>
    commands.map((command) => bash(command, { rules }).behavior)
  expect(behaviors(["npm test", "cd src && npm test", "cd src; npm test", "cd /repo/src && make"])).toEqual(
    Array(4).fill("allow"),
  )
  expect(behaviors(["cd / && npm test", "cd .. && npm test", "cd ~; make", 'cd "$X" && make'])).toEqual(
    Array(4).fill("ask"),
  )
})
