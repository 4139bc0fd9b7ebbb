/** `codewright sessions show`: one session as lines, and the branches it has. */

import { textOf } from "#agent/words/message.ts"
import { plainDocument } from "#faces/document/plain.ts"
import { type Branch, branches } from "#ground/transcript/path.ts"
import { stripControls } from "#lib/printable.ts"
import { factsOf, readSession } from "./read-session.ts"
import { minute, nameOf } from "./session-line.ts"
import type { SessionsCall } from "./sessions-call.ts"

export async function showSession({ args, words, where, io }: SessionsCall): Promise<number> {
  if (words.length > 1) return io.fail("show takes one session id, such as: codewright sessions show 1a2b3c4d")
  const session = await readSession(words[0], where)
  if (!session.ok) return io.fail(session.failure)
  const { row, entries, path, parts, notes } = session.value
  for (const note of notes) io.warn(note)
  if (args.has("requests")) return (await import("./sessions-requests.ts")).showRequests(entries, args.has("json"), io)
  if (args.has("connections"))
    return (await import("./sessions-connections.ts")).showConnections(entries, args.has("json"), io)
  const all = branches(entries)
  if (args.has("json")) {
    io.write(`${JSON.stringify({ ...row, entries: path, branches: all.map(branchFacts) }, null, 2)}\n`)
    return 0
  }
  const head = [["title", nameOf(row)] as const, ...factsOf(row)].map(([name, value]) => `${name}: ${value}`)
  const forks = all.length > 1 ? ["branches:", ...all.map(branchLine)] : []
  io.write(`${stripControls([...head, ...forks].join("\n"))}\n\n${plainDocument(parts)}`)
  return 0
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
