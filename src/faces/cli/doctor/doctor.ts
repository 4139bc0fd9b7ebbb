/** `codewright doctor`: whether everything is there and whole; and a new log from a damaged one. */

import { join, dirname } from "node:path"
import { isWhole, type LogState, salvageLog } from "#ground/transcript/salvage.ts"
import { counted } from "#lib/figures.ts"
import { systemIds } from "#lib/ids.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"
import { version } from "#lib/version.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { DoctorCheck } from "./doctor-check.ts"
import { checks } from "./doctor-checks.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { Io } from "#faces/cli/io.ts"
import { pickSession } from "#faces/cli/sessions/pick-session.ts"
import { type Where, whereWeAre } from "#faces/cli/where.ts"

const table: readonly Flag<"json" | "all" | "repair" | "help">[] = [
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "all", also: ["-a"], kind: "switch", about: "Check the logs of all folders, not only this one." },
  {
    name: "repair",
    kind: "value",
    takes: "session",
    about: "Recover a damaged session into a new one. The old session is not changed.",
  },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright doctor [options]"],
  about: "Checks settings, rules, logs and required programs, and says what to do about each problem.",
  table,
}

export async function doctorCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = readCommand(argv, table, help, io)
  if (typeof args === "number") return args
  if (args.rest.length > 0) return io.fail(`doctor takes no arguments, but got '${args.rest.join(" ")}'.`)
  const where = whereWeAre()
  const asked = args.value("repair")
  if (asked !== undefined) return repair(asked, where, args.has("json"), io)
  const found: DoctorCheck[] = []
  for await (const check of checks(where, { logs: args.has("all") ? "of all folders" : "of this folder" })) {
    found.push({ ...check, says: maskSecrets(check.says) })
    if (!args.has("json")) io.say(maskSecrets(checkLine(check)))
  }
  if (args.has("json")) io.write(`${JSON.stringify({ checks: found.map(asData) }, null, 2)}\n`)
  return found.some(({ state }) => state === "wrong") ? 1 : 0
}

export const checkLine = ({ name, state, says, fix }: DoctorCheck): string =>
  `${marks[state]} ${name}: ${fix === undefined ? says : `${says}. ${fix}`}`

/** The shape that other programs rely on. */
const asData = ({ name, state, says, fix }: DoctorCheck): object => ({
  name,
  ok: state === "good",
  message: says,
  ...(fix !== undefined && { fix }),
  state,
})

const marks: { readonly [state in DoctorCheck["state"]]: string } = { good: "ok   ", odd: "note ", wrong: "wrong" }

async function repair(prefix: string, where: Where, asJson: boolean, io: Io): Promise<number> {
  const picked = await pickSession(prefix, where)
  if (!picked.ok) return io.fail(picked.failure)
  const { id, path, cwd, branch } = picked.value
  const sessionId = systemIds.uuid()
  const to = join(dirname(path), `${sessionId}.jsonl`)
  const origin = { sessionId, cwd, version, gitBranch: branch, entrypoint: "cli" }
  const done = salvageLog({ from: { sessionId: id, path }, to, origin, ids: systemIds })
  if (!done.ok)
    return io.fail(
      done.failure.kind === "newer"
        ? `The session was written by a newer Codewright (format ${done.failure.format}). Update first.`
        : `The session could not be recovered: ${done.failure.message}`,
    )
  const { state, entries, found } = done.value
  if (asJson) {
    io.write(`${JSON.stringify({ from: id, sessionId, path: to, entries, found, state }, null, 2)}\n`)
    return 0
  }
  const lost = isWhole(state) ? ["Nothing was damaged; the copy is the same conversation."] : lostWords(state, found)
  io.writeForeign(
    `${[`${entries} entries were recovered into ${to}`, ...lost, `The old session is unchanged. Resume with: codewright --resume ${sessionId}`].join("\n")}\n`,
  )
  return 0
}

function lostWords({ damaged, tornBytes, gaps, header }: LogState, found: number): string[] {
  return [
    ...(damaged.length > 0 ? [`Damaged lines: ${numbers(damaged)}.`] : []),
    ...(tornBytes > 0 ? [`The last line was cut off (${tornBytes} bytes).`] : []),
    ...(found > 0 ? [`${found} of the entries were found inside damaged lines.`] : []),
    ...(gaps > 0 ? [`${counted(gaps, "gap")}; each is marked in the conversation.`] : []),
    ...(header === "missing" ? ["The first line, which names the folder, was missing."] : []),
  ]
}

const numbers = (all: readonly number[]): string =>
  all.length > 20 ? `${all.slice(0, 20).join(", ")} and ${all.length - 20} more` : all.join(", ")
