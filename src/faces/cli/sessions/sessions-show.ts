/** `codewright sessions show`: one session as lines, and the branches it has. */

import { textOf } from "#agent/words/message.ts"
import { partsOf } from "#faces/document/parts.ts"
import { plainDocument } from "#faces/document/plain.ts"
import type { Branch } from "#ground/transcript/path.ts"
import { stripControls } from "#lib/printable.ts"
import { jsonPieces } from "./json-pieces.ts"
import { factsOf, openStored, type StoredSession } from "./read-session.ts"
import { minute, nameOf } from "./session-line.ts"
import type { SessionsCall } from "./sessions-call.ts"

export async function showSession(call: SessionsCall): Promise<number> {
  const { args, words, where, io } = call
  if (words.length > 1) return io.fail("show takes one session id, such as: codewright sessions show 1a2b3c4d")
  const session = await openStored(words[0], where)
  if (!session.ok) return io.fail(session.failure)
  const { row, log } = session.value
  for (const note of log.notes) io.warn(note)
  if (args.has("requests")) return (await import("./sessions-requests.ts")).showRequests(log, args.has("json"), io)
  if (args.has("connections"))
    return (await import("./sessions-connections.ts")).showConnections(log.ofKinds("connection"), args.has("json"), io)
  const all = log.branches()
  const pieces = args.has("json")
    ? jsonPieces(row, log.conversation(), { branches: all.map(branchFacts) })
    : plainPieces(session.value, all)
  for (const text of pieces) {
    io.write(text)
    await io.flushed()
  }
  return 0
}

function* plainPieces({ row, log }: StoredSession, all: readonly Branch[]): Generator<string> {
  const head = [["title", nameOf(row)] as const, ...factsOf(row)].map(([name, value]) => `${name}: ${value}`)
  const forks = all.length > 1 ? ["branches:", ...all.map(branchLine)] : []
  yield `${stripControls([...head, ...forks].join("\n"))}\n`
  for (const { entries, isAfterGap } of log.conversation()) {
    const text = plainDocument(partsOf(entries, isAfterGap))
    if (text !== "") yield `\n${text}`
  }
}

const branchFacts = ({ tip, prompt, at, length, isCurrent }: Branch) => ({
  tip,
  prompt: prompt ? textOf(prompt.content) : undefined,
  at,
  length,
  isCurrent,
})

const branchLine = ({ prompt, at, length, isCurrent }: Branch): string => {
  const words = prompt ? textOf(prompt.content).replaceAll(/\s+/g, " ").slice(0, 70) : "(no new prompts)"
  return `  ${isCurrent ? "*" : " "} ${minute(at)}  ${length} ${length === 1 ? "prompt" : "prompts"}, from: ${words}`
}
