/** `npm run pictures [-- words]`: plays the program in a terminal without a window and keeps what it shows as pictures for the README and the guides. */

import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Terminal } from "@xterm/headless"
import type { Scenario, ScenarioBlock, ScenarioFunction } from "../src/sim/scenario.ts"
import { openSimulator } from "../src/sim/server.ts"
import { storyFiles, storyPrompt, storyRepository, teamStory } from "../test/kit/team/story.ts"
import { darkPaper, type Frame, lightPaper, movieOf, onScreen, svgOf } from "./screen-svg.ts"

const root = resolve(import.meta.dir, "..")
const folder = join(root, "docs", "pictures")
const usualColumns = 92
const patienceMs = 60_000
const frameMs = 80
const longestFrameMs = 1_600
const lastFrameMs = 4_000

interface Play {
  readonly type: (keys: string) => Promise<void>
  readonly until: (text: string) => Promise<void>
  readonly hides: (text: string) => Promise<void>
  /** Types as a person would. */
  readonly write: (text: string) => Promise<void>
  /** Keeps the last rows of the screen. */
  readonly keep: (name: string, rows: number) => Promise<void>
  /** Keeps everything that the screen showed since the program was started. */
  readonly keepMovie: (name: string) => Promise<void>
  readonly end: () => Promise<void>
}

interface Stage {
  readonly argv: readonly string[]
  /** The program that it is started in, with arguments before and after. */
  readonly within?: readonly [before: readonly string[], after: readonly string[]]
  readonly rows?: number
  readonly columns?: number
  /** What is in the folder; the sample if absent. */
  readonly fill?: (work: string) => void
  readonly env?: { readonly [name: string]: string }
  /** `none`: as with NO_COLOR. */
  readonly theme?: Theme
}

type Theme = "dark" | "light" | "none"

const sample = (work: string): void => cpSync(join(root, "sample"), work, { recursive: true })

/** The program in a fresh folder, with an empty home. */
function play({
  argv,
  within: [before, after] = [[], []],
  rows = 40,
  columns = usualColumns,
  fill = sample,
  env = {},
  theme = "dark",
}: Stage): Play {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "codewright-pictures-")))
  const work = join(place, "sample")
  fill(work)
  mkdirSync(join(place, ".codewright"))
  writeFileSync(join(place, ".codewright", "settings.json"), `{ "theme": "${theme}" }\n`)
  const screen = new Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true })
  let drained: Promise<void> = Promise.resolve()
  const child = Bun.spawn([...before, join(root, "bin", "codewright"), "--trust", ...argv, ...after], {
    cwd: work,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: place,
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      LANG: "C.UTF-8",
      npm_config_update_notifier: "false",
      CODEWRIGHT_LANGUAGE_SERVERS: "off",
      ...env,
    },
    terminal: {
      cols: columns,
      rows,
      data(_, bytes) {
        const text = new Uint8Array(bytes)
        drained = new Promise((done) => screen.write(text, done))
      },
    },
  })
  const frames: Frame[] = []
  let since = performance.now()
  const filming = setInterval(() => {
    const now = performance.now()
    const rowsNow = onScreen(screen)
    const last = frames.at(-1)
    // Waiting is cut short: nobody wants to watch it.
    const ms = Math.min(now - since, longestFrameMs)
    since = now
    if (last && last.rows.join("\n") === rowsNow.join("\n"))
      frames[frames.length - 1] = { ...last, ms: Math.min(last.ms + ms, longestFrameMs) }
    else frames.push({ rows: rowsNow, ms })
  }, frameMs)
  const shown = (): string => {
    const { active } = screen.buffer
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "")
    return lines.join("\n")
  }
  const screenText = (): string => {
    const { active } = screen.buffer
    const lines = Array.from({ length: rows }, (_, at) => active.getLine(active.baseY + at)?.translateToString(true))
    return lines.join("\n")
  }
  let seen = 0

  return {
    async type(keys) {
      // Keys that come too soon after a dialog are ignored, and a person would not be so quick either.
      await Bun.sleep(500)
      child.terminal?.write(keys)
      await Bun.sleep(200)
    },
    async hides(text) {
      await Bun.sleep(frameMs)
      while (screenText().includes(text)) await Bun.sleep(50)
    },
    async write(text) {
      for (const letter of text) {
        child.terminal?.write(letter)
        await Bun.sleep(45)
      }
      await Bun.sleep(500)
    },
    async until(text) {
      const asked = performance.now()
      for (;;) {
        await drained
        const at = shown().indexOf(text, seen)
        if (at >= 0) {
          seen = at
          break
        }
        if (performance.now() - asked > patienceMs) throw new Error(`${text} never came:\n${shown()}`)
        await Bun.sleep(50)
      }
      await Bun.sleep(300)
    },
    async keep(name, lastRows) {
      await drained
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `${name}.svg`), svgOf(screen, lastRows, theme === "light" ? lightPaper : darkPaper))
      console.log(`docs/pictures/${name}.svg`)
    },
    async keepMovie(name) {
      await drained
      await Bun.sleep(2 * frameMs)
      const last = frames.at(-1)
      if (last) frames[frames.length - 1] = { ...last, ms: lastFrameMs }
      const begin = frames.findIndex((frame) => frame.rows.some((row) => row !== ""))
      writeFileSync(join(folder, `${name}.svg`), movieOf(frames.slice(Math.max(0, begin)), columns, rows))
      console.log(`docs/pictures/${name}.svg`)
    },
    async end() {
      clearInterval(filming)
      child.kill("SIGKILL")
      await child.exited
      child.terminal?.close()
      rmSync(place, { recursive: true, force: true })
    },
  }
}

