/**
 * Results that were left out of the conversation to make room are named by a file that does not exist yet: the log has
 * them. Whoever asks for such a file gets it written from the log.
 */

import { closeSync, existsSync, fstatSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import type { ResultContent } from "#agent/words/message.ts"
import { endOfLines, textOf } from "./backwards.ts"
import { linesFrom } from "./forwards.ts"
import { decodeEntry } from "./line.ts"
import { unsealed } from "./seal.ts"

const plainId = /^[A-Za-z0-9_-]+$/

/** Where a result of the session is found when it is asked for; undefined if the file has to be written at once. */
export function askedResultPath(sessionFolder: string, callId: string): string | undefined {
  return plainId.test(callId) ? join(sessionFolder, "results", `${callId}.txt`) : undefined
}

/** As a tool is given it, and in a command line. */
const wholePath = /^\/.*\/results\/[A-Za-z0-9_-]+\.txt$/
const pathShape = /\/[^\s'"`;|&<>()$*?\\]*\/results\/[A-Za-z0-9_-]+\.txt/g

/** The files of results that a text names, below the folder of all sessions. */
export function askedPaths(text: string, projects: string): readonly string[] {
  if (!text.includes("/results/")) return []
  const paths = wholePath.test(text) ? [text] : [...text.matchAll(pathShape)].map(([path]) => path)
  return paths.map((path) => normalize(path)).filter((path) => path.startsWith(`${projects}/`))
}

/** Does nothing where the file is there already, or the log has no such result. */
export function writeAskedResult(path: string, textIn: (content: ResultContent) => string): void {
  if (existsSync(path)) return
  const folder = dirname(dirname(path))
  const content = resultIn(`${folder}.jsonl`, path.slice(dirname(path).length + 1, -".txt".length))
  if (content === undefined) return
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, textIn(content), { mode: 0o600, flag: "wx" })
  } catch {
    // Then the tool says that there is no such file.
  }
}

/** The call is named near the beginning of its result's line. */
const nearBytes = 8192

function resultIn(log: string, callId: string): ResultContent | undefined {
  let fd: number | undefined
  try {
    fd = openSync(log, "r")
    const end = endOfLines(fd, fstatSync(fd).size)
    for (let from = 0; from < end;) {
      const { lines, read } = linesFrom(fd, from, end)
      from += read
      for (const bytes of lines) {
        if (!bytes.subarray(0, nearBytes).includes(`"type":"tool_result","tool_use_id":"${callId}"`)) continue
        const line = unsealed(textOf(bytes))
        const entry = line && decodeEntry(line)
        if (entry?.kind === "result" && entry.callId === callId) return entry.content
      }
    }
    return undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
