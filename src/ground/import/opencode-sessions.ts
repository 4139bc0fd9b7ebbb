/** Conversations of opencode: files in folders, or since version 1.2 a database, of which a copy is read. */

import { Database } from "bun:sqlite"
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { makeTemporaryFolder } from "#lib/temporary-folder.ts"
import type { ForeignConversation, ConversationItem, FoundConversation } from "./found.ts"
import { ownCall } from "./names.ts"
import { filesBelow, objectAt, parsedObject, readText, textIn, timeIn } from "./read.ts"
import { namesIn, statsOf } from "#lib/quietly.ts"

export function opencodeConversations(store: string): readonly FoundConversation[] {
  const inDatabase = databaseSessions(join(store, "opencode.db"))
  const known = new Set(inDatabase.map(({ id }) => id))
  return [...inDatabase, ...fileSessions(join(store, "storage")).filter(({ id }) => !known.has(id))]
}

interface StoredMessage {
  readonly data: JsonObject
  readonly parts: readonly JsonObject[]
}

function fileSessions(storage: string): readonly FoundConversation[] {
  return filesBelow(join(storage, "session"), ".json").flatMap((path) => {
    const from = join(storage, "session", path)
    const text = readText(from)
    const about = parsedObject((text.ok ? text.value : undefined) ?? "")
    const id = textIn(about.id)
    // What agents of a session said belongs to that session.
    if (id === undefined || !/^\w+$/.test(id) || about.parentID !== undefined) return []
    return [{ id, from, read: () => conversation(about, messagesOf(storage, id)) }]
  })
}

const messagesOf = (storage: string, id: string): readonly StoredMessage[] =>
  objectsIn(join(storage, "message", id)).map((data) => {
    const messageId = textIn(data.id) ?? ""
    return { data, parts: /^\w+$/.test(messageId) ? objectsIn(join(storage, "part", messageId)) : [] }
  })

/** Their names sort by time. */
const objectsIn = (folder: string): readonly JsonObject[] =>
  namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => {
      const text = readText(join(folder, name), 20_000_000)
      return parsedObject((text.ok ? text.value : undefined) ?? "")
    })

interface StoredSession {
  readonly id: string
  readonly directory: string
  readonly title: string
}

const mostDatabaseBytes = 4_000_000_000

function databaseSessions(file: string): readonly FoundConversation[] {
  const stats = statsOf(file)
  if (!stats?.isFile() || stats.size > mostDatabaseBytes) return []
  const copy = openCopy(file)
  if (!copy.ok) return [{ id: file, from: file, read: () => copy }]
  const { database, sessions } = copy.value
  return sessions.map(({ id, directory, title }) => ({
    id,
    from: `${file}, ${id}`,
    read() {
      try {
        return conversation({ directory, title }, messagesIn(database, id))
      } catch (error) {
        return failed(`it cannot be read: ${String(error)}`)
      }
    },
  }))
}

function messagesIn(database: Database, id: string): readonly StoredMessage[] {
  const parts = new Map<string, JsonObject[]>()
  const partRows = database.query<{ message_id: string; data: string }, [string]>(
    "select message_id, data from part where session_id = ? order by id",
  )
  for (const { message_id, data } of partRows.all(id))
    parts.set(message_id, [...(parts.get(message_id) ?? []), parsedObject(data)])
  const rows = database.query<{ id: string; data: string }, [string]>(
    "select id, data from message where session_id = ? order by time_created, id",
  )
  return rows.all(id).map((row) => ({ data: parsedObject(row.data), parts: parts.get(row.id) ?? [] }))
}

/** Opening the original, even to read, could write its journal. The copy has no name once it is open, so nothing is left of it. */
function openCopy(
  file: string,
): Result<{ readonly database: Database; readonly sessions: readonly StoredSession[] }, string> {
  const made = makeTemporaryFolder("codewright-import-")
  if (!made.ok) return made
  const folder = made.value
  try {
    const copy = join(folder, "copy.db")
    copyFileSync(file, copy)
    const journal = `${file}-wal`
    if (statsOf(journal)?.isFile()) copyFileSync(journal, `${copy}-wal`)
    const database = new Database(copy)
    const sessions = database.query<StoredSession, []>(
      "select id, directory, title from session where parent_id is null",
    )
    return ok({ database, sessions: sessions.all() })
  } catch (error) {
    return failed(`not a database that can be read: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function conversation(
  { directory, title }: JsonObject,
  messages: readonly StoredMessage[],
): Result<ForeignConversation, string> {
  const cwd = textIn(directory)
  if (cwd === undefined) return failed("it does not say in which folder it took place")
  return ok({ cwd, title: textIn(title), items: messages.flatMap(itemsIn), unreadable: 0 })
}

function itemsIn({ data, parts }: StoredMessage): readonly ConversationItem[] {
  const at = timeIn(objectAt(data.time).created)
  const model = textIn(data.modelID) ?? "opencode"
  if (data.role === "user") {
    const text = parts
      .filter((part) => part.type === "text" && part.synthetic !== true)
      .flatMap((part) => textIn(part.text) ?? [])
      .join("\n")
    return text.trim() === "" ? [] : [{ kind: "prompt", text, at }]
  }
  return parts.flatMap((part): readonly ConversationItem[] => {
    const text = textIn(part.text) ?? ""
    switch (part.type) {
      case "text":
        return text.trim() === "" ? [] : [{ kind: "text", text, model, at }]
      case "reasoning":
        return text.trim() === "" ? [] : [{ kind: "thinking", text, model, at }]
      case "tool": {
        const { input, output, error, status } = objectAt(part.state)
        const id = textIn(part.callID) ?? textIn(part.id) ?? ""
        const result = textIn(output) ?? textIn(error)
        return [
          { kind: "call", id, ...ownCall(textIn(part.tool) ?? "", objectAt(input)), model, at },
          ...(result === undefined
            ? []
            : [{ kind: "result" as const, id, text: result, isError: status === "error", at }]),
        ]
      }
      default:
        return []
    }
  })
}
