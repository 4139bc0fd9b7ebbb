/** Every line of a session's logs, told to a client that keeps sessions in a store of its own. */

import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import type { LogCopy } from "#ground/transcript/log.ts"
import { unsealed } from "#ground/transcript/seal.ts"
import { ok } from "#lib/result.ts"

export interface MirrorParts {
  readonly send: (message: object) => void
  /** Where the logs are, and where the client believes them to be: it knows a session by its path. */
  readonly state: string
  readonly claimed: string
  /** A fork begins with lines that the store has under another name only. */
  readonly begins: "empty" | "copied"
}

export function openMirror({ send, state, claimed, begins }: MirrorParts): LogCopy {
  let isWhole = begins === "empty"
  return {
    add(path, line) {
      const lines = isWhole ? [line] : linesIn(path)
      isWhole = true
      // A store may give the fields back in another order, which no checksum survives.
      const entries = lines.flatMap((text) => {
        const { sum: _sum, ...entry } = unsealed(text) ?? {}
        return Object.keys(entry).length === 0 ? [] : [entry]
      })
      send({ type: "transcript_mirror", filePath: join(claimed, relative(state, path)), entries })
    },
    // The file is what counts; the client reports what its store did not take.
    arrived: async () => ok(undefined),
  }
}

const linesIn = (path: string): readonly string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
