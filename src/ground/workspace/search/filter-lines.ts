/**
 * Filters a command's output by a regular expression. ripgrep does the matching: its patterns take time linear in the
 * text, while one unlucky pattern in the runtime's own engine could block everything.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { headAndTail } from "#lib/head-and-tail.ts"
import type { Ids } from "#lib/ids.ts"
import { readableOutput } from "#lib/readable-output.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Output } from "#ground/workspace/processes/output.ts"
import type { Ripgrep, SearchFailure } from "./ripgrep.ts"

export interface LineFilter {
  /** The failure has ripgrep's own words. */
  readonly check: (pattern: string, signal: AbortSignal) => Promise<Result<void, SearchFailure>>
  /** The matching lines: of the full output if it is kept in a file, otherwise of what is in memory. */
  readonly pick: (picking: Picking) => Promise<Result<string, SearchFailure>>
}

export interface Picking {
  readonly output: Output
  /** The file with the full output, if there is one. */
  readonly whole: string | undefined
  readonly pattern: string
  /** At most this many characters are returned. */
  readonly characters: number
  readonly signal: AbortSignal
}

export interface LineFilterOptions {
  readonly ripgrep: Ripgrep
  readonly ids: Ids
  readonly scratch: string
}

/** Only this much of the newest output is searched; the rest is in the file. */
const mostBytes = 16_000_000
const mostFound = 1_000_000
const timeoutMs = 10_000

export function openLineFilter({ ripgrep, ids, scratch }: LineFilterOptions): LineFilter {
  const search = (pattern: string, path: string, signal: AbortSignal) =>
    ripgrep({
      argv: ["--text", "--no-line-number", "--no-filename", "--no-heading", "--crlf", "-e", pattern, "--", path],
      cwd: "/",
      timeoutMs,
      mostBytes: mostFound,
      signal,
    })

  return {
    async check(pattern, signal) {
      const found = await search(pattern, "/dev/null", signal)
      return found.ok ? ok(undefined) : found
    },
    async pick({ output, whole, pattern, characters, signal }) {
      const path = join(scratch, `lines-${ids.uuid()}`)
      const { text, isPart } = await textOf(output, whole)
      try {
        mkdirSync(scratch, { recursive: true, mode: 0o700 })
        writeFileSync(path, text, { mode: 0o600 })
      } catch (error) {
        return failed({ kind: "unavailable", message: error instanceof Error ? error.message : String(error) })
      }
      const found = await search(pattern, path, signal)
      rmSync(path, { force: true })
      if (!found.ok) return found
      const rest = isPart || found.value.cut !== "no"
      const note = rest && output.file !== undefined ? `\n[Not all of it was looked through; Grep ${output.file}.]` : ""
      return ok(bounded(found.value.text, characters) + note)
    },
  }
}

async function textOf(output: Output, whole: string | undefined): Promise<{ text: string; isPart: boolean }> {
  if (whole === undefined) return { text: output.text, isPart: false }
  const end = output.from + output.bytes
  const start = Math.max(output.from, end - mostBytes)
  try {
    const bytes = await Bun.file(whole).slice(start, end).bytes()
    const text = readableOutput(Buffer.from(bytes).toString("utf8"))
    const isPart = start > output.from
    return { text: isPart ? text.slice(text.indexOf("\n") + 1) : text, isPart }
  } catch {
    // Someone removed the file.
    return { text: output.text, isPart: false }
  }
}

function bounded(text: string, characters: number): string {
  if (text.length <= characters) return text
  return headAndTail(text, text, characters, "[Some of the lines that fit are left out here.]")
}
