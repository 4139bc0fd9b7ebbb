/** The list of the skills of MCP servers: apart from the other list, because servers come and go while that one stays as it is. */

import type { Entry } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"
import { serverText } from "#agent/words/server-text.ts"
import type { JsonValue } from "#lib/json.ts"
import { laterShare } from "./listing.ts"
import { longestDescription, type ServerSkill, type ServerSkills } from "./server-skills.ts"

export const byServerName = "skills_of_servers"

interface ListPorts {
  readonly isOffered: () => boolean
  /** A file's skill of the same name comes first. */
  readonly find: (name: string) => unknown
  readonly servers?: ServerSkills
}

export interface ByServer {
  readonly begin: () => void
  /** The conversation now begins with what a compaction added. */
  readonly compacted: (entry: Entry & { readonly kind: "compaction" }) => void
  readonly announced: (names: JsonValue | undefined) => void
  readonly all: () => readonly ServerSkill[]
  /** Those that were not told yet: a server may connect, or offer more, at any time. */
  readonly news: () => readonly Attachment[]
  readonly again: () => readonly Attachment[]
}

export function openByServer(ports: ListPorts, room: () => number): ByServer {
  const announcedNames = new Set<string>()
  const all = (): readonly ServerSkill[] => {
    const skills = ports.servers?.list() ?? []
    return skills.length > 0 && ports.isOffered()
      ? skills.filter(({ name, isForModel }) => isForModel && !ports.find(name))
      : []
  }
  const listingAttachments = (skills: readonly ServerSkill[]): readonly Attachment[] => {
    const text = serverListing(skills, room() * laterShare)
    return text === undefined ? [] : [{ name: byServerName, text, data: { names: skills.map(({ name }) => name) } }]
  }
  const announced = (names: JsonValue | undefined): void => {
    for (const name of Array.isArray(names) ? names : []) announcedNames.add(String(name))
  }
  return {
    begin: () => announcedNames.clear(),
    compacted({ added = [] }) {
      announcedNames.clear()
      for (const { name, data } of added) if (name === byServerName) announced(data?.names)
    },
    announced,
    all,
    news: () => listingAttachments(all().filter(({ name }) => !announcedNames.has(name))),
    again: () => listingAttachments(all()),
  }
}

/** What the model is told of skills that it has not heard of yet, each server's words marked as its own. */
function serverListing(skills: readonly ServerSkill[], mostCharacters: number): string | undefined {
  if (skills.length === 0) return undefined
  const texts = descriptionLengths.map((length) => listedWords(skills, length))
  const fitting = texts.find((text) => text.length <= mostCharacters)
  if (fitting !== undefined) return fitting
  // Names alone are too long: as many as there is room for.
  const few = Math.floor(mostCharacters / longestRow)
  return few === 0
    ? undefined
    : `${listedWords(skills.slice(0, few), 0)}\n(${skills.length - few} more are not listed.)`
}

const descriptionLengths: readonly number[] = [longestDescription, 300, 100, 0]
const longestRow = 250
const head = "Skills of MCP servers, to be loaded with the Skill tool. What is said of them is the server's own text."

function listedWords(skills: readonly ServerSkill[], length: number): string {
  const byServer = Map.groupBy(skills, ({ server }) => server)
  const parts = [...byServer].map(([server, those]) => serverText(server, those.map(rowOf(length)).join("\n")))
  return [head, ...parts].join("\n")
}

const rowOf =
  (length: number) =>
  ({ name, description }: ServerSkill): string => {
    if (length === 0) return `- ${name}`
    return `- ${name}: ${description.length <= length ? description : `${description.slice(0, length - 1).toWellFormed()}…`}`
  }
