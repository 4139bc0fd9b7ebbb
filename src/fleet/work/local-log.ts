/** The log of a session as files on this machine, made from its lines in the database, and the way back there. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { LogCopy } from "#ground/transcript/log.ts"
import { failed, ok } from "#lib/result.ts"
import { agentLine, isOfAgent } from "#fleet/database/lines.ts"
import type { Shipper } from "./ship.ts"
import type { FleetLines, ShipFailure } from "#fleet/store/lines.ts"

export interface LocalLog {
  readonly path: string
  /** For the logs of agents, and what else belongs to the session. */
  readonly folder: string
  /** How many lines there are, those of agents included. */
  readonly lines: number
  /** Whether it says in which mode the session is: a worker may have ended right after the first line. */
  readonly saysMode: boolean
  /** Whether it says what may be spent: then somebody has changed that. */
  readonly saysBudget: boolean
  /** Whether a prompt with this id is in it, or a review that was asked for under this id. */
  readonly has: (id: string) => boolean
}

const page = 500
/** Under which an entry has the id of what was asked for. */
const names = ["promptId", "opId"]

/** The files are as they were where the session was left, byte for byte. */
export async function fetchLog(
  sessionId: string,
  { path, folder }: Pick<LocalLog, "path" | "folder">,
  lines: Pick<FleetLines, "after">,
): Promise<LocalLog> {
  const all: string[] = []
  for (;;) {
    const more = await lines.after(sessionId, all.length, page)
    all.push(...more)
    if (more.length < page) break
  }
  rmSync(path, { force: true })
  rmSync(join(folder, "subagents"), { recursive: true, force: true })
  const files = new Map<string, string[]>()
  for (const line of all) {
    const { file, text } = placeOf(line, { path, folder })
    const texts = files.get(file) ?? []
    texts.push(text)
    files.set(file, texts)
  }
  for (const [file, texts] of files) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, texts.map((text) => `${text}\n`).join(""), { mode: 0o600 })
  }
  return {
    path,
    folder,
    lines: all.length,
    saysMode: all.some((line) => !isOfAgent(line) && line.includes('"subtype":"mode"')),
    saysBudget: all.some((line) => !isOfAgent(line) && line.includes('"subtype":"budget"')),
    has: (id) => all.some((line) => names.some((name) => line.includes(`"${name}":${JSON.stringify(id)}`))),
  }
}

function placeOf(line: string, { path, folder }: Pick<LocalLog, "path" | "folder">): { file: string; text: string } {
  if (!isOfAgent(line)) return { file: path, text: line }
  const space = line.indexOf(" ")
  const name = line.slice(1, space)
  // It was written by a worker, but a name that leads elsewhere is never followed.
  if (!/^(subagents\/agent-[0-9a-f]{8}(\/|\.jsonl$))+$/.test(name))
    throw new Error(`${name} is not the log of an agent`)
  return { file: join(folder, name), text: line.slice(space + 1) }
}

/** Every line goes there, and `arrived` is the barrier before whatever follows from it. */
export const copyTo = (
  { path, folder }: Pick<LocalLog, "path" | "folder">,
  shipper: Pick<Shipper, "add" | "arrived">,
): LogCopy => ({
  add: (file, line) => shipper.add(file === path ? line : agentLine(relative(folder, file), line)),
  async arrived() {
    const arrived = await shipper.arrived()
    return arrived.ok ? ok(undefined) : failed(shipWords[arrived.failure.kind])
  },
})

const shipWords: { readonly [kind in ShipFailure["kind"]]: string } = {
  fenced: "another worker has taken over the session, or it was cancelled",
  gap: "the database lacks lines that were sent to it",
  diverged: "the database has other lines of this session",
}
