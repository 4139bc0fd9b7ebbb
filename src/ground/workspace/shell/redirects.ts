/** Redirections: which files they read and write, with targets that must be literal. */

import type { HereDoc, HereString, Redirect, Redirection } from "unbash"
import { type Argument, exactly, isListed } from "./argument.ts"
import { type Decoder, piecesInText } from "./pieces.ts"
import type { Reading } from "./reading.ts"
import { emptySegment } from "./segment.ts"
import type { State } from "./state.ts"
import { readWord } from "./word.ts"
import { touched } from "./paths.ts"

export interface Redirects {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly unbounded: boolean
}

/** In the folder in which the shell opens them, which is the one before the command runs. */
export function readRedirects(list: readonly Redirection[], state: State, reading: Reading): Redirects {
  const decoder: Decoder = { reading, state }
  const reads: Argument[] = []
  const writes: Argument[] = []
  for (const redirection of list) {
    switch (redirection.type) {
      case "HereDoc":
        readBody(redirection, decoder)
        break
      case "HereString":
        readText(redirection, decoder)
        break
      case "Redirect": {
        const target = readTarget(redirection, decoder)
        if (target?.reads) reads.push(target.argument)
        if (target?.writes) writes.push(target.argument)
      }
    }
  }
  const read = touched(reads, state.folders, reading.place)
  const written = touched(writes, state.folders, reading.place)
  return { reads: read.paths, writes: written.paths, unbounded: read.unbounded || written.unbounded }
}

/** Whether redirections leave input and output as they are: errors discarded, and nothing else. */
export function areQuiet(list: readonly Redirection[], { source }: Reading): boolean {
  return list.every(({ pos, end }) => /^2>>?[ \t]*\/dev\/null$/.test(source.slice(pos, end)))
}

/** Whether output goes where it would have gone, and nothing is mixed into it. */
export function keepsOutput(list: readonly Redirection[], { source }: Reading): boolean {
  return list.every(
    (each) =>
      each.type !== "Redirect" ||
      (each.operator === "<" && !each.descriptor) ||
      /^2>>?[ \t]*\/dev\/null$/.test(source.slice(each.pos, each.end)),
  )
}

/** Redirections around a group: a part of their own, since they apply to everything in it. */
export function walkRedirects(list: readonly Redirection[], state: State, reading: Reading): void {
  const found = readRedirects(list, state, reading)
  const [first] = list
  const last = list.at(-1)
  if (!first || !last || (found.reads.length === 0 && found.writes.length === 0 && !found.unbounded)) return
  const isWrite = found.writes.length > 0
  reading.add({
    ...emptySegment(reading.source.slice(first.pos, last.end), state),
    ...found,
    verdict: isWrite ? "touches_files" : "read_only",
    harmless: isWrite,
    ...(isWrite && { why: "it writes a file" }),
  })
}

interface Target {
  readonly argument: Argument
  readonly reads: boolean
  readonly writes: boolean
}

function readTarget(redirect: Redirect, decoder: Decoder): Target | undefined {
  const { reading } = decoder
  const { operator, descriptor, target, pos } = redirect
  const start = descriptor?.end ?? pos
  if (!target || reading.gap(start, target.pos) !== operator || descriptor?.type === "FileDescriptorVariable") {
    reading.doubt("a redirection is not read whole")
    return undefined
  }
  if (/^[<>]\(/.test(target.text)) return readPipe(redirect, decoder)
  const [found, ...others] = readWord(target, "split", decoder)
  // One of several files, such as a loop goes through, may be read; where output goes must be written out.
  const isOneOfSome = found?.kind === "glob" || (found?.kind === "dynamic" && isListed(found))
  if (operator === "<" && !descriptor && found && isOneOfSome && !found.many && others.length === 0)
    return { argument: found, reads: true, writes: false }
  const path = found?.kind === "exact" && others.length === 0 ? found.text : undefined
  if (path === undefined || path === "") {
    reading.doubt("a redirection goes where nobody can say")
    return undefined
  }
  const duplicates = operator === ">&" || operator === "<&"
  if (duplicates && /^(?:\d+|-)$/.test(path)) return undefined
  // Bash reads `>&-x` as closing, and then a word.
  if (operator === "<&" || (duplicates && (descriptor || /^[\d-]/.test(path)))) {
    reading.doubt("a redirection copies a descriptor in an unusual way")
    return undefined
  }
  if (/^\/dev\/(?:tcp|udp|fd)(?:\/|$)/.test(path)) {
    reading.doubt("a redirection opens a connection or another descriptor")
    return undefined
  }
  const reads = operator === "<" || operator === "<>"
  const writes = operator !== "<"
  if (standard.has(path)) return undefined
  return { argument: exactly(path), reads, writes }
}

/** Where output may go without writing a file. */
const standard: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"])

/** `< <(command)`: the command is walked, and nothing else is touched. */
function readPipe({ operator, target }: Redirect, decoder: Decoder): undefined {
  const [argument] = target ? readWord(target, "split", decoder) : []
  if (operator !== "<" || argument?.kind !== "pipe") decoder.reading.doubt("a redirection goes into a command")
}

function readBody({ body, delimiter }: HereDoc, decoder: Decoder): void {
  if (delimiter?.quoted) return
  if (body.parts) piecesInText(body.parts, decoder)
  else if (/[`]|\$[\w({@*#?$!-]/.test(body.text.replace(/\\[^]/g, "")))
    decoder.reading.doubt("a here-document is not read whole")
}

function readText({ target }: HereString, decoder: Decoder): void {
  if (target) readWord(target, "whole", decoder)
  else decoder.reading.doubt("a here-string has no text")
}
