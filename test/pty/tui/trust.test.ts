/** The question about a folder, in a real terminal: what it shows, what comes of each answer, and files that change while it is open. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openScreenRun, type ScreenRun } from "../../kit/open-screen.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls } from "../../kit/script.ts"
import { type Files, hooks, mark, openNet, program, servers } from "../../suite/trust/play.ts"

const settings = ".claude/settings.json"
const [yes, no, quit] = ["1", "2", "3"] as const
const [pageDown, pageUp] = ["\u001b[6~", "\u001b[5~"] as const
const ready = /> \S.*/

interface Scene extends Disposable {
  readonly place: Place
  readonly write: (files: Files) => void
  readonly marks: () => readonly string[]
  /** Waits until these marks are there; that there are no others is seen at the end. */
  readonly left: (...names: readonly string[]) => Promise<void>
}

function openScene(files: Files, net = "http://127.0.0.1:9"): Scene {
  const place = openPlace()
  const marks = join(place.work, "marks")
  mkdirSync(marks)
  const write = (more: Files): void => {
    for (const [path, value] of Object.entries(more)) {
      const text = typeof value === "string" ? value : JSON.stringify(value)
      place.write(path, text.replaceAll("MARKS", marks).replaceAll("NET", net))
    }
  }
  place.write(
    "../state/settings.json",
    '{ "theme": "dark", "permissions": { "allow": ["WebFetch(domain:127.0.0.1)"] } }',
  )
  write(files)
  return {
    place,
    write,
    marks: () => readdirSync(marks).toSorted(),
    async left(...names) {
      while (!names.every((name) => existsSync(join(marks, name)))) await Bun.sleep(20)
    },
    [Symbol.dispose]: () => place[Symbol.dispose](),
  }
}

/** Says something, so that everything that comes before an answer has come, and leaves. */
async function converse(run: ScreenRun): Promise<void> {
  await run.shows(ready)
  run.type("hi\r")
  await run.shows("Hello.")
  run.type("\u0004")
  await run.exited
}

const open = ({ place }: Scene, more: Partial<Parameters<typeof openScreenRun>[0]> = {}): Promise<ScreenRun> =>
  openScreenRun({ place, argv: [], first: "run", scenario: ["Hello."], ...more })

