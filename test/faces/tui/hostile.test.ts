/** Nothing foreign reaches the terminal as anything but visible text, wherever on the screen it stands. */

import { grantDestinations } from "#agent/words/permission.ts"
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { writes } from "#agent/words/footprint.ts"
import { noUsage } from "#agent/words/model.ts"
import type { PanelPorts } from "#faces/tui/panels/ports.ts"
import { runFirstRun } from "#faces/tui/first-run/run.ts"
import { hunksOf } from "#lib/diff.ts"
import { failed, ok } from "#lib/result.ts"
import { runs } from "../../kit/runs.ts"
import { type OnPaper, openOnPaper } from "./on-paper.ts"
import { somePort } from "./provider-scenes.ts"
import { openPaperClock } from "./paper-clock.ts"
import { openPaperTerminal } from "./paper-terminal.ts"

const attacks: { readonly [name: string]: string } = {
  "a title": "\u001b]0;owned\u0007",
  "a cleared screen": "\u001b[2J\u001b[H",
  "a link": "\u001b]8;;http://evil\u0007click\u001b]8;;\u0007",
  "a clipboard": "\u001b]52;c;b3duZWQ=\u0007",
  "C1 controls": "\u009b2J\u009d0;owned\u009c",
  "an unfinished sequence": "\u001b[",
  "a returned line": "harmless\rrm -rf /\b\b",
  "an override": "\u202egnp.exe\u202c",
  isolates: "\u2066a\u2069\u2067b\u2069",
  "invisible letters": "a\u200bb\u2060c\ufeffd\u{e0041}",
  "characters in numbers": "&#27;[2J &#x9b;2J &#x202e;txt.exe &#8203;",
}

/** Sequences that we write ourselves: styles, moves, modes, and links that lead where their text says, or to a file. */
const ours =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point.
  /\u001b\[(?:[\d;]*m|\d*[ABCJKL]|\?\d+[hl])|\u001b\]8;;(https?:\/\/[!-~]+)\u001b\\\1\u001b\]8;;\u001b\\|\u001b\]8;;(?:file:\/\/[!-~]+)?\u001b\\/g

// oxlint-disable-next-line no-control-regex -- finding control characters is the point.
const foreign = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

function expectClean(raw: string): void {
  const rest = raw.replaceAll(ours, "").replaceAll("\r\n", "\n").replaceAll("\r", "")
  expect(rest.match(foreign)).toBeNull()
  expect(raw).not.toContain("\u001b[2J")
}

/** Every place in which foreign text stands. */
async function everywhere(paper: OnPaper, attack: string): Promise<void> {
  paper.entry({ kind: "turn_start", turnId: "t" })
  paper.entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: `look ${attack}` }] })
  const think = { type: "thinking_delta", index: 0, thinking: `hm ${attack}` } as const
  paper.moment({ type: "model_delta", messageId: "m", delta: think })
  paper.moment({ type: "model_delta", messageId: "m", delta: { type: "block_stop", index: 0 } })
  const text = `Text ${attack} and \`code ${attack}\`.\n\n\`\`\`\n${attack}\n\`\`\`\n\n[${attack}](https://x.y/${attack})\n`
  paper.moment({ type: "model_delta", messageId: "m2", delta: { type: "text_delta", index: 0, text } })
  await paper.pass(100)
  paper.moment({ type: "model_delta", messageId: "m2", delta: { type: "block_stop", index: 0 } })
  const hunks = await hunksOf(`a ${attack}\n`, `b ${attack}\n`)
  const displays = [
    { kind: "text", text: attack },
    { kind: "terminal", command: attack, output: `out ${attack}\n`, exitCode: 1 },
    { kind: "list", items: [attack], note: attack },
    { kind: "diff", path: `src/${attack}.ts`, hunks, created: false },
    { kind: "diffs", files: [{ path: `src/${attack}.ts`, hunks, created: true }] },
    { kind: "image", mediaType: "image/png", bytes: 1, path: `${attack}.png` },
  ] as const
  for (const [i, display] of displays.entries()) {
    const callId = `c${i}`
    const block = { type: "tool_use", id: callId, name: `mcp__${attack}__run`, input: { a: attack } } as const
    paper.entry({ kind: "reply", messageId: "m3", model: "m", block, usage: noUsage })
    await paper.pass(60)
    paper.moment({ type: "tool_start", callId, tool: block.name, title: `${block.name} ${attack}` })
    paper.moment({ type: "tool_progress", callId, progress: { output: attack, elapsedMs: 3000, totalBytes: 9000 } })
    await paper.pass(60)
    const usual = { kind: "result", callId, tool: block.name, content: attack, isError: false, durationMs: 1 } as const
    paper.entry({ ...usual, display })
  }
  // What tools of servers answer comes without a display.
  const bare = { type: "tool_use", id: "c-bare", name: "mcp__a__run", input: {} } as const
  paper.entry({ kind: "reply", messageId: "m4", model: "m", block: bare, usage: noUsage })
  await paper.pass(60)
  paper.moment({ type: "tool_start", callId: bare.id, tool: bare.name, title: `a: ${attack}` })
  await paper.pass(60)
  const answer = { kind: "result", callId: bare.id, tool: bare.name, isError: false, durationMs: 1 } as const
  paper.entry({ ...answer, content: [{ type: "text", text: `answer ${attack}` }] })
  await paper.pass(60)
  paper.entry({ kind: "todo", todos: [{ content: attack, activeForm: attack, status: "in_progress" }] })
  paper.entry({ kind: "notice", level: "warning", text: attack })
  paper.entry({ kind: "shell", command: `ls ${attack}`, output: attack, exitCode: 1 })
  const files = { from: "a", to: "b", written: [attack], removed: [attack], kept: [attack] }
  paper.entry({ kind: "head", to: "u", why: "rewind", files })
  paper.entry({ kind: "shrink", rung: "media", why: attack })
  paper.entry({ kind: "model", model: `model${attack}`, why: attack })
  paper.moment({ type: "queue_change", texts: [attack] })
  const failure = { kind: "overloaded", message: attack } as const
  paper.moment({ type: "retry_wait", retry: { attempt: 1, of: 3, delayMs: 1000, failure } })
  await paper.pass(100)
  await questions(paper, attack)
  paper.entry({ kind: "turn_end", turnId: "t", reason: "error", message: attack })
  await paper.pass(100)
  await paper.type(`\u001b[200~pasted ${attack}\u001b[201~`)
  await paper.type("\u0003")
}