const enter = "\r"
const down = "\u001B[B"
const escape = "\u001B"

const simulated = ["--model", "sim"]

async function fixingPictures(): Promise<void> {
  const fixing = play({ argv: [...simulated, "Fix the failing test"] })
  await fixing.until("Run this command?")
  await fixing.type("2")
  await fixing.until("Apply this edit to")
  await fixing.keep("permission", 24)
  await fixing.type(enter)
  await fixing.until("/rewind")
  await fixing.keep("done", 30)
  await fixing.type("/rewind")
  await fixing.type(enter)
  await fixing.until("Rewind to a prompt")
  await fixing.type(enter)
  await fixing.until("loyalty.js")
  await fixing.keep("rewind", 18)
  await fixing.end()
}

/** A wide terminal: the difference side by side. */
async function widePicture(): Promise<void> {
  const fixing = play({ argv: [...simulated, "Fix the failing test"], columns: 150 })
  await fixing.until("Run this command?")
  await fixing.type("2")
  await fixing.until("Apply this edit to")
  await fixing.keep("diff-150", 24)
  await fixing.end()
}

/** The palette, and the column beside the prompt with agents that work. */
async function besidePictures(): Promise<void> {
  const opened = await openSimulator({ scenario: besideStory })
  if (!opened.ok) throw new Error(opened.failure.message)
  const beside = play({
    argv: ["Add a discount for loyal customers", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    columns: 150,
    rows: 30,
    env: { ANTHROPIC_BASE_URL: opened.value.url, ANTHROPIC_API_KEY: "x" },
  })
  await beside.until("reads the code")
  await beside.until("Changed files")
  await beside.keep("column-150", 22)
  await beside.type("\u0010")
  await beside.until("Type to search")
  await beside.write("co")
  await beside.keep("palette", 29)
  await beside.end()
  await opened.value.close()
}

const besideStory: ScenarioFunction = ({ messages }, { turn }) => {
  const said = JSON.stringify(messages[0])
  if (said.includes("callers")) return { content: [{ tool: "Bash", input: { command: "sleep 60 # reads the code" } }] }
  if (turn > 0) return { content: "Two agents look for callers and missing tests while you continue." }
  const todo = (content: string, status: string) => ({ content, activeForm: content, status })
  const agent = (description: string) => ({
    tool: "Task",
    input: { description, prompt: "Find the callers.", subagent_type: "Explore" },
  })
  return {
    content: [
      {
        tool: "TodoWrite",
        input: {
          todos: [
            todo("Write the rule", "completed"),
            todo("Use it in the cart", "in_progress"),
            todo("Test it", "pending"),
          ],
        },
      },
      {
        tool: "Write",
        input: { file_path: "docs/loyalty.md", content: "# Loyal customers\n\nAfter two years: 10 % off.\n" },
      },
      agent("find callers of the cart"),
      agent("find missing tests"),
    ],
  }
}

const cart = [
  'import { format } from "./format.js"',
  "",
  "export function total(items) {",
  "  let sum = 0",
  "  for (const item of items) sum += item.price",
  "  return sum",
  "}",
  "",
  "export const isEmpty = (items) => items.length === 0",
  "",
  "export function add(items, item) {",
  "  return [...items, item]",
  "}",
  "",
  "export function receipt(items) {",
  "  const lines = items.map(({ name, price }) => `${name} ${format(price)}`)",
  '  return lines.join("\\n")',
  "}",
  "",
].join("\n")

/** Edits of a small shop, to ask about and to review. */
function cartScenario(): Scenario {
  const edit = (old_string: string, new_string: string): ScenarioBlock => ({
    tool: "Edit",
    input: { file_path: "cart.js", old_string, new_string },
  })
  const replies = [
    { content: [{ tool: "Read", input: { file_path: "cart.js" } }] },
    {
      content: [
        edit("sum += item.price\n  return sum", "sum += item.price * item.count\n  return round(sum)"),
        edit('lines.join("\\n")', '[...lines, `Total ${format(total(items))}`].join("\\n")'),
        {
          tool: "Write",
          input: { file_path: "round.js", content: "export const round = (n) => Math.round(n * 100) / 100\n" },
        },
      ],
    },
    { content: "The cart counts items now." },
  ]
  return { replies: [...replies, { content: "Fine.", times: "always" }] }
}

async function openCart(stage: Partial<Stage>): Promise<{ readonly played: Play; readonly end: () => Promise<void> }> {
  const opened = await openSimulator({ scenario: cartScenario() })
  if (!opened.ok) throw new Error(opened.failure.message)
  const played = play({
    argv: ["Count the items of the cart"],
    fill(work) {
      mkdirSync(work, { recursive: true })
      writeFileSync(join(work, "cart.js"), cart)
    },
    env: { ANTHROPIC_BASE_URL: opened.value.url, ANTHROPIC_API_KEY: "x" },
    ...stage,
  })
  return {
    played,
    async end() {
      await played.end()
      await opened.value.close()
    },
  }
}

/** Some changes to review, one of them undone. */
async function reviewPicture(): Promise<void> {
  const argv = ["--permission-mode", "acceptEdits", "Count the items of the cart"]
  const { played: review, end } = await openCart({ argv, columns: 100 })
  await review.until("/rewind")
  await review.type("/diff")
  await review.type(enter)
  await review.until("Changes in this session")
  await review.type(`${down}${down}`)
  await review.type("u")
  await review.until("undone")
  await review.type("\u001B[A")
  await review.keep("review", 21)
  await end()
}

/** The same screens at another width, in another theme. */
async function screenPictures(columns: number, theme: Theme): Promise<void> {
  const name = (what: string): string => `screen-${what}-${columns}`
  const { played, end } = await openCart({ columns, theme, rows: 30 })
  await played.until("Apply this edit to")
  await played.keep(name("edit"), 30)
  await played.type("2")
  await played.until("/rewind")
  await played.type("/diff")
  await played.type(enter)
  await played.until("Changes in this session")
  await played.type(down)
  await played.keep(name("review"), 30)
  await played.type(escape)
  await played.type("/co")
  await played.keep(name("menu"), 14)
  await end()
  await agentsPicture(name("agents"), { columns, theme })
}

/** Agents at work: below the prompt, or in the column beside it. */
async function agentsPicture(name: string, stage: Partial<Stage>): Promise<void> {
  const opened = await openSimulator({ scenario: besideStory })
  if (!opened.ok) throw new Error(opened.failure.message)
  const beside = play({
    argv: ["Add a discount for loyal customers", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    rows: 30,
    env: { ANTHROPIC_BASE_URL: opened.value.url, ANTHROPIC_API_KEY: "x" },
    ...stage,
  })
  await beside.until("missing tests while")
  await beside.until("Bash sl")
  await beside.type("and the tests")
  await beside.keep(name, 24)
  await beside.end()
  await opened.value.close()
}

async function planPicture(): Promise<void> {
  const planning = play({ argv: [...simulated, "--permission-mode", "plan", "Fix the failing test"] })
  await planning.until("❯")
  await planning.keep("plan", 36)
  await planning.end()
}

async function firstTaskMovie(): Promise<void> {
  const first = play({ argv: simulated, rows: 28 })
  await first.until(">")
  await first.write("fix the failing test")
  await first.type(enter)
  await first.until("❯ 1. Yes")
  await first.type("2")
  await first.hides("❯ 1. Yes")
  await first.until("❯ 1. Yes")
  await first.type("1")
  await first.until("/rewind")
  await first.keepMovie("first-task")
  await first.end()
}

/** A small repository, and a model that leads a team in it. */
async function teamPicture(columns: number): Promise<void> {
  const opened = await openSimulator({ scenario: teamStory({ paceMs: 3_000 }) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const team = play({
    argv: [storyPrompt, "--allowedTools", "Bash"],
    columns,
    rows: 34,
    fill: makeRepository,
    env: { ANTHROPIC_BASE_URL: opened.value.url, ANTHROPIC_API_KEY: "x" },
  })
  await team.until("/teams to open")
  await team.type("/teams")
  await team.type(enter)
  await team.until("1 failed attempt")
  await team.keep(`team-${columns}`, 24)
  await team.end()
  await opened.value.close()
}

/** The same team in panes of tmux. */
async function panesPicture(): Promise<void> {
  const opened = await openSimulator({ scenario: teamStory({ paceMs: 3_000 }) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const tmux = ["tmux", "-L", `codewright-pictures-${process.pid}`, "-f", "/dev/null"]
  const team = play({
    argv: [storyPrompt, "--teammate-mode", "auto"],
    within: [
      [...tmux, "new-session"],
      [";", "set", "-g", "status", "off"],
    ],
    columns: 150,
    rows: 40,
    fill: makeRepository,
    env: { ANTHROPIC_BASE_URL: opened.value.url, ANTHROPIC_API_KEY: "x" },
  })
  await team.until("Asked by")
  await team.keep("team-panes", 40)
  Bun.spawnSync([...tmux, "kill-server"])
  await team.end()
  await opened.value.close()
}

function makeRepository(work: string): void {
  for (const [path, text] of Object.entries(storyFiles)) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), text)
  }
  for (const line of storyRepository) Bun.spawnSync(["git", ...line.split(" ")], { cwd: work })
}

const scenes: { readonly [name: string]: () => Promise<void> } = {
  fixing: fixingPictures,
  "diff-150": widePicture,
  beside: besidePictures,
  review: reviewPicture,
  "screen-60": () => screenPictures(60, "none"),
  "screen-100": () => screenPictures(100, "light"),
  "screen-160": () => screenPictures(160, "dark"),
  plan: planPicture,
  "first-task": firstTaskMovie,
  "team-80": () => teamPicture(80),
  "team-160": () => teamPicture(160),
  "team-panes": panesPicture,
}
const wanted = process.argv.slice(2)
for (const [name, draw] of Object.entries(scenes))
  if (wanted.length === 0 || wanted.some((word) => name.includes(word))) await draw()
