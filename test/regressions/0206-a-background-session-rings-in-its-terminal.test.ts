/** A background session that needs its user rings the bell of the terminal it was started from, and sends a notification, which tmux shows as a flag of that window. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { notification } from "#faces/tui/notification.ts"
import { hasTmux, openTmux } from "../kit/open-tmux.ts"
import { openPlace, program } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"
import { until } from "../kit/until.ts"

test("what is written to a terminal, and through tmux to the one around it", () => {
  const ghostty = { term: "xterm-ghostty", program: "ghostty" }
  expect(notification("a; b", ghostty)).toBe("\u001b]9;Codewright: a, b\u0007")
  expect(notification("a", { term: "foot", program: undefined })).toBe("\u001b]777;notify;Codewright;a\u0007")
  expect(notification("a", { term: "tmux-256color", program: "tmux" })).toBe(
    "\u001bPtmux;\u001b\u001b]9;Codewright: a\u0007\u001b\\",
  )
})

test.skipIf(!hasTmux)("the window rings when the session asks, and when it is done", async () => {
  using place = openPlace()
  await using run = await openTmux({
    place,
    command: ["bash", "--norc"],
    scenario: [calls(bash("touch here")), says("It is done now.")],
  })
  const raw = join(place.path, "raw")
  await run.tmux("pipe-pane", "-t", ":0", `cat > ${raw}`)
  // Somebody looks at another window.
  await run.tmux("new-window", "bash", "--norc")
  await run.tmux("send-keys", "-t", ":0", `${program} --bg "make a file" --name mine`, "Enter")
  const rings = async (): Promise<string> =>
    (await run.tmux("display-message", "-t", ":0", "-p", "#{window_bell_flag}")).trim()
  await until(async () => (await rings()) === "1")
  expect(readFileSync(raw, "utf8")).toContain("]9;Codewright: mine: waits for you. It has a question.\u0007")
  await run.tmux("select-window", "-t", ":0")
  await run.tmux("select-window", "-t", ":1")
  expect(await rings()).toBe("0")
  await run.enter(`${program} sessions answer mine --allow`)
  await until(async () => (await rings()) === "1")
  expect(readFileSync(raw, "utf8")).toContain("It is done now.")
})
