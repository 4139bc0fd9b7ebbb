/** Masks secrets whose exact value we know, also where another program repeats them encoded or cut short. */

import { maskSecrets } from "./mask-secrets.ts"

const mask = "****"

/** Shorter values are words such as `test` or `ollama`, and masking those would spoil every message. */
const shortestSecret = 8

/** So many characters of a secret in a row are masked; fewer, as in `sk-ant-…a1b2`, let users recognize their key. */
const fragment = 16

/** The text without these secrets, and without others that are known by their shape. */
export function maskKnown(text: string, secrets: readonly string[]): string {
  const wanted = secrets.map((secret) => plainOf(secret).plain).filter((secret) => secret.length >= shortestSecret)
  const { plain, at } = plainOf(text)
  const isSecret = new Uint8Array(plain.length)
  for (const secret of new Set(wanted)) {
    const size = Math.min(fragment, secret.length)
    const pieces = new Set(Array.from({ length: secret.length - size + 1 }, (_, i) => secret.slice(i, i + size)))
    for (let i = 0; i + size <= plain.length; i++)
      if (pieces.has(plain.slice(i, i + size))) isSecret.fill(1, i, i + size)
  }
  return maskSecrets(withMasks(text, at, isSecret))
}

function withMasks(text: string, at: readonly number[], isSecret: Uint8Array): string {
  const parts: string[] = []
  let end = 0
  for (let i = 0; i < isSecret.length; i++) {
    if (isSecret[i] !== 1) continue
    const from = i
    while (isSecret[i + 1] === 1) i++
    parts.push(text.slice(end, at[from]), mask)
    end = at[i + 1] ?? text.length
  }
  return [...parts, text.slice(end)].join("")
}

/** Escapes of URLs (also repeated), of JSON and of HTML. A backslash alone says nothing about the character after it. */
const escapes =
  /%(?:25)*([0-9a-f]{2})|\\+u00([0-9a-f]{2})|\\+x([0-9a-f]{2})|&#x0*([0-9a-f]{2});|&#0*(\d{2,3});|&(amp|quot|apos|lt|gt);|\\+/gi

const named: { readonly [name: string]: string } = { amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" }

/** Nobody escapes more often than that by accident. */
const mostRounds = 5

interface Plain {
  readonly plain: string
  /** Where each character begins in the original. */
  readonly at: readonly number[]
}

/** In lower case, without any escapes: undoing some may leave others, as in a secret that contains `%41`. */
function plainOf(text: string, rounds = mostRounds): Plain {
  const once = undone(text)
  if (once.plain.length === text.length || rounds === 0) return once
  const { plain, at } = plainOf(once.plain, rounds - 1)
  return { plain, at: at.map((index) => once.at[index] ?? text.length) }
}

function undone(text: string): Plain {
  const characters: string[] = []
  const at: number[] = []
  /** Where backslashes begin that belong to the next character. */
  let slashes: number | undefined
  const add = (character: string, index: number): void => {
    characters.push(character)
    at.push(slashes ?? index)
    slashes = undefined
  }
  let end = 0
  const copyUntil = (index: number): void => {
    for (; end < index; end++) add(lower(text.charAt(end)), end)
  }
  for (const found of text.matchAll(escapes)) {
    copyUntil(found.index)
    const [whole, url, json, code, hexadecimal, decimal, name] = found
    const hex = url ?? json ?? code ?? hexadecimal
    const character =
      hex !== undefined
        ? String.fromCharCode(Number.parseInt(hex, 16))
        : decimal !== undefined
          ? String.fromCharCode(Number(decimal))
          : (named[name?.toLowerCase() ?? ""] ?? "")
    if (character === "" || character === "\\") slashes ??= found.index
    else add(lower(character), found.index)
    end = found.index + whole.length
  }
  copyUntil(text.length)
  return { plain: characters.join(""), at }
}

/** Always one character, unlike the lower case of some letters. */
const lower = (character: string): string => (/[A-Z]/.test(character) ? character.toLowerCase() : character)

/** Headers whose values everyone may see, and which errors should be able to name. */
const openHeaders =
  /^(?:accept(?:-.*)?|anthropic-(?:beta|version|dangerous-.*)|cache-control|connection|content-.*|host|mcp-(?:protocol-version|method|name)|origin|referer|traceparent|user-agent)$/i

const secretNames = /auth|bearer|cookie|credential|key|pass|secret|session|signature|token/i

/** Nothing but words, as in `x-team: platform-engineering`. */
const onlyWords = /^[a-z]{1,15}(?:[-_./ ][a-z]{1,15})*$/i

/** The credentials in the headers of a request: of those that users add, all that could be one. */
export function secretsInHeaders(headers: Iterable<readonly [name: string, value: string]>): readonly string[] {
  return [...headers].flatMap(([name, value]) => {
    if (openHeaders.test(name) || (onlyWords.test(value) && !secretNames.test(name))) return []
    const [, scheme = "", rest = value] = /^(\w+) +(\S.*)$/.exec(value) ?? []
    const decoded = /^basic$/i.test(scheme) ? [passwordIn(Buffer.from(rest, "base64").toString("latin1"))] : []
    const cookies = /cookie/i.test(name) ? value.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim()) : []
    return [value, rest, ...decoded, ...cookies]
  })
}

const passwordIn = (pair: string): string => pair.slice(pair.indexOf(":") + 1)

/** The credentials before the host of an address, also as they are sent: as a header for basic authentication. */
export function secretsInUrl(url: string): readonly string[] {
  const pair = /^(?:[a-z][a-z0-9+.-]*:)?\/*([^/@\s]*)@/i.exec(url.trim())?.[1]
  if (pair === undefined) return []
  const plain = unescaped(pair)
  return [plain, passwordIn(plain), Buffer.from(plain).toString("base64")]
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
