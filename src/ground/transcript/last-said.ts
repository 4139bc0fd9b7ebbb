/** The last things that were said in a log, from its end: however long it is, little of it is read. */

import { closeSync, fstatSync, openSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { endOfLines, linesBackwards, textOf } from "./backwards.ts"
import { decodeEntry } from "./line.ts"
import { unsealed } from "./seal.ts"

/** Further up nobody looks for them. */
const mostBytes = 16 * 1024 * 1024

/** Prompts and answers in words, oldest first. None where the log cannot be read. */
export function lastSaidIn(path: string, most: number): readonly Entry[] {
  let fd: number | undefined
  try {
    fd = openSync(path, "r")
    const end = endOfLines(fd, fstatSync(fd).size)
    const said: Entry[] = []
    for (const { at, bytes } of linesBackwards(fd, end)) {
      if (said.length === most || end - at > mostBytes) break
      if (!/"type":"(?:user|assistant)"/.test(bytes.toString("latin1", 0, 8192))) continue
      const line = unsealed(textOf(bytes))
      const entry = line && decodeEntry(line)
      if (entry && isSaid(entry)) said.push(entry)
    }
    return said.toReversed()
  } catch {
    return []
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const isSaid = (entry: Entry): boolean =>
  entry.kind === "prompt" || (entry.kind === "reply" && entry.block.type === "text")
