/** The files and folders that a prompt mentions with @: shown with it, as if they had been read. */

import type { Entry } from "#agent/words/entry.ts"
import { byKind } from "#agent/words/follower.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { textOf } from "#agent/words/message.ts"
import { mentioningText } from "#agent/words/prompt-text.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { SeenFile } from "#agent/words/seen.ts"
import type { Outcome } from "#agent/words/tool.ts"
import type { Result } from "#lib/result.ts"
import { mentionName, seenInAttachment } from "./seen-in.ts"

export interface Mention {
  readonly path: string
  readonly from?: number
  readonly to?: number
}

/** Who names a file: a person may name any, a project's command only files in the workspace. */
export type MentionedBy = "person" | "project"

/** What a path leads to. `elsewhere`: out of the workspace, by a link or where the project may not lead. */
export type MentionKind = "file" | "folder" | "elsewhere"

export interface MentionPorts {
  readonly kindOf: (path: string, by: MentionedBy) => MentionKind | undefined
  /** Reads like the tools do; `seen` says what the model will know if it is shown. */
  readonly read: (
    path: string,
    lines: { readonly offset?: number; readonly limit?: number },
    signal: AbortSignal,
  ) => Promise<Outcome>
  /** These files were shown: they count as read. */
  readonly shown: (seen: readonly SeenFile[]) => void
  readonly list: (path: string, signal: AbortSignal) => Promise<Outcome>
  /** The content of `server:address`; undefined if there is no such server. */
  readonly resource?: (server: string, uri: string, signal: AbortSignal) => Promise<Result<string, string> | undefined>
  readonly agents?: () => readonly string[]
}

const agentIn = (path: string, agents: readonly string[]): string | undefined =>
  path.startsWith("agent-") ? agents.find((name) => path === `agent-${name}`) : undefined

type PromptEntry = Entry & { readonly kind: "prompt" }

const mostMentions = 20
const mostCharacters = 200_000

export function mentionsKit({ kindOf, read, shown, list, resource, agents }: MentionPorts): Kit {
  /** Looked into only when a request is made: nearly all that a resume reads were answered. */
  let waiting: readonly PromptEntry[] = []

  async function show(mention: WaitingMention, signal: AbortSignal): Promise<ShownMention | string | undefined> {
    const { path, from, to, by } = mention
    const agent = agentIn(path, agents?.() ?? [])
    if (agent !== undefined) return `The user wants the ${agent} agent for this: start it with Task.`
    const kind = kindOf(path, by)
    if (kind === undefined) return by === "person" ? showResource(path, signal) : undefined
    if (kind === "elsewhere")
      return `${by === "person" ? "The user" : "The command"} mentioned ${path}, which leads out of the workspace and is not shown. Read it if it is needed.`
    if (kind === "folder")
      return `The user mentioned the folder ${path}:\n${textOf((await list(path, signal)).content)}`
    const lines = {
      ...(from !== undefined && { offset: from }),
      ...(from !== undefined && to !== undefined && { limit: to - from + 1 }),
    }
    const outcome = await read(path, lines, signal)
    const text = textOf(outcome.content)
    if (outcome.isError) return `The user mentioned ${path}, which could not be shown: ${text}`
    const media = typeof outcome.content !== "string" && outcome.content.some(({ type }) => type !== "text")
    if (media) return `The user mentioned ${path}, which is no text. Read it to see it.`
    return { text: `The user mentioned ${path}; this is what Read shows of it:\n${text}`, seen: outcome.seen ?? [] }
  }

  async function showResource(path: string, signal: AbortSignal): Promise<string | undefined> {
    const [, server, uri] = /^([^:]+):(.+)$/.exec(path) ?? []
    if (server === undefined || uri === undefined) return undefined
    const got = await resource?.(server, uri, signal)
    if (got === undefined) return undefined
    return got.ok
      ? `The user mentioned the resource ${path}; this is what the server holds:\n${got.value}`
      : `The user mentioned the resource ${path}, which could not be read: ${got.failure}`
  }

  return {
    name: mentionName,
    isAwaited: true,
    onEntry: byKind({
      prompt: (entry) => void (waiting = [...waiting, entry]),
      // Once shown or answered, it is done: also when an old log is replayed.
      attachment(entry) {
        if (entry.name !== mentionName) return
        waiting = []
        shown(seenInAttachment(entry))
      },
      reply: () => void (waiting = []),
    }),
    attachments(signal) {
      const mentioned = waiting.flatMap(mentionsOf).slice(-mostMentions)
      return mentioned.length === 0 ? [] : showAll(mentioned, signal)
    },
  }

  async function showAll(mentioned: readonly WaitingMention[], signal: AbortSignal): Promise<readonly Attachment[]> {
    const attachments: Attachment[] = []
    let room = mostCharacters
    for (const mention of mentioned) {
      const showing = await show(mention, signal)
      if (showing === undefined) continue
      const { text, seen } = typeof showing === "string" ? { text: showing, seen: [] } : showing
      const whole = escapeImitations(text)
      const fits = whole.length <= room
      room -= whole.length
      attachments.push(
        fits
          ? { name: mentionName, text: whole, ...(seen.length > 0 && { data: { seen } }) }
          : {
              name: mentionName,
              text: `The user mentioned ${mention.path}; there was no room left to show it. Read it.`,
            },
      )
    }
    waiting = []
    return attachments
  }
}

interface ShownMention {
  readonly text: string
  readonly seen: readonly SeenFile[]
}

interface WaitingMention extends Mention {
  readonly by: MentionedBy
}

/** Each once; the user's own mention wins. */
function mentionsOf(entry: PromptEntry): readonly WaitingMention[] {
  const { person, project } = mentioningText(entry)
  const typed = mentionsIn(person).map((mention): WaitingMention => ({ ...mention, by: "person" }))
  const isTyped = ({ path, from, to }: Mention): boolean =>
    typed.some((one) => one.path === path && one.from === from && one.to === to)
  const others = mentionsIn(project).filter((mention) => !isTyped(mention))
  return [...typed, ...others.map((mention): WaitingMention => ({ ...mention, by: "project" }))]
}

/** Every mention in a text, in order, each once: `@path`, `@"path with spaces"`, with `#L10` or `#L10-20` after it. */
export function mentionsIn(text: string): readonly Mention[] {
  if (!text.includes("@")) return []
  const found = new Map<string, Mention>()
  for (const match of text.matchAll(/(?<![^\s([{"'`,;])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'`]+))(#L\d+(?:-L?\d+)?)?/g)) {
    const quoted = match[1] ?? match[2]
    const [path = "", lines = match[4]] = quoted === undefined ? splitLines(match[3] ?? "") : splitLines(quoted)
    if (path === "") continue
    const mention = { path, ...rangeIn(lines) }
    found.set(JSON.stringify(mention), mention)
  }
  return [...found.values()]
}

/** The path without line numbers and without trailing punctuation. */
function splitLines(written: string): readonly [string, string?] {
  const match = /^(.*?)(#L\d+(?:-L?\d+)?)[.,;:!?)\]}]*$/.exec(written)
  if (match) return [match[1] ?? "", match[2] ?? ""]
  return [written.replace(/[.,;:!?)\]}]+$/, "")]
}

function rangeIn(lines: string | undefined): Omit<Mention, "path"> {
  const match = /^#L(\d+)(?:-L?(\d+))?$/.exec(lines ?? "")
  if (!match) return {}
  const from = Math.max(1, Number(match[1]))
  const to = Number(match[2] ?? match[1])
  return to < from ? { from, to: from } : { from, to }
}
