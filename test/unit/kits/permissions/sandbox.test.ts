/** What the sandbox means for decisions: what runs unasked in it, what leaves it, and what reads where there is none. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { byUser } from "#agent/words/boundary.ts"
import { bothOf, type Footprint, reaches, runs, writes } from "#agent/words/footprint.ts"
import type { Behavior, PermissionMode } from "#agent/words/permission.ts"
import { judgedCall } from "#kits/permissions/call.ts"
import { dependsOnWalls } from "#kits/permissions/depends-on-walls.ts"
import { excludedPatterns } from "#kits/permissions/leaving.ts"
import { noWalls, readersConfined, type Walls } from "#kits/permissions/walls.ts"
import { bash, type Case, decideCase, edit, place, type RuleLists, rulesFrom, analyzer } from "./judge.ts"

const auto: Walls = { ...readersConfined, workspace: "auto" }
const on: Walls = { ...readersConfined, workspace: "on" }
const leave = { dangerouslyDisableSandbox: true }

interface Given extends Omit<Partial<Case>, "rules" | "input"> {
  readonly rules?: RuleLists
  readonly input?: { readonly dangerouslyDisableSandbox: boolean }
}

function outcome(command: string, { rules = {}, input, ...rest }: Given): string {
  const { behavior, reason } = bash(command, { ...rest, rules: rulesFrom(rules), input: { command, ...input } })
  return `${behavior} by ${reason.kind}`
}

describe("with auto-allow, what the sandbox confines runs unasked", () => {
  test.each([
    "npm ci",
    "f=$(mktemp); echo x > $f; cat $f",
    "cat <<'EOF' | sort > out.txt\nb\na\nEOF",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "(npm run a; echo a) & (npm run b) & wait",
    "git commit -am 'x' && git worktree add ../other",
    "make -j4 2>&1 | tee build.log",
    "cat /etc/hostname > copy",
    "curl -s https://example.com/data.json -o data.json",
    "rm -rf dist",
    'd=$(mktemp -d); cp a "$d"; rm -rf "$d"',
    "d=$(mktemp -d -t work.XXXXXX) && make install DESTDIR=$d && rm -rf $d",
    'f=$(mktemp) && rm -f "$f"',
  ])("%s", (command) => {
    const workspace = { root: "/repo" }
    expect(outcome(command, { walls: auto, workspace })).toBe("allow by sandboxed")
    expect(outcome(command, { walls: on, workspace })).toStartWith("ask by ")
  })

  test("what only reads stays confined to reading", () => {
    expect(outcome("git log --oneline", { walls: auto })).toBe("allow by read_only")
  })

  test.each<[command: string, expected: string, given: Given]>([
    ["npm ci", "deny by rule", { rules: { deny: ["Bash(npm:*)"] } }],
    ["npm ci", "ask by rule", { rules: { ask: ["Bash(npm ci)"] } }],
    // Nobody can tell whether the rule is about it.
    ['eval "$(cat script)"', "ask by rule", { rules: { deny: ["Bash(curl:*)"] } }],
    ['eval "$(cat script)"', "allow by sandboxed", {}],
    ["npm ci", "deny by mode", { mode: "plan" }],
    ["npm ci", "allow by sandboxed", { mode: "dontAsk" }],
    ["npm ci", "allow by mode", { mode: "bypassPermissions" }],
    ["npm ci", "ask by outside_sandbox", { input: leave }],
    // The wall does not stand between a command and the workspace.
    ["rm -rf /repo", "ask by tool_check", {}],
    ["git reset --hard", "ask by tool_check", {}],
    // Not a folder that the line has made, or not only.
    ['rm -rf "$d"', "ask by tool_check", {}],
    ['d=$(mktemp -d); rm -rf "$d" src', "ask by tool_check", {}],
    ['d=$(mktemp -d); rm -rf "$d/.."', "ask by tool_check", {}],
    ['d=$(mktemp -d || echo src); rm -rf "$d"', "ask by tool_check", {}],
    ['d=$(mktemp -d); d=src; rm -rf "$d"', "ask by tool_check", {}],
    ['d=$(mktemp -d); [ -e a ] && d=$(cat a); rm -rf "$d"', "ask by tool_check", {}],
    ['TMPDIR="$PWD /"; d=$(mktemp -d); rm -rf $d', "ask by tool_check", {}],
    ['mktemp() { echo src; }; d=$(mktemp -d); rm -rf "$d"', "ask by tool_check", {}],
    // What was moved there would be gone with it.
    ['d=$(mktemp -d); mv src "$d"; rm -rf "$d"', "ask by tool_check", {}],
    ["echo x > .npmrc", "ask by tool_check", {}],
  ])("%s: %s with %j", (command, expected, given) => {
    expect(outcome(command, { walls: auto, ...given })).toBe(expected)
  })

  test("in plan mode it lets nothing more pass than reading, and leaving means nothing", () => {
    expect(outcome("cat /etc/hosts", { walls: auto, mode: "plan" })).toBe("ask by default")
    for (const mayLeave of [true, false])
      expect(outcome("git log", { walls: { ...auto, mayLeave }, mode: "plan", input: leave })).toBe(
        "allow by read_only",
      )
  })

  test("nor what a tool does beside its command", () => {
    const command = runs("npm ci")
    const judged = (footprint: Footprint) => decideCase({ tool: "Make", footprint, walls: auto }).behavior
    expect(judged(command)).toBe("allow")
    expect(judged(bothOf(command, reaches("https://example.com/")))).toBe("ask")
    expect(judged(bothOf(command, writes("/repo/a")))).toBe("ask")
    expect(judged({ ...command, effect: "unknown" })).toBe("ask")
  })

  test("other tools are not confined", () => {
    expect(edit("/repo/a.ts", { walls: auto }).behavior).toBe("ask")
    expect(decideCase({ tool: "mcp__x__y", walls: auto }).reason.kind).not.toBe("sandboxed")
  })
})

describe("what is to run outside", () => {
  const allow = { allow: ["Bash", "Bash(npm ci)", "Edit", "Read"] }
  test.each<[mode: PermissionMode, expected: string]>([
    ["default", "ask by outside_sandbox"],
    ["acceptEdits", "ask by outside_sandbox"],
    ["auto", "ask by outside_sandbox"],
    ["dontAsk", "deny by mode"],
    ["bypassPermissions", "allow by mode"],
  ])("needs its own question in the mode %s, whatever is allowed: %s", (mode, expected) => {
    for (const walls of [on, auto])
      expect(outcome("npm ci", { walls, mode, rules: allow, input: leave })).toBe(expected)
  })

  test("no hook answers for the person", () => {
    const hook = { behavior: "allow", name: "h" } as const
    expect(outcome("npm ci", { walls: on, hook, input: leave })).toBe("ask by outside_sandbox")
  })

  test("the question says it first", () => {
    const { message } = bash("npm ci", { walls: on, input: { command: "npm ci", ...leave } })
    expect(message).toStartWith("This runs outside the sandbox")
  })

  test.each<PermissionMode>(["default", "bypassPermissions"])("is refused where settings forbid it: %s", (mode) => {
    const walls: Walls = { ...auto, mayLeave: false }
    const { behavior, message } = bash("npm ci", { walls, mode, input: { command: "npm ci", ...leave } })
    expect({ behavior, message }).toEqual({ behavior: "deny", message: expect.stringContaining("allowUnsandboxed") })
  })

  test("means nothing where there is no sandbox to leave", () => {
    expect(outcome("npm ci", { rules: { allow: ["Bash(npm ci)"] }, input: leave })).toBe("allow by rule")
  })

  test("a text that says true is true, as the tool reads it", () => {
    const input = { command: "npm ci", dangerouslyDisableSandbox: "true" }
    expect(bash("npm ci", { walls: auto, input }).reason.kind).toBe("outside_sandbox")
  })
})

describe("excluded commands", () => {
  const walls: Walls = { ...auto, excluded: excludedPatterns(["docker", "git push", "./deploy.sh *"]) }
  test.each<[command: string, expected: string, rules?: RuleLists]>([
    ["docker build .", "ask by default"],
    ["timeout 5 docker build .", "ask by default"],
    ["/usr/bin/docker build .", "ask by default"],
    ["docker build . && git push", "ask by default"],
    // What else is in the line would run outside with it.
    ["npm ci && docker build .", "allow by sandboxed"],
    ["git push", "ask by default"],
    ["git push origin main", "allow by sandboxed"],
    ['docker run "$(cat name)" && eval "$x"', "allow by sandboxed"],
    ["./deploy.sh now", "ask by default"],
    ["git commit -m x", "allow by sandboxed"],
    ["dockerize x", "allow by sandboxed"],
    ["docker build .", "allow by rule", { allow: ["Bash(docker build:*)"] }],
  ])("%s: %s", (command, expected, rules = {}) => {
    expect(outcome(command, { walls, rules })).toBe(expected)
  })

  test("a line without any command is none of them", () => {
    const rules = rulesFrom({ allow: ["Bash"] })
    expect(bash("docker ps", { walls, rules })).toMatchObject({ boundary: { by: "user", outside: true } })
    expect(bash("# docker ps", { walls, rules })).toHaveProperty("boundary", byUser)
  })

  test("the question says that they run outside", () => {
    expect(bash("docker build .", { walls }).message).toContain("outside the sandbox")
  })
})

describe("a sandbox that is on and does not work", () => {
  const walls: Walls = { ...noWalls, workspace: "broken", why: "bubblewrap is missing. Install it." }
  test.each<[command: string, behavior: Behavior, given?: Given]>([
    ["ls", "deny"],
    ["npm ci", "deny", { rules: { allow: ["Bash"] } }],
    ["npm ci", "deny", { mode: "bypassPermissions" }],
    ["ls", "deny", { mode: "plan" }],
    ["npm ci", "ask", { input: leave }],
  ])("%s: %s", (command, behavior, given = {}) => {
    expect(outcome(command, { walls, ...given })).toStartWith(behavior)
  })

  test("says why and what to do", () => {
    expect(bash("ls", { walls }).message).toContain("bubblewrap is missing. Install it.")
  })

  test("other tools go on", () => {
    expect(decideCase({ tool: "Read", walls }).behavior).toBe("allow")
  })
})

describe("where nothing confines readers, only basic ones read unasked", () => {
  test.each([
    "ls -la",
    "cat a.txt | sort | uniq -c | head -5",
    "rg -n foo src",
    "git log --oneline -5",
    "timeout 5 git diff",
    "for f in a b; do echo $f; done",
    "find . -name '*.ts'",
    "cd src && pwd",
  ])("%s", (command) => {
    expect(outcome(command, { walls: noWalls })).toBe("allow by read_only")
  })

  test.each(["jq . package.json", "npm ls", "node --version", "cat a.txt | jq .", "awk '{print $1}' a.txt"])(
    "%s asks, and is free behind a wall",
    (command) => {
      expect(outcome(command, { walls: noWalls })).toBe("ask by default")
      expect(outcome(command, { walls: readersConfined })).toBe("allow by read_only")
      expect(outcome(command, { walls: noWalls, rules: { allow: ["Bash(jq .:*)"] } })).toStartWith(
        /jq/.test(command) ? "allow by rule" : "ask",
      )
    },
  )

  test("the question says why", () => {
    expect(bash("jq . package.json", { walls: noWalls }).message).toContain("There is no sandbox here")
    expect(bash("npm ci", { walls: noWalls }).message).not.toContain("There is no sandbox here")
  })
})

test("a rule for what reads lets it do more than read, unless it is a basic reader", () => {
  const rules = { allow: ["Bash(npm ls:*)", "Bash(git log:*)"] }
  expect(outcome("npm ls", { rules })).toBe("allow by rule")
  expect(outcome("git log", { rules })).toBe("allow by read_only")
})

describe("a decision waits for the sandbox only if it depends on it", () => {
  const workspace = {
    ...place,
    closed: [{ path: "/home/me/.codewright/tokens", holds: "our own tokens", except: [] }],
  }
  const call = (command: string, walls: Walls = noWalls) =>
    judgedCall({
      tool: { name: "Bash" },
      input: { command },
      footprint: runs(command),
      workspace,
      cwd: place.root,
      realPath: (path) => path,
      walls,
      analyzer,
    })

  test.each([
    ["ls", false],
    ["git status && ls | sort", false],
    ["touch a; ls", false],
    ["npm ci", false],
    ["jq . a.json", true],
    ["ls; jq . a.json", true],
    ["touch a; jq . a.json", true],
    ["cat /home/me/.codewright/tokens", false],
    // Behind a wall it does not see what is closed.
    ["grep -r x /home/me", true],
    ["touch a; grep -r x ~", true],
  ])("%s: %p", (command, expected) => {
    expect(dependsOnWalls(call(command))).toBe(expected)
    expect(dependsOnWalls(call(command, on))).toBe(true)
  })

  const parts = [
    "ls",
    "cat a",
    "jq . a",
    "tree",
    "touch a",
    "npm ci",
    "rm -rf b",
    "xargs jq",
    "env jq .",
    "$(jq .)",
    "python3 x.py",
    "du -sh /etc",
    "> a",
    "file a",
    "git log",
    "grep -r x ~",
    "cat ~/.codewright/tokens",
    "rm -rf /home/me",
  ]
  const line = fc
    .array(fc.tuple(fc.constantFrom(...parts), fc.constantFrom("; ", " | ", " && ", " & ")), {
      minLength: 1,
      maxLength: 4,
    })
    .map((pieces) => pieces.flat().slice(0, -1).join(""))
  const lists = fc.record({
    allow: fc.subarray(["Bash(jq:*)", "Bash(touch:*)", "Bash(ls:*)", "Bash"]),
    ask: fc.subarray(["Bash(jq:*)", "Bash(cat:*)"]),
    deny: fc.subarray(["Bash(rm:*)", "Bash(tree:*)"]),
  })
  const modes: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]

  test("where it does not, the decision is the same with and without one", () => {
    fc.assert(
      fc.property(line, lists, fc.constantFrom(...modes), (command, rules, mode) => {
        if (dependsOnWalls(call(command))) return
        const under = (walls: Walls) => bash(command, { walls, mode, rules: rulesFrom(rules), workspace })
        // Whether it must be enforced differs, and nothing else.
        const [without, confined] = [under(noWalls), under(readersConfined)].map((decision) =>
          JSON.stringify(decision, (key, value: unknown) => (key === "mustHold" ? undefined : value)),
        )
        expect(without).toBe(confined ?? "")
      }),
      { numRuns: 1000 },
    )
  })
})
