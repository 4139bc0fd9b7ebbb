/** `codewright sessions rename` and `delete`. */

import { openJobs } from "#fleet/background/jobs.ts"
import type { SessionRow } from "#ground/transcript/catalog.ts"
import { type RemovedSession, removeSession } from "#ground/transcript/remove.ts"
import { renameSession } from "#ground/transcript/rename.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { version } from "#lib/version.ts"
import { agrees } from "#faces/cli/terminal/agrees.ts"
import { forgetSnapshots, knownSnapshots } from "./forget-snapshots.ts"
import { isBackground } from "./is-background.ts"
import { pickSession } from "./pick-session.ts"
import { nameOf, sessionLine } from "./session-line.ts"
import type { SessionsCall } from "./sessions-call.ts"

const longestTitle = 200

export async function renameOne({ words, where, io }: SessionsCall): Promise<number> {
  const [prefix, ...more] = words
  const title = more.join(" ").replaceAll(/\s+/g, " ").trim()
  if (title === "" || title.length > longestTitle)
    return io.fail(`rename needs an id and a title of at most ${longestTitle} characters.`)
  const picked = await pickSession(prefix, where)
  if (!picked.ok) return io.fail(picked.failure)
  const { id, path, cwd, branch } = picked.value
  const origin = { sessionId: id, cwd, version, gitBranch: branch, entrypoint: "cli" }
  const done = await renameSession(path, title, { pid: process.pid, origin, clock: systemClock, ids: systemIds })
  if (done.ok) {
    io.writeForeign(`${id} is now called: ${title}\n`)
    return 0
  }
  switch (done.failure.kind) {
    case "held":
      return io.fail(`The session is open in process ${done.failure.pid}. Use /rename there.`)
    case "newer":
      return io.fail(`The session was written by a newer Codewright (format ${done.failure.format}). Update first.`)
    default:
      return io.fail(`The session could not be renamed: ${done.failure.message}`)
  }
}

export async function deleteSessions(call: SessionsCall): Promise<number> {
  const { args, words, where, io } = call
  if (words.length === 0) return io.fail("delete needs session ids. List them with: codewright sessions list")
  const server = args.value("server")
  if (server !== undefined) return (await import("#faces/cli/fleet/remote-erase.ts")).eraseRemote(call, server)
  const rows: SessionRow[] = []
  // All of them are found before one is removed.
  for (const word of words) {
    const picked = await pickSession(word, where)
    if (!picked.ok) return io.fail(picked.failure)
    if (!rows.some(({ id }) => id === picked.value.id)) rows.push(picked.value)
  }
  if (!args.has("yes")) {
    if (!process.stdin.isTTY)
      return io.fail("There is no terminal to ask for confirmation. To delete without asking, add --yes.")
    io.say(rows.map((row) => sessionLine(row)).join("\n"))
    if (!(await agrees(`Delete ${rows.length === 1 ? "this session" : `these ${rows.length} sessions`}?`)))
      return io.fail("Nothing was deleted.")
  }
  let code = 0
  const removed: RemovedSession[] = []
  const before = await knownSnapshots(where.state)
  for (const row of rows) {
    const session = { sessionId: row.id, logPath: row.path }
    const done = removeSession(session, { pid: process.pid })
    if (done.ok) {
      removed.push(session)
      if (isBackground(where.state, row.id)) openJobs(where.state, process.pid).remove(row.id)
      io.writeForeign(`Deleted ${row.id}  ${nameOf(row)}\n`)
    } else if (done.failure.kind === "held")
      code = io.fail(`${row.id} is open in process ${done.failure.pid} and was not deleted.`)
    else
      code = io.fail(`${row.id} could not be deleted${"message" in done.failure ? `: ${done.failure.message}` : ""}.`)
  }
  if (removed.length > 0) await forgetSnapshots(removed, where.state, before)
  return code
}
