/** The notes of an agent: a folder that it reads from at its start and may write to, and nothing wider than that. */

import type { Attachment, Kit } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { optional } from "#lib/optional.ts"
import type { AgentDefinition } from "./definition.ts"

export interface Notes {
  readonly folder: string
  /** What MEMORY.md says; nothing where there is none. */
  readonly text: string | undefined
}

export const notesName = (agentType: string): string => agentType.replaceAll(/[^\p{L}\p{N}\p{M}._-]/gu, "-")

/** The agent with what it needs to keep notes. Tools that it did not have before work in the folder alone. */
export function withNotes(definition: AgentDefinition, folder: string): AgentDefinition {
  const { tools, limits = [], systemPrompt, onlyReads } = definition
  const instructedAgent = {
    ...definition,
    systemPrompt: `${systemPrompt}\n\n${onlyReads ? readWords : keepWords(folder)}`,
  }
  if (tools === undefined || onlyReads) return instructedAgent
  const isFree = (tool: string): boolean => tools.includes(tool) && !limits.some((rule) => rule.startsWith(`${tool}(`))
  const writers = ["Write", "Edit"]
  const readers = ["Read", "Grep", "Glob", "LS"]
  // A rule about one of these tools is about the others too, and must not narrow what it has.
  const added = [...(writers.some(isFree) ? [] : writers), ...(readers.some(isFree) ? [] : ["Read"])]
  return {
    ...instructedAgent,
    tools: [...new Set([...tools, ...added])],
    ...optional(
      "limits",
      added.length === 0 ? definition.limits : [...limits, ...added.map((tool) => ruleFor(tool, folder))],
    ),
  }
}

const ruleFor = (tool: string, folder: string): string => `${tool}(/${folder}/**)`

const mostLines = 200
const mostCharacters = 25_000

export function notesKit({ folder, text }: Notes): Kit {
  let isGiven = false
  return {
    name: notesAttachment,
    conversation: {
      onEntry: (entry) => void (isGiven ||= entry.kind === "attachment" && entry.name === notesAttachment),
      reset: () => void (isGiven = false),
    },
    attachments(): readonly Attachment[] {
      if (isGiven || text === undefined || text.trim() === "") return []
      isGiven = true
      const words = `Your notes from earlier runs, ${folder}/MEMORY.md:\n\n${shortened(text)}`
      return [{ name: notesAttachment, text: escapeImitations(words) }]
    },
  }
}

const notesAttachment = "agent_memory"

function shortened(text: string): string {
  const lines = text.split("\n")
  const shown = lines.slice(0, mostLines).join("\n").slice(0, mostCharacters).toWellFormed()
  return shown.length === text.length ? text : `${shown}\n[Cut here. Read the file for the rest, and make it shorter.]`
}

const keepWords = (folder: string): string =>
  `You keep notes for later runs in ${folder}. You may write there without asking. When you start you are shown MEMORY.md of that folder, at most its first ${mostLines} lines, so keep it short: one line for each thing worth knowing, and details in files next to it. Before you finish, note what will help next time and remove what is no longer true.`

const readWords = "When you start you are shown your notes from earlier runs. You cannot change them."
