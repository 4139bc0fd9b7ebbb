/** A program of its own for the test that kills it: it runs commands that would go on for ever. */

import { join } from "node:path"
import { openTestShell } from "./open-test-shell.ts"

const seconds = process.argv[2] ?? "1"
const how = process.argv[3]
const { folder, shell } = openTestShell({ graceMs: 1000 })
process.stdout.write(`${join(folder, "scratch")}\n`)

const endless = {
  command: `trap '' TERM; setsid sleep ${seconds} & (trap '' TERM HUP; sleep ${seconds}) & sleep ${seconds} & sleep ${seconds}`,
  cwd: "/",
  signal: new AbortController().signal,
  limits: { characters: 1000, fileBytes: 1000 },
}
const run = (callId = "") => shell.run({ ...endless, callId, timeoutMs: 600_000 })

const running: Promise<unknown>[] = [run()]
if (how === "in the background") {
  const moved = run("moved")
  await Promise.all([shell.start(endless), Bun.sleep(100)])
  if (!shell.moveToBackground()) throw new Error("it was not moved")
  await moved
}
if (how === "kill the watchdog") {
  await Bun.sleep(100)
  // Of all watchdogs on the machine only our own child.
  const own = Bun.spawnSync(["ps", "-ax", "-o", "pid=,ppid=,args="]).stdout.toString().split("\n")
  for (const line of own) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number)
    if (parent === process.pid && line.includes("codewright-watchdog") && pid) process.kill(pid, "SIGKILL")
  }
  await Bun.sleep(100)
  running.push(run())
}
await Promise.all(running)
