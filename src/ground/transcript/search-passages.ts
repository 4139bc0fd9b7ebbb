/** Finds the passages that contain all search terms: the latest of each session. */

import type { Database } from "bun:sqlite"
import { optional } from "#lib/optional.ts"
import type { FoundKind } from "./digest.ts"

export interface FoundPassage {
  /** The session's number in the catalogue. */
  readonly session: number
  readonly uuid: string
  readonly at: number
  readonly kind: FoundKind
  /** A few words of context; the match is between \u0001 and \u0002. */
  readonly text: string
}

/** Very common words are not counted to the end: the latest sessions with them are enough. */
const mostRows = 200_000

export function searchPassages(
  database: Database,
  words: string,
  { cwd, limit }: { readonly cwd?: string; readonly limit: number },
): readonly FoundPassage[] {
  const match = matchOf(words)
  if (match === undefined) return []
  if (unspaced.test(words)) return containing(database, words, { limit, ...optional("cwd", cwd) })
  const wanted =
    cwd === undefined
      ? undefined
      : new Set(
          (database.query("select id from sessions where cwd = $cwd").all({ cwd }) as { id: number }[]).map(
            ({ id }) => id,
          ),
        )
  const latest = new Map<number, number>()
  let seen = 0
  // By number, latest first, which the word index gives without sorting; how often a word occurs matters less.
  const rows = database
    .query(
      `select words.rowid as passage, passages.session as session from words
       join passages on passages.id = words.rowid where words match $match order by words.rowid desc`,
    )
    .iterate({ match }) as Iterable<{ readonly passage: number; readonly session: number }>
  for (const { passage, session } of rows) {
    if (++seen > mostRows || latest.size >= limit) break
    if (!latest.has(session) && (wanted?.has(session) ?? true)) latest.set(session, passage)
  }
  const snippet = database.query(
    `select session, uuid, at, kind, snippet(words, 0, char(1), char(2), '...', 16) as text from words
     join passages on passages.id = words.rowid where words match $match and words.rowid = $passage`,
  )
  return [...latest.values()].flatMap((passage) => snippet.all({ match, passage }) as FoundPassage[])
}

/** Scripts without spaces between words: the word index sees a whole sentence as one word, so the passages are read. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function containing(
  database: Database,
  words: string,
  { cwd, limit }: { readonly cwd?: string; readonly limit: number },
): readonly FoundPassage[] {
  const wanted = words.toLowerCase().replaceAll('"', " ").trim().split(/\s+/)
  const all = wanted.map((_, index) => `instr(lower(text), $word${index}) > 0`).join(" and ")
  const rows = database
    .query(
      `select max(passages.id) as passage, passages.session as session, uuid, at, kind, text from passages
       join sessions on sessions.id = passages.session
       where ($cwd = '' or cwd = $cwd) and ${all} group by passages.session order by passage desc limit $limit`,
    )
    .all({
      cwd: cwd ?? "",
      limit,
      ...Object.fromEntries(wanted.map((word, index) => [`word${index}`, word])),
    }) as FoundPassage[]
  return rows.map(({ session, uuid, at, kind, text }) => ({ session, uuid, at, kind, text: around(text, wanted) }))
}

function around(text: string, [first = ""]: readonly string[]): string {
  const at = text.toLowerCase().indexOf(first)
  if (at < 0) return text.slice(0, 60)
  const end = at + first.length
  const from = Math.max(0, at - 30)
  const until = Math.min(text.length, end + 30)
  return `${from > 0 ? "..." : ""}${text.slice(from, at)}\u0001${text.slice(at, end)}\u0002${text.slice(end, until)}${until < text.length ? "..." : ""}`
}

/** Every word as a prefix; quoted phrases verbatim. Undefined without any word. */
function matchOf(words: string): string | undefined {
  const parts = [...words.matchAll(/"([^"]+)"|(\S+)/g)].flatMap(([, quoted, bare]) => {
    const text = (quoted ?? bare ?? "").replaceAll('"', " ").replaceAll("\0", " ")
    if (!/[\p{L}\p{N}]/u.test(text)) return []
    return [quoted === undefined ? `"${text}"*` : `"${text}"`]
  })
  return parts.length === 0 ? undefined : parts.join(" AND ")
}
