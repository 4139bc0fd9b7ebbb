/** Tab in real shells, in a window of tmux: what is put into the line and what is listed below it. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hasTmux, openTmux, type TmuxRun } from "../kit/open-tmux.ts"
import { openPlace, type Place } from "../kit/run-codewright.ts"
import { type Completing, hasShell, openCompleting, type Shell, shells } from "../kit/shell-completion.ts"
import { entriesOf, saidBy, writeLog } from "../kit/write-log.ts"

const ids = ["1a1b2c3d-0000-4000-8000-000000000001", "1a9b2c3d-0000-4000-8000-000000000002"]
const title = "$(touch pwned) `touch pwned` it's %F{red} \\ done"

// Where a shell is not installed, its test is skipped; CI installs all three.
describe.each(shells)("%s", (shell) => {
  test.skipIf(!hasTmux || !hasShell(shell))("completes at Tab, and lists sessions with their titles", () =>
    presses(shell),
  )
})

async function presses(shell: Shell): Promise<void> {
  using place = openPlace()
  for (const id of ids)
    writeLog(
      join(place.state, "projects", place.work.replace(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`),
      entriesOf([saidBy(title)]),
      { sessionId: id, cwd: place.work },
    )
  await using window = await openShell(shell, place, await openCompleting(shell, place))
  await window.shows("ready>")
  await tab(window, "codewright sess", "codewright sessions")
  await tab(window, "codewright --permission-mode acc", "codewright --permission-mode acceptEdits")
  await tab(window, "codewright --permission-mode=acc", "codewright --permission-mode=acceptEdits")
  await tab(window, "codewright --resume 1a1", `codewright --resume ${ids[0]}`)
  await window.type("codewright --resume 1a")
  await window.press("Tab", "Tab")
  // Both are listed, each with its title as it is.
  await window.shows(title)
  for (const id of ids) await window.shows(id)
  expect(existsSync(join(place.work, "pwned"))).toBe(false)
}

async function tab(window: TmuxRun, typed: string, completed: string): Promise<void> {
  await window.type(typed)
  await window.press("Tab")
  await window.shows(completed)
  await window.press("C-u")
}

async function openShell(shell: Shell, place: Place, { script, env }: Completing): Promise<TmuxRun> {
  mkdirSync(place.home, { recursive: true })
  const start = join(place.path, `start.${shell}`)
  const starts = {
    bash: { text: `PS1='ready> '\nsource '${script}'\n`, command: ["bash", "--rcfile", start, "-i"] },
    zsh: {
      text: `PS1='ready> '\nautoload -Uz compinit\ncompinit -u -D\nsource '${script}'\n`,
      command: ["zsh", "-d", "-i"],
    },
    fish: {
      text: `function fish_prompt; echo -n 'ready> '; end\nset -g fish_greeting\nsource '${script}'\n`,
      command: ["fish", "--no-config", "-C", `source ${start}`],
    },
  }[shell]
  writeFileSync(start, starts.text)
  if (shell === "zsh") writeFileSync(join(place.home, ".zshrc"), starts.text)
  return openTmux({ place, command: starts.command, env })
}
