/** What is allowed comes with what it is confined to, and asks once more where that was too narrow. */

import { describe, expect, test } from "bun:test"
import { type Boundary, byUser, type JudgedBoundary } from "#agent/words/boundary.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { runs } from "#agent/words/footprint.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Behavior, PermissionMode } from "#agent/words/permission.ts"
import { answered, refused } from "#agent/words/tool.ts"
import { permissionsKit } from "#kits/permissions/kit.ts"
import { noWalls, readersConfined, type Walls } from "#kits/permissions/walls.ts"
import * as shape from "#lib/shape.ts"
import { bash, place, readerWalls, rulesFrom, analyzer } from "./judge.ts"

const judged = (writes: readonly string[], reads: readonly string[] = []): JudgedBoundary => ({
  by: "judgement",
  writes,
  reads,
  mustHold: true,
})

const boundaryOf = (
  command: string,
  mode: PermissionMode,
  allow: readonly string[] = [],
  walls: Walls = readersConfined,
): Boundary | Behavior => {
  const decision = bash(command, { mode, walls, rules: rulesFrom({ allow }) })
  return decision.behavior === "allow" ? decision.boundary : decision.behavior
}

describe("the boundary", () => {
  test("a line that only reads can write nothing", () => {
    expect(boundaryOf("git status; cat a.txt", "default")).toEqual(judged([]))
    expect(boundaryOf("cat a.txt", "default", [], noWalls)).toEqual({ ...judged([]), mustHold: false })
  })

  test("a line that the mode allows can write what it names", () => {
    expect(boundaryOf("git status > out.txt", "acceptEdits")).toEqual(judged(["/repo/out.txt"]))
    expect(boundaryOf("mkdir -p a/b && touch a/b/x", "acceptEdits")).toEqual(judged(["/repo/a/b", "/repo/a/b/x"]))
  })

  test("a path that a rule opens is part of it, and the rule does not take it away", () => {
    expect(boundaryOf("git status; cat /elsewhere/x", "default", ["Read(//elsewhere/**)"])).toEqual(
      judged([], ["/elsewhere/x"]),
    )
    expect(boundaryOf("touch /shared/a.txt", "default", ["Edit(//shared/**)"])).toEqual(judged(["/shared/a.txt"]))
  })

  test("what a rule names is the user's; other parts keep theirs, at their place in the line", () => {
    expect(boundaryOf("npm test", "default", ["Bash(npm test:*)"])).toEqual(byUser)
    expect(boundaryOf("npm test 2>&1 | tail -5", "default", ["Bash(npm test:*)"])).toEqual(byUser)
    expect(boundaryOf("git status && npm test", "default", ["Bash(npm test:*)"])).toEqual({
      by: "user",
      parts: [{ at: 0, variables: [], boundary: judged([]) }],
    })
    expect(boundaryOf("npm test; LC_ALL=C git log > log.txt", "acceptEdits", ["Bash(npm test:*)"])).toEqual({
      by: "user",
      parts: [{ at: 19, variables: ["LC_ALL"], boundary: judged(["/repo/log.txt"]) }],
    })
  })

  test("a condition about a path outside sees the whole disk, beside commands that only do what their words say", () => {
    const whole: JudgedBoundary = { ...judged([]), wholeDisk: true }
    expect(boundaryOf("[ -d ../other ] && echo yes", "default")).toEqual(whole)
    expect(boundaryOf("test -e /opt/tool && ls", "default")).toEqual(whole)
    expect(boundaryOf("[[ -f ~/.profile ]] && echo yes", "default")).toEqual(whole)
    expect(boundaryOf("[[ -d /opt/tool && ! -e a.txt ]] || echo no", "default")).toEqual(whole)
    expect(boundaryOf("[ -f src/a.ts ] && echo yes", "default")).toEqual(judged([]))
    expect(boundaryOf('[[ -f src/a.ts || a == "b" ]] && echo yes', "default")).toEqual(judged([]))
    // git reads what its settings name.
    expect(boundaryOf("[ -d /opt/tool ] && git status", "default")).toEqual(judged([]))
  })

  test("a part that cannot be confined by itself asks", () => {
    expect(boundaryOf("command git status && npm test", "default", ["Bash(npm test:*)"])).toBe("ask")
    expect(boundaryOf('"git" status && npm test', "default", ["Bash(npm test:*)"])).toBe("ask")
  })

  test("what the user decides as a whole is the user's, except in plan mode", () => {
    expect(boundaryOf("git status > out.txt", "bypassPermissions")).toEqual(byUser)
    expect(boundaryOf("git status && npm test", "default", ["Bash"])).toEqual(byUser)
    expect(boundaryOf("git status", "plan", ["Bash"])).toEqual(judged([]))
  })

  test("in plan mode, what reads from the network can reach it, and the rest of its line stays confined", () => {
    expect(boundaryOf("gh pr list", "plan")).toBe("ask")
    expect(boundaryOf("gh pr list", "plan", ["Bash(gh pr list:*)"])).toEqual(byUser)
    expect(boundaryOf("gh pr list; git status", "plan", ["Bash(gh pr list:*)"])).toEqual({
      by: "user",
      parts: [{ at: 12, variables: [], boundary: judged([]) }],
    })
  })
})

describe("a judged line that was too narrow", () => {
  const tool = defineTool({
    name: "Bash",
    description: "Runs.",
    input: shape.object({ command: shape.string() }),
    title: ({ command }) => command,
    footprint: ({ command }) => runs(command),
    run: async () => answered("ran"),
  })

  async function runTwice(
    mode: PermissionMode,
  ): Promise<{ readonly asked: number; readonly said: readonly unknown[] }> {
    let asked = 0
    const said: unknown[] = []
    const kit = permissionsKit({
      walls: readerWalls,
      analyzer: { now: () => analyzer, load: async () => analyzer },
      rules: () => [],
      mode: () => mode,
      workspace: () => place,
      cwd: () => place.root,
      realPaths: () => (path) => path,
      record: () => {},
      ask: async () => {
        asked++
        return { kind: "allow" }
      },
    })
    const input = { command: "git status > out.txt" }
    for (let i = 0; i < 2; i++) {
      const call: Call = {
        callId: `call_${i}`,
        signal: new AbortController().signal,
        progress: () => {},
        tool,
        input,
        parsed: input,
        footprint: runs(input.command),
      }
      const outcome = await kit.middleware?.(call, async ({ boundary }) =>
        boundary?.by === "judgement" ? refused("failed", { withheld: ["writing /repo/.git/x"] }) : answered("ran"),
      )
      said.push(outcome?.content)
    }
    return { asked, said }
  }

  test("is not run again by itself, and is asked about when the model runs it again", async () => {
    const { asked, said } = await runTwice("acceptEdits")
    expect(asked).toBe(1)
    expect(said).toEqual([expect.stringContaining("run it again: the user will be asked"), "ran"])
  })
})