async function questions(paper: OnPaper, attack: string): Promise<void> {
  const why = { behavior: "ask", reason: { kind: "default" }, message: attack, trace: [] } as const
  const footprint = writes(`/${attack}`)
  const usual = { kind: "permission", callId: "c", tool: attack, title: attack, footprint, decision: why } as const
  paper.ask({
    id: "q1",
    key: "q1",
    digest: "q1",
    ask: {
      ...usual,
      input: { command: attack, [attack]: [attack] },
      parts: [
        { text: attack, needsConsent: true, why: attack },
        { text: attack, needsConsent: false, why: attack },
      ],
      risks: [attack],
      change: { path: attack, hunks: await hunksOf(`old ${attack}\n`, `new ${attack}\n`), created: false },
      suggestedRule: `Bash(${attack})`,
      destinations: ["session"],
    },
  })
  await paper.pass(400)
  await paper.type("\u001b[B\u001b[C")
  await paper.pass(100)
  await paper.type("\r")
  const options = [{ label: attack, description: attack }]
  paper.ask({
    id: "q2",
    key: "q2",
    digest: "q2",
    ask: {
      kind: "choice",
      callId: "c",
      questions: [{ question: attack, header: attack, multiSelect: false, options }],
    },
  })
  await paper.pass(400)
  await paper.type("1")
  const wishes = [{ prompt: attack, covers: attack }, { prompt: attack }]
  paper.ask({
    id: "q3",
    key: "q3",
    digest: "q3",
    ask: { kind: "plan", callId: "c", plan: `# ${attack}\n\n${attack}`, path: attack, modes: ["default"], wishes },
  })
  await paper.pass(400)
  await paper.type(`no ${attack}\r`)
  await paper.pass(400)
  // An attack that is typed may have left it open; whatever is on the screen is looked at too.
  await paper.type("\u001b")
  await paper.pass(400)
}