describe("what is shown", () => {
  const token = "ghp_0123456789abcdefghijABCDEFGHIJ"
  const whole: Files = {
    [settings]: {
      hooks: {
        SessionStart: [{ hooks: [{ type: "command", command: "touch", args: ["MARKS/hook", "MARKS/two words"] }] }],
        PreToolUse: [
          {
            matcher: "Bash|Edit",
            hooks: [
              {
                type: "http",
                command: "./harmless",
                url: "NET/hook",
                headers: { "X-Key": "$API_TOKEN" },
                allowedEnvVars: ["API_TOKEN"],
              },
              { type: "prompt", prompt: "Is this fine?", command: "./decoy" },
            ],
          },
        ],
      },
      permissions: { allow: ["Bash(npm run:*)", "Edit(/src/**)"], additionalDirectories: ["../outside"] },
      env: { NODE_ENV: "test" },
      statusLine: { type: "command", command: "./status --line" },
      fileSuggestion: { type: "command", command: "./suggest" },
    },
    ".claude/settings.local.json": { permissions: { allow: ["WebFetch"] } },
    ".mcp.json": servers({
      tickets: program("server", { env: { MODE: "fast", T: "${GITHUB_TOKEN}" } }),
      far: {
        type: "sse",
        url: "NET/far",
        headers: { Authorization: "Bearer ${GITHUB_TOKEN}" },
        headersHelper: "./headers.sh",
      },
    }),
    ".claude/agents/rev.md": "---\nname: rev\ndescription: d\ntools: Read, Bash\n---\nx\n",
    ".claude/commands/ship.md": "---\nallowed-tools: Bash(git push:*), Edit\n---\n!`git status`\n",
    ".claude/skills/s/SKILL.md": "---\nname: s\ndescription: d\nallowed-tools: Bash(make)\n---\nx\n",
  }
  const rows = [
    "hook SessionStart: touch MARKS/hook 'MARKS/two words'",
    "hook PreToolUse on Bash|Edit: NET/hook",
    "command: ./harmless",
    "header X-Key: $API_TOKEN",
    "secret API_TOKEN: sent to NET/hook",
    "hook PreToolUse on Bash|Edit: Is this fine?",
    "command: ./decoy",
    "allow rule: Bash(npm run:*)",
    "allow rule: Edit(/src/**)",
    "allow rule: WebFetch",
    "added folder: ../outside",
    "variable NODE_ENV: test",
    "statusLine: ./status --line",
    "fileSuggestion: ./suggest",
    "MCP server tickets: sh -c 'touch MARKS/server'",
    "variable MODE=fast",
    "variable T=${GITHUB_TOKEN}",
    "MCP server far: NET/far",
    "type: sse",
    "header Authorization: Bearer ${GITHUB_TOKEN}",
    "headersHelper: ./headers.sh",
    "secret GITHUB_TOKEN: sent to NET/far",
    "agent rev: uses Read, Bash",
    "command ship: allows Bash(git push:*)",
    "allows Edit",
    "runs git status",
    "skill s: allows Bash(make)",
  ]

  test("all that would run or permit something, page by page; nothing of it runs before the yes, and then it does", async () => {
    using net = openNet()
    const address = `http://127.0.0.1:${net.port}/all`
    using scene = openScene(whole, address)
    scene.write({ "../outside/x": "x" })
    await using run = await open(scene, { columns: 160, rows: 24, env: { GITHUB_TOKEN: token, API_TOKEN: "x" } })
    await run.asks("Do you trust")
    const marks = join(scene.place.work, "marks")
    const wanted = rows.map((row) => row.replaceAll("MARKS", marks).replaceAll("NET", address))
    const missing = new Set(wanted)
    for (let page = 0; page < 8; page++) {
      const screen = await run.shows(/Lines \d+–\d+ of \d+ · PgUp\/PgDn to scroll/)
      expect(screen).toContain("3. Quit")
      const shown = await run.terminal.screen()
      for (const row of wanted) if (shown.includes(row)) missing.delete(row)
      if (missing.size === 0) break
      const [before] = /Lines \d+–\d+/.exec(shown) ?? []
      run.type(pageDown)
      if (before !== undefined && !/(\d+) of \1 /.test(shown)) await run.hides(before)
    }
    expect([...missing]).toEqual([])
    run.type(pageUp)
    expect(scene.marks()).toEqual([])
    expect(net.heardOf("all")).toEqual([])
    run.type(yes)
    await converse(run)
    await scene.left("hook", "two words", "server")
    expect(run.terminal.raw()).not.toContain(token)
  })

  test("what would speak to the terminal is shown as marks", async () => {
    using scene = openScene({
      [settings]: hooks("Stop", "true \u001b]0;title\u0007 \u202e x\n y"),
      ".mcp.json": servers({ "a\u001b[2J": program("x") }),
    })
    await using run = await open(scene)
    await run.shows("hook Stop: true <U+001B>]0;title<U+0007> <U+202E> x<U+000A> y")
    await run.shows("MCP server a<U+001B>[2J")
    run.type("\u0003")
    await run.exited
    expect(run.terminal.raw()).not.toContain("\u001b]0;title")
  })
})

describe("answers", () => {
  const files: Files = {
    [settings]: { ...hooks("SessionStart", mark("hook")), permissions: { allow: ["Bash(touch:*)"] } },
    ".mcp.json": servers({ a: program("server") }),
  }

  test("no: nothing of it counts in this run, and it is asked about again", async () => {
    using scene = openScene(files)
    for (const answer of [no, quit]) {
      await using run = await open(scene, {
        scenario: [calls(bash(`touch ${scene.place.work}/marks/ruled`)), "Hello."],
      })
      await run.asks("Do you trust")
      run.type(answer)
      if (answer === quit) expect(await run.exited).toBe(0)
      else {
        await run.shows(ready)
        run.type("hi\r")
        await run.asks(/❯ 1\. Yes/)
        run.type("\u001b")
        run.type("\u0004")
      }
    }
    expect(scene.marks()).toEqual([])
    expect(existsSync(join(scene.place.state, "trust.json"))).toBe(false)
  })

  test("the home folder is asked about each time, and a yes holds for that session", async () => {
    using scene = openScene({ "../home/.mcp.json": servers({ a: program("server") }) })
    const wrap = 'cd "$HOME"; exec "$@"'
    for (const answer of [no, yes]) {
      await using run = await open(scene, { wrap })
      await run.asks("so your answer counts for this session only")
      await run.shows("1. Yes, I trust it, for this session")
      run.type(answer)
      if (answer === yes) await scene.left("server")
      await converse(run)
      expect(scene.marks()).toEqual(answer === yes ? ["server"] : [])
    }
    expect(existsSync(join(scene.place.state, "trust.json"))).toBe(false)
  })

  test("after a change only what is new or changed is shown; without it the rest goes on, with it all counts", async () => {
    using scene = openScene(files)
    expect((await runCodewright({ place: scene.place, argv: ["trust"] })).code).toBe(0)
    scene.write({
      [settings]: { ...hooks("SessionStart", mark("hook"), mark("added")), permissions: { allow: ["Bash"] } },
      ".mcp.json": servers({ a: program("server"), b: program("other") }),
    })
    for (const answer of [no, yes]) {
      await using run = await open(scene)
      await run.asks("Do you trust the changes in")
      const shown = await run.shows("new MCP server b")
      expect(shown).toContain(`new hook SessionStart: touch ${scene.place.work}/marks/added`)
      expect(shown).toContain("changed allow rule: Bash")
      expect(shown).not.toContain("marks/hook")
      expect(shown).not.toContain("MCP server a")
      run.type(answer)
      await scene.left("hook", "server", ...(answer === yes ? ["added", "other"] : []))
      await converse(run)
      expect(scene.marks()).toEqual(answer === yes ? ["added", "hook", "other", "server"] : ["hook", "server"])
    }
    await using run = await open(scene)
    expect(await run.shows(ready)).not.toContain("Do you trust")
  })
})

