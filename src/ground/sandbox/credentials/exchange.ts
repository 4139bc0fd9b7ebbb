/** Exchanges sentinels for secrets in what goes to their host, and secrets for sentinels in what comes back. */

import type { Header } from "#ground/sandbox/network/http-head.ts"

/** Both have the same number of bytes. */
export interface Exchanged {
  readonly secret: string
  readonly sentinel: string
}

export interface ExchangedHeaders {
  readonly headers: readonly Header[]
  /** What was put in, each as it was written: a secret, or a longer word that contains one in base64. */
  readonly put: readonly Exchanged[]
}

/**
 * Headers that servers keep, show or pass on instead of checking who asks. A secret is never put there, or a program
 * could have it stored where everybody can read it.
 */
const notForSecrets =
  /^(?:host|user-agent|referer|origin|from|via|forwarded|link|slug|range|te|trailer|connection|upgrade|date|expect|prefer|accept.*|content-.*|if-.*|x-forwarded-.*|.*-meta-.*|proxy-.*|sec-.*|access-control-.*)$/i

export function secretsInto(headers: readonly Header[], credentials: readonly Exchanged[]): ExchangedHeaders {
  const put: Exchanged[] = []
  return {
    headers: headers.map((header) =>
      notForSecrets.test(header.name) ? header : { ...header, value: exchanged(header.value, credentials, put) },
    ),
    put,
  }
}

const base64Word = /[A-Za-z0-9+/_-]{11,}={0,2}/g

function exchanged(value: string, credentials: readonly Exchanged[], put: Exchanged[]): string {
  const plain = replaced(value, credentials, put)
  if (plain !== value) return plain
  return value.replaceAll(base64Word, (word) => {
    const alphabet = /[-_]/.test(word) ? "base64url" : "base64"
    const decoded = Buffer.from(word, alphabet).toString("latin1")
    const written = (text: string): string => {
      const encoded = Buffer.from(text, "latin1").toString(alphabet).replace(/=+$/, "")
      return encoded + (word.endsWith("=") ? "=".repeat((4 - (encoded.length % 4)) % 4) : "")
    }
    const secret = replaced(decoded, credentials, [])
    // Anything else than the usual spelling would change more than the sentinel.
    if (secret === decoded || written(decoded) !== word) return word
    put.push({ secret: written(secret), sentinel: word })
    return written(secret)
  })
}

function replaced(text: string, credentials: readonly Exchanged[], put: Exchanged[]): string {
  let result = ""
  let at = 0
  for (;;) {
    const next = credentials
      .map((credential) => ({ credential, found: text.indexOf(credential.sentinel, at) }))
      .filter(({ found }) => found >= 0)
      .toSorted((a, b) => a.found - b.found)[0]
    if (next === undefined) return result + text.slice(at)
    result += text.slice(at, next.found) + next.credential.secret
    at = next.found + next.credential.sentinel.length
    put.push(next.credential)
  }
}

/** Bytes as they pass; what could be the beginning of a secret is held back until more comes. */
export interface Redactor {
  readonly pass: (bytes: Uint8Array) => Uint8Array
  /** What is still held, at the end. */
  readonly rest: () => Uint8Array
}

interface Pattern {
  readonly real: Buffer
  readonly instead: Buffer
}

/**
 * Every way in which a secret is usually repeated: as it is, in base64, percent-encoded, and as JSON writes it. All
 * keep their length, so that nothing around them changes.
 */
export function openRedaction(credentials: readonly Exchanged[]): {
  readonly stream: () => Redactor
  readonly text: (value: string) => string
} {
  const patterns = credentials
    .flatMap(spellings)
    .map(({ secret, sentinel }): Pattern => ({ real: latin1(secret), instead: latin1(sentinel) }))
    .toSorted((a, b) => b.real.length - a.real.length)
  const stream = (): Redactor => openRedactor(patterns)
  return {
    stream,
    text(value) {
      const { pass, rest } = stream()
      return Buffer.concat([pass(latin1(value)), rest()]).toString("latin1")
    },
  }
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1")

function openRedactor(patterns: readonly Pattern[]): Redactor {
  let pending: Uint8Array = new Uint8Array()
  return {
    pass(bytes) {
      const all = Buffer.from(pending.length === 0 ? bytes : Buffer.concat([pending, bytes]))
      // What could still become a longer pattern is left alone until it is clear.
      const end = all.length - begunAtEnd(all, patterns)
      const done = replaceBefore(all, end, patterns)
      const kept = done > end ? begunAtEnd(all.subarray(done), patterns) : all.length - end
      pending = all.subarray(all.length - kept)
      return all.subarray(0, all.length - kept)
    },
    rest() {
      const rest = pending
      pending = new Uint8Array()
      return rest
    },
  }
}

/** Replaces from left to right whatever begins before `end`; returns where the last one ends. */
function replaceBefore(bytes: Buffer, end: number, patterns: readonly Pattern[]): number {
  const next = patterns.map(({ real }) => bytes.indexOf(real))
  for (let done = 0; ;) {
    let first: number | undefined
    for (const [at, { real }] of patterns.entries()) {
      const found = next[at] ?? -1
      if (found >= 0 && found < done) next[at] = bytes.indexOf(real, done)
      const start = next[at] ?? -1
      // The longer ones come first, so one that begins at the same place does not count.
      if (start >= 0 && start < end && (first === undefined || start < (next[first] ?? end))) first = at
    }
    if (first === undefined) return done
    const { real, instead } = patterns[first] ?? { real: bytes, instead: bytes }
    const start = next[first] ?? 0
    instead.copy(bytes, start)
    done = start + real.length
  }
}

/** How many of the last bytes could be the beginning of a pattern. */
const begunAtEnd = (bytes: Buffer, patterns: readonly Pattern[]): number =>
  Math.max(0, ...patterns.map(({ real }) => begunBy(bytes, real)))

function begunBy(bytes: Buffer, pattern: Buffer): number {
  for (let count = Math.min(pattern.length - 1, bytes.length); count > 0; count--)
    if (bytes.subarray(bytes.length - count).equals(pattern.subarray(0, count))) return count
  return 0
}

function spellings(pair: Exchanged): readonly Exchanged[] {
  const { secret, sentinel } = pair
  const longer = [encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
    .filter((written) => written !== secret)
    // No shorter than the secret itself: what is missing is filled up.
    .map((written): Exchanged => ({ secret: written, sentinel: sentinel.padEnd(written.length, "-") }))
  const encoded = [0, 1, 2].flatMap((offset) =>
    (["base64", "base64url"] as const).map((alphabet): Exchanged => ({
      secret: inBase64(secret, offset, alphabet),
      sentinel: inBase64(sentinel, offset, alphabet),
    })),
  )
  return [pair, ...longer, ...encoded]
}

/** The characters that depend on the text alone, if so many bytes (modulo three) come before it. */
function inBase64(text: string, offset: number, alphabet: "base64" | "base64url"): string {
  const encoded = Buffer.from("\0".repeat(offset) + text, "latin1").toString(alphabet)
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6))
}
