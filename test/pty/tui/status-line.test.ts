/** The setting statusLine: a command of the person draws a line below the prompt. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace, type Place } from "../../kit/run-codewright.ts"

const enter = "\r"

/** Counts its runs and keeps what it got. */
const script = (prints: string): string => `#!/bin/sh
cat > "$CODEWRIGHT_HOME_SEEN/input.json"
echo run >> "$CODEWRIGHT_HOME_SEEN/runs"
${prints}
`

function place(prints: string, more: object = {}): Place {
  const here = openPlace()
  const file = here.write("../line.sh", script(prints).replaceAll("$CODEWRIGHT_HOME_SEEN", here.path))
  here.write(
    join(here.state, "settings.json"),
    JSON.stringify({ theme: "dark", statusLine: { type: "command", command: `sh ${file}`, ...more } }),
  )
  return here
}

const runsOf = (here: Place): number => readFileSync(join(here.path, "runs"), "utf8").trim().split("\n").length

test("it gets the ecosystem's JSON, its colours are shown, other escapes are not, and it runs again only after changes", async () => {
  using here = place(`printf '\\033[31mred line\\033[0m \\033]0;stolen\\007\\nsecond\\n'`, { padding: 2 })
  await using run = await openScreenRun({ place: here, argv: [], scenario: ["Hello."] })
  await run.shows(/\n {2}red line .*stolen/)
  await run.shows(/\n {2}second/)
  // In the theme's own red.
  expect(run.terminal.raw()).toContain("\u001b[38;5;203mred line")
  expect(run.terminal.raw()).not.toContain("\u001b]0;stolen")
  const before = runsOf(here)
  await Bun.sleep(1_200)
  // Nothing changed, so nothing ran.
  expect(runsOf(here)).toBe(before)
  run.type(`hi${enter}`)
  await run.shows("Hello.")
  for (const started = Date.now(); runsOf(here) === before && Date.now() - started < 20_000;) await Bun.sleep(50)
  expect(runsOf(here)).toBeGreaterThan(before)
  const input = JSON.parse(readFileSync(join(here.path, "input.json"), "utf8"))
  const { current_usage: usage, total_input_tokens: size } = input.context_window
  expect(usage.output_tokens).toBeGreaterThan(0)
  expect(usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens).toBe(size)
  expect(size).toBeGreaterThan(0)
  expect(input).toMatchObject({
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    transcript_path: expect.stringMatching(/\.jsonl$/),
    cwd: here.work,
    model: { id: expect.stringMatching(/^claude-/), display_name: expect.stringMatching(/^[A-Z][a-z]+ [\d.]+$/) },
    workspace: { current_dir: here.work, project_dir: here.work, added_dirs: [] },
    version: expect.any(String),
    output_style: { name: expect.any(String) },
    cost: {
      total_cost_usd: expect.any(Number),
      total_duration_ms: expect.any(Number),
      total_api_duration_ms: expect.any(Number),
      total_lines_added: 0,
      total_lines_removed: 0,
    },
    context_window: {
      context_window_size: expect.any(Number),
      used_percentage: expect.any(Number),
      total_input_tokens: expect.any(Number),
      total_output_tokens: usage.output_tokens,
    },
    exceeds_200k_tokens: false,
  })
})

test("a command that fails is told once, and the prompt works on", async () => {
  using here = place("echo broken >&2; exit 3")
  await using run = await openScreenRun({ place: here, argv: [], scenario: ["Hello."] })
  await run.shows("The status line command exited with code 3: broken")
  run.type(`hi${enter}`)
  const all = await run.shows("Hello.")
  expect(all.split("The status line command exited").length).toBe(2)
})

test("a project's command runs only where the folder is trusted, and the trust question shows it", async () => {
  using here = openPlace({
    ".codewright/settings.json": JSON.stringify({ statusLine: { type: "command", command: "touch ran; echo theirs" } }),
  })
  here.write(join(here.state, "settings.json"), '{ "theme": "dark" }')
  {
    await using run = await openScreenRun({ place: here, argv: ["--model", "sim"], first: "run" })
    await run.asks("Do you trust")
    await run.shows("statusLine: touch ran; echo theirs")
    run.type("2")
    await run.shows(/with sim/)
    run.type(`/statusline${enter}`)
    await run.shows("No status line command is set.")
    expect(existsSync(join(here.work, "ran"))).toBe(false)
  }
  await using run = await openScreenRun({ place: here, argv: ["--model", "sim", "--trust"] })
  await run.shows(/\ntheirs/)
})

test("a theme or editor mode that does not exist is named with its place", async () => {
  using here = openPlace()
  here.write(join(here.state, "settings.json"), '{ "theme": "purple",\n  "editorMode": "ed" }')
  await using run = await openScreenRun({ place: here, argv: ["--model", "sim"], columns: 200 })
  await run.shows(/theme "purple" in \S+settings\.json:1:\d+ does not exist\. Choose dark, light,/)
  await run.shows(/editorMode "ed" in \S+settings\.json:2:\d+ does not exist\. Choose normal or vim\./)
})
