/** A program of its own for the test that kills it: it runs commands that would go on for ever. */

import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openProcesses } from "#ground/workspace/process.ts"
import { openShell } from "#ground/workspace/shell.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"

const seconds = process.argv[2] ?? "1"
const folder = mkdtempSync(join(tmpdir(), "codewright-doomed-"))
const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch: folder, graceMs: 1000, drainMs: 100 })
const env = () => ({ PATH: "/usr/local/bin:/usr/bin:/bin" })
const shell = openShell({ processes, ids: systemIds, env, outputFolder: folder, scratch: folder })
process.stdout.write(`${folder}\n`)
await shell.run({
  command: `trap '' TERM; setsid sleep ${seconds} & (trap '' TERM HUP; sleep ${seconds}) & sleep ${seconds} & sleep ${seconds}`,
  cwd: "/",
  timeoutMs: 600_000,
  signal: new AbortController().signal,
  limits: { characters: 1000, fileBytes: 1000 },
})
