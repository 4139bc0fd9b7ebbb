/** A worthless value in place of a secret: random, as long as the secret, and of the shape that programs expect. */

import type { Ids } from "#lib/ids.ts"

/** Beginnings by which services and their programs know a token. The longer ones come first. */
const knownPrefixes: readonly string[] = [
  "github_pat_",
  "ghp_",
  "gho_",
  "ghu_",
  "ghs_",
  "ghr_",
  "glpat-",
  "gldt-",
  "npm_",
  "pypi-",
  "cio",
  "rubygems_",
  "ATBB",
  "hf_",
  "sk-",
]

const hex = "0123456789abcdef"
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** What is shorter cannot be told from ordinary text in an answer that repeats it, so it is not handed in at all. */
const shortest = 8
const longest = 4096

/**
 * Whether a value can be replaced: one line that fits into a header. Printable ASCII only, so that it has as many
 * bytes as characters wherever it is written.
 */
export const isReplaceable = (secret: string): boolean =>
  secret.length >= shortest && secret.length <= longest && /^[!-~]+(?: +[!-~]+)*$/.test(secret)

/**
 * As many bytes as the secret, so that an answer in which one is exchanged for the other keeps its length. Only
 * letters and digits follow the prefix, so that it means itself in every file format.
 */
export function sentinelFor(secret: string, ids: Ids): string {
  const prefix = knownPrefixes.find((each) => secret.startsWith(each) && secret.length - each.length >= shortest) ?? ""
  const tail = secret.slice(prefix.length)
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tail)) return prefix + ids.uuid()
  const alphabet = /^[0-9a-f]+$/.test(tail) ? hex : letters
  return prefix + randomText(tail.length, alphabet, ids)
}

function randomText(length: number, alphabet: string, ids: Ids): string {
  let text = ""
  while (text.length < length) {
    // The last twelve digits of an id are all random: more than six characters need, so that each is as likely.
    let value = Number.parseInt(ids.uuid().slice(-12), 16)
    for (let i = 0; i < 6; i++) {
      text += alphabet[value % alphabet.length] ?? ""
      value = Math.floor(value / alphabet.length)
    }
  }
  return text.slice(0, length)
}