describe("files that change while the question is open", () => {
  interface Swap {
    readonly name: string
    readonly first: Files
    readonly swapped: Files
    /** What the second question shows; not given: there is none. */
    readonly asks?: string
    /** What has run by the end, when the first is answered with yes and the second with no, or both with yes. */
    readonly afterNo: readonly string[]
    readonly afterYes: readonly string[]
  }
  const swaps: readonly Swap[] = [
    {
      name: "a server",
      first: { ".mcp.json": servers({ a: program("shown") }) },
      swapped: { ".mcp.json": servers({ a: program("swapped") }) },
      asks: "changed MCP server a: sh -c 'touch MARKS/swapped'",
      afterNo: [],
      afterYes: ["swapped"],
    },
    {
      name: "a hook that is added",
      first: { [settings]: hooks("SessionStart", mark("shown")) },
      swapped: { [settings]: hooks("SessionStart", mark("shown"), mark("swapped")) },
      asks: "new hook SessionStart: touch MARKS/swapped",
      afterNo: ["shown"],
      afterYes: ["shown", "swapped"],
    },
    {
      name: "a file that appears",
      first: { [settings]: hooks("SessionStart", mark("shown")) },
      swapped: { ".codewright/settings.local.json": hooks("SessionStart", mark("swapped")) },
      asks: "new hook SessionStart: touch MARKS/swapped",
      afterNo: ["shown"],
      afterYes: ["shown", "swapped"],
    },
    {
      name: "a file that no longer can be read in one way",
      first: { ".mcp.json": servers({ a: program("shown") }) },
      swapped: { ".mcp.json": `{"__proto__": {}, ${JSON.stringify(servers({ a: program("swapped") })).slice(1)}` },
      afterNo: [],
      afterYes: [],
    },
  ]
  for (const { name, first, swapped, asks, afterNo, afterYes } of swaps)
    test(`${name}: what was shown counts, the rest is asked about`, async () => {
      for (const [answer, expected] of asks === undefined
        ? ([[yes, afterYes]] as const)
        : ([
            [no, afterNo],
            [yes, afterYes],
          ] as const)) {
        using scene = openScene(first)
        await using run = await open(scene, { columns: 160 })
        await run.asks("1. Yes, I trust it")
        scene.write(swapped)
        run.type(yes)
        if (asks !== undefined) {
          await run.asks("Do you trust the changes in")
          await run.shows(asks.replaceAll("MARKS", join(scene.place.work, "marks")))
          expect(scene.marks()).toEqual([])
          run.type(answer)
        }
        await scene.left(...expected)
        await converse(run)
        expect(scene.marks()).toEqual([...expected])
      }
    })

  test("what trust keeps is what was shown", async () => {
    using scene = openScene({ [settings]: hooks("SessionStart", mark("shown")) })
    await using run = await open(scene)
    await run.asks("Do you trust")
    scene.write({ [settings]: hooks("SessionStart", mark("swapped")) })
    run.type(yes)
    await run.asks("Do you trust the changes in")
    run.type(quit)
    await run.exited
    const kept = JSON.parse(readFileSync(join(scene.place.state, "trust.json"), "utf8"))
    expect(Object.keys(kept.folders[scene.place.work].lines)).toHaveLength(1)
    const later = await runCodewright({ place: scene.place, argv: ["-p", "go"], scenario: ["Done."] })
    expect(later.stderr).toContain("New or changed since you trusted this folder, so left out: hooks")
    expect(scene.marks()).toEqual([])
  })
})
