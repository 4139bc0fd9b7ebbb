/** What the memory kits need from a session: files beside the log, the rules that hide, and the notes of earlier sessions. */

import { dirname, join } from "node:path"
import { openPlanFiles } from "#ground/transcript/plan-files.ts"
import { textFiles } from "#ground/workspace/text-files.ts"
import type { Kit } from "#agent/words/kit.ts"
import { relevantMemoryKit } from "#kits/memory/relevant.ts"
import type { Note } from "#kits/memory/rank.ts"
import type { MemoryState, MemoryStore } from "#kits/memory/coverage.ts"
import { type SessionMemory, sessionMemoryKit, type SessionMemoryPorts } from "#kits/memory/session-memory.ts"
import { ruleText } from "#kits/permissions/rules/rule.ts"
import { notesIndex, sessionMemoryFile } from "./memory.ts"
import { objectIn } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { SessionRules } from "#session/opening/rules.ts"

const stateName = "memory.json"

export interface MemoryKits {
  readonly session: SessionMemory | undefined
  readonly relevant: Kit | undefined
}

export interface MemoryKitParts
  extends Pick<SessionOptions, "memory" | "sandbox" | "ids" | "log">, Omit<SessionMemoryPorts, "store" | "rules"> {
  readonly rules: SessionRules
  readonly sessionFolder: string
  readonly isHidden: (path: string) => boolean
}

/** `memory.session` is off for agents and where nothing is kept. */
export function openMemoryKits(parts: MemoryKitParts): MemoryKits {
  const { memory, sessionFolder, rules } = parts
  const hiding = hidingRules(parts)
  const keeps = memory?.session === true && parts.log.kind !== "none"
  const session = keeps
    ? sessionMemoryKit({ ...parts, rules: hiding, store: openStore(sessionFolder, parts.ids) })
    : undefined
  if (session) rules.onChange(session.checkRules)
  const folder = memory?.notesFolder
  if (!keeps && folder === undefined) return { session, relevant: undefined }
  const notes = (): readonly Note[] =>
    [
      ...(folder === undefined ? [] : notesIn(folder)),
      ...(keeps ? earlierSessions(sessionFolder, parts.ids, hiding()) : []),
    ].filter(({ path }) => !parts.isHidden(path))
  const begun = hiding()
  const isClosed = (): boolean => session?.isClosed() === true || hiding().some((rule) => !begun.includes(rule))
  return { session, relevant: relevantMemoryKit({ notes, folder, isClosed, isAwake: parts.isAwake }) }
}

/** Rules from settings and the session that keep the model from reading files. */
function hidingRules({ rules, sandbox }: Pick<MemoryKitParts, "rules" | "sandbox">): () => readonly string[] {
  const walls = (sandbox?.values.filesystem?.denyRead ?? []).map((path) => `denyRead ${path}`)
  return () => [
    ...walls,
    ...rules
      .now()
      .flatMap((rule) =>
        rule.behavior === "deny" && rule.matter.kind === "path" ? [`${ruleText(rule)} ${rule.base ?? ""}`.trim()] : [],
      ),
  ]
}

function openStore(folder: string, ids: Ids): MemoryStore {
  const files = openPlanFiles({ ids })
  const [textFile, stateFile] = [sessionMemoryFile(folder), join(folder, stateName)]
  return {
    read() {
      const kept = files.read(stateFile)
      const state = kept.ok && kept.value !== undefined ? stateIn(kept.value) : undefined
      if (!state) return undefined
      const text = files.read(textFile)
      return { state, text: text.ok ? (text.value ?? "") : "" }
    },
    write(state, text) {
      if (text === undefined) return files.write(stateFile, JSON.stringify(state))
      // The text first when it is removed, or a crash would leave it with a state that does not fit.
      const written = files.write(textFile, text)
      return written.ok ? files.write(stateFile, JSON.stringify(state)) : written
    },
  }
}

/** Undefined for anything that is not whole: then there is no memory. */
function stateIn(text: string): MemoryState | undefined {
  const { tip, covered, rules, gap, closed } = objectIn(text) ?? {}
  if (typeof tip !== "string" || typeof covered !== "number" || !Array.isArray(rules)) return undefined
  const named = rules.filter((rule) => typeof rule === "string")
  if (named.length !== rules.length) return undefined
  return {
    tip,
    covered,
    rules: named,
    ...optional("gap", typeof gap === "string" ? gap : undefined),
    ...(closed === true && { closed }),
  }
}

const mostFiles = 200

/** Topics; the index is loaded at the start. */
const notesIn = (folder: string): readonly Note[] =>
  textFiles
    .names(folder)
    .filter((name) => name.endsWith(".md") && name !== notesIndex)
    .slice(0, mostFiles)
    .flatMap((name) => {
      const path = join(folder, name)
      const text = textFiles.read(path)?.text
      return text === undefined ? [] : [{ path, text }]
    })

/** Of this project, as far as they were written under the rules of now. */
function earlierSessions(sessionFolder: string, ids: Ids, hiding: readonly string[]): readonly Note[] {
  const project = dirname(sessionFolder)
  return textFiles
    .names(project)
    .filter((name) => !name.endsWith(".jsonl") && join(project, name) !== sessionFolder)
    .flatMap((name) => {
      const folder = join(project, name)
      const saved = openStore(folder, ids).read()
      if (!saved || saved.text === "" || !hiding.every((rule) => saved.state.rules.includes(rule))) return []
      return [{ path: sessionMemoryFile(folder), text: saved.text }]
    })
    .slice(0, mostFiles)
}
