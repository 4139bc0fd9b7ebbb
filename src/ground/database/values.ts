/** What both engines agree on: how values are sent, and what a topic is called. */

import type { SqlValue } from "#lib/database.ts"

/** Postgres has no character for zero in a text, and refuses the whole statement. */
export const sendable = (values: readonly SqlValue[]): SqlValue[] => values.map(withoutZero)

function withoutZero(value: SqlValue): SqlValue {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value
  return isList(value) ? value.map((each) => each.replaceAll("\0", "\ufffd")) : value
}

const isList = (value: SqlValue): value is readonly string[] => Array.isArray(value)

/** Notifications reach every schema of a database, so the name says whose they are. Statements say the same with `channelOfTopic`. */
export const channelOf = (schema: string, topic: string): string => `${schema}_${topic}`

/** Names of schemas and topics stand in statements as they are. */
export const isName = (text: string): boolean => /^[a-z][a-z0-9_]{0,40}$/.test(text)
