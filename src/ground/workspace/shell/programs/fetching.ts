/** Downloads: which host a command contacts, and which files it writes the result to. */

import { posix } from "node:path"

/** Programs that print, or write to a file, what a URL returns. */
const fetchers: ReadonlySet<string> = new Set([
  "aria2c",
  "axel",
  "curl",
  "fetch",
  "ftp",
  "http",
  "https",
  "lwp-download",
  "lynx",
  "wget",
  "xh",
])

export interface Fetch {
  /** Empty when only the shell will know it. */
  readonly host: string
  readonly files: readonly string[]
}

/** Undefined when they download nothing. */
export function fetchOf(words: readonly string[]): Fetch | undefined {
  const [program = "", ...rest] = words
  const name = posix.basename(program)
  if (!fetchers.has(name)) return undefined
  const addresses = rest.filter((word, i) => !namesFile(name, rest[i - 1] ?? "") && addressOf(word) !== undefined)
  const address = addresses.find((word) => word.includes("://")) ?? addresses[0]
  return { host: address === undefined ? "" : (addressOf(address) ?? ""), files: filesOf(name, rest, address) }
}

function addressOf(word: string): string | undefined {
  if (
    word.startsWith("-") ||
    !/^(?:[a-z][\w+.-]*:\/\/)?[^\s/$`]+\.[^\s/$`]+|^(?:[a-z][\w+.-]*:\/\/)?localhost\b/i.test(word)
  )
    return undefined
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(word) ? word : `https://${word}`)
  return url === null || url.host === "" ? undefined : url.host
}

function filesOf(name: string, rest: readonly string[], address: string | undefined): readonly string[] {
  const named = rest.flatMap((word, i) => {
    const [flag = "", ...value] = word.split("=")
    if (!namesFile(name, flag)) return []
    return value.length > 0 ? [value.join("=")] : (rest[i + 1] ?? [])
  })
  const files = named.filter((file) => file !== "-" && file !== "/dev/stdout")
  if (files.length > 0 || named.length > 0 || address === undefined) return files
  const keepsName = name !== "curl" || rest.some((word) => /^-[A-Za-z]*O|^--remote-name/.test(word))
  const last = posix.basename(address.replace(/[?#].*$/, ""))
  return keepsName && last !== "" ? [last] : []
}

const namesFile = (name: string, flag: string): boolean =>
  (name === "wget" ? /^(?:-[A-Za-z]*O|--output-document)$/ : /^(?:-[A-Za-z]*o|--output|--out)$/).test(flag)