const hostilePorts = (attack: string): PanelPorts => ({
  models: { list: async () => [{ id: attack, aliases: [attack], window: 1 }] },
  sessions: {
    open: () => {},
    list: async () =>
      ok([
        { id: "s", title: attack, firstPrompt: attack, changedAt: 0, branch: attack, messages: 1, costUsd: 0 },
        { id: "s2", title: undefined, firstPrompt: attack, changedAt: 0, branch: undefined, messages: 1, costUsd: 0 },
      ]),
    preview: async () => [
      { by: "person", text: attack },
      { by: "agent", text: attack },
    ],
  },
  permissions: {
    destinations: grantDestinations,
    auto: async () => [],
    list: async () => [{ behavior: "allow", rule: attack, source: "session" }],
    add: async () => ok(undefined),
    remove: async () => ok(undefined),
  },
  rewind: {
    points: async () => ok([{ promptId: "p", text: attack, at: 0, changed: [attack], callsUncovered: 1 }]),
    preview: async () =>
      ok({
        files: [{ path: attack, change: "modified", added: 1, removed: 1 }],
        conflicts: [attack],
        uncovered: [attack],
      }),
  },
  branches: { list: async () => [{ tip: "t", prompt: attack, at: 0, prompts: 1, isCurrent: false }] },
  context: { parts: async () => ({ model: attack, window: 10, parts: [{ name: attack, tokens: 3 }] }) },
  memory: { files: async () => [{ label: attack, path: attack }], add: async () => failed(attack) },
})

describe.each(Object.entries(attacks))("%s", (_, attack) => {
  test("in the conversation and in questions", async () => {
    const paper = await openOnPaper(80, 40, { branch: `main${attack}`, theme: "dark" })
    await everywhere(paper, attack)
    expectClean(paper.terminal.raw())
    for (const told of [...paper.signals, ...paper.titles]) expectClean(told)
  })

  test.each(["/model", "/resume", "/permissions", "/rewind", "/branches", "/context", "/memory"])(
    "in %s",
    async (command) => {
      const paper = await openOnPaper(80, 40, { panels: hostilePorts(attack) })
      await paper.type(`${command}\r`)
      await paper.pass(400)
      await paper.type(`\u001b[200~${attack}\u001b[201~`)
      await paper.pass(400)
      await paper.type("\u0015")
      await paper.pass(400)
      if (command !== "/model" && command !== "/resume") await paper.type("\r")
      await paper.pass(400)
      expectClean(paper.terminal.raw())
    },
  )

  test("in what is offered while one writes, and in notes", async () => {
    const paper = await openOnPaper(80, 40, {
      theme: "dark",
      notes: [`a setting ${attack}`],
      findFiles: async () => [`src/${attack}.ts`, attack],
      answers: { commands: () => [{ name: `mcp${attack}`, about: attack, takes: attack }] },
      history: { load: async () => [`said ${attack}`], add: () => {} },
      panels: hostilePorts(attack),
    })
    await paper.pass(100)
    for (const keys of ["see @s", "/m", "\u0012said", "\u001b[A", `${attack}\r`, `/no${attack}\r`, `#${attack}`]) {
      await paper.type(keys)
      await paper.pass(100)
      await paper.type("\u001b")
      await paper.pass(600)
      await paper.type("\u0003")
      await paper.pass(100)
      await paper.type("x\u007f")
    }
    // What the person keeps is refused, with the same words again.
    await paper.type("#")
    await paper.type("note\r")
    await paper.pass(400)
    await paper.type("\r")
    await paper.pass(400)
    expectClean(paper.terminal.raw())
    for (const told of [...paper.signals, ...paper.titles]) expectClean(told)
  })

  test("in what a folder would run", async () => {
    const paper = openPaperTerminal(80, 30)
    const { clock, pass } = openPaperClock()
    const trust = {
      folder: `/home/${attack}`,
      why: "new",
      lasts: "session",
      runs: [{ file: attack, what: attack, detail: attack, more: [attack], change: "changed" }],
      accept: () => ok(undefined),
    } as const
    const done = (): ReturnType<typeof trust.accept> => ok(undefined)
    const row = { name: attack, who: attack, state: "ready", about: attack, takesKey: true, isSaved: false } as const
    const reach = {
      providers: { ...somePort(), list: async () => [row], models: async () => ok([attack, "b"]) },
      useModel: done,
      useSimulator: done,
    }
    void runFirstRun({ terminal: paper.terminal, clock, theme: "ansi", ports: { reach, trust } })
    await pass(400)
    await paper.type("1")
    await pass(400)
    await paper.type("\r")
    await pass(400)
    expectClean(paper.virtual.raw())
  })
})

test("whatever bytes a tool prints and a model says", async () => {
  const piece = fc.constantFrom(
    ...Object.values(attacks),
    "\u001b",
    "\u009b",
    "\u202e",
    "&#27;",
    "`",
    "[",
    "](",
    "|",
    "\n",
    "x",
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const paper = await openOnPaper(60, 20)
      await everywhere(paper, pieces.join(""))
      expectClean(paper.terminal.raw())
    }),
    runs(10),
  )
})
