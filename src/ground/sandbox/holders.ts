/**
 * Which processes need which placeholders. Removing one also removes the mount on it in another session's sandbox, so
 * every process has to know about all others; and the list of a killed process shows what it left.
 */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "#lib/json.ts"
import { isGone, isOwned, ownerName } from "./owner.ts"
import type { ReadOnlyLine } from "./policy.ts"
import { codeOf } from "#lib/error-code.ts"
import { textOfFile } from "#lib/quietly.ts"

export type Placeheld = Required<Pick<ReadOnlyLine, "path" | "placeholder">>

export interface Others {
  /** Paths that other live processes need. */
  readonly needed: ReadonlySet<string>
  /** Leftovers of dead processes that no one needs. */
  readonly left: readonly Placeheld[]
}

export interface Holders {
  /** Runs `act` with an exclusive lock, and records what we need from then on. */
  readonly alone: (act: (others: Others) => readonly Placeheld[]) => void
}

/** Sessions of one process have a list each. */
export function openHolders({ folder, id }: { readonly folder: string; readonly id: string }): Holders {
  const own = `${ownerName()}.${id}`

  return {
    alone(act) {
      const unlock = lock(folder, own)
      try {
        const lists = readdirSync(folder).filter((name) => isOwned(name) && name !== own)
        const gone = lists.filter(isGone)
        const needed = new Set(
          lists.filter((name) => !gone.includes(name)).flatMap((name) => listed(folder, name).map(({ path }) => path)),
        )
        const left = gone.flatMap((name) => listed(folder, name)).filter(({ path }) => !needed.has(path))
        const ours = act({ needed, left })
        if (ours.length > 0) writeFileSync(join(folder, own), JSON.stringify(ours), { mode: 0o600 })
        else rmSync(join(folder, own), { force: true })
        for (const name of gone) rmSync(join(folder, name), { force: true })
      } finally {
        unlock()
      }
    },
  }
}

const tries = 50_000

/** Others need it for less than a millisecond, so just retry. */
function lock(folder: string, own: string): () => void {
  const path = join(folder, "lock")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (let i = 0; ; i++) {
    try {
      writeFileSync(path, own, { flag: "wx", mode: 0o600 })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (codeOf(error) !== "EEXIST" || i === tries) throw error
      const owner = textOfFile(path) ?? ""
      if (isOwned(owner) && isGone(owner) && (textOfFile(path) ?? "") === owner) rmSync(path, { force: true })
    }
  }
}

function listed(folder: string, name: string): readonly Placeheld[] {
  try {
    const lines: unknown = JSON.parse(textOfFile(join(folder, name)) ?? "")
    return Array.isArray(lines) ? lines.flatMap(decoded) : []
  } catch {
    return []
  }
}

function decoded(line: unknown): readonly Placeheld[] {
  if (!isObject(line) || typeof line["path"] !== "string" || !isObject(line["placeholder"])) return []
  const { path, placeholder } = line
  if (placeholder["kind"] === "folder") return [{ path, placeholder: { kind: "folder" } }]
  const text = placeholder["text"]
  return typeof text === "string" ? [{ path, placeholder: { kind: "file", text } }] : []
}
