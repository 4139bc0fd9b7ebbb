/** `codewright agents`: all sessions of this user on one list. */

import { processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { waitingIn } from "#session/port/answer-kept.ts"
import { shownQuestion } from "#session/port/approval.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Io } from "#faces/cli/io.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import { listText } from "./list-text.ts"
import { type ListedSession, sessionList } from "./session-list.ts"
import { restartHost, startHost } from "./start-host.ts"

const table: readonly Flag<"json" | "help">[] = [
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright agents [--json]", "codewright agents send <session> <message> [--json]"],
  about:
    "Lists your sessions in all folders: those that work, wait for you, are open in a terminal, or ended in the last day. In a terminal the list is live: open a session, answer its question, stop, resume or remove it. send gives one a message, which it reads as one from another session of yours.",
  table,
  examples: [
    'codewright --bg "fix the failing test"',
    "codewright agents",
    'codewright agents send tour "the tests moved to test/unit"',
    "codewright agents --json | jq -r '.sessions[].state'",
  ],
}

export async function agentsCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  const [word, ...words] = args.rest
  if (word === "send")
    return (await import("./send.ts")).sendFromShell(words, args.has("json") ? "json" : "text", whereWeAre(), io)
  if (word !== undefined)
    return io.fail(`agents takes send or nothing, not '${word}'. To open a session: codewright attach ${word}`)
  const where = whereWeAre()
  const { sessions, isDue } = await sessionList(where, systemClock.now())
  const started = isDue ? await startHost(where.state) : await restartHost(where.state)
  if (started?.ok === false) io.warn(started.failure)
  if (args.has("json")) {
    io.write(`${JSON.stringify({ sessions: sessions.map(jsonRow) }, null, 2)}\n`)
    return 0
  }
  const shown = isScreen() ? await (await import("./live-list.ts")).showLiveList(where, io) : undefined
  if (shown !== undefined) return shown
  io.say(listText(sessions, { home: where.home, now: systemClock.now() }))
  return 0
}

/** The shape is a contract with other programs. One that is open and has nothing to do is done, with the process that has it. */
function jsonRow(session: ListedSession): object {
  const { id, name, state, cwd, branch, costUsd, changedAt, path, background, model, last, pid } = session
  const loaded = state === "waiting" && path !== undefined ? loadTail(path, { torn: "leave" }) : undefined
  return {
    id,
    title: name,
    state: state === "open" ? "done" : state,
    folder: cwd,
    ...(branch !== "" && { branch }),
    costUsd,
    pending: loaded?.ok ? waitingIn(loaded.value.entries).map((asked) => shownQuestion(asked, id)) : [],
    updatedAt: new Date(changedAt).toISOString(),
    background,
    model,
    last,
    ...optional("pid", pid),
  }
}

function isScreen(): boolean {
  const { term, plain } = readEnvironment(processEnvironment())
  return process.stdout.isTTY && process.stdin.isTTY && term !== undefined && term !== "dumb" && !plain
}
