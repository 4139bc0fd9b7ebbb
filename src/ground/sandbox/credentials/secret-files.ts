/** Where the secrets are in the files in which programs keep them, and to which hosts each belongs. */

import type { CredentialFormat } from "#ground/sandbox/policy.ts"
import { githubHosts } from "./known-hosts.ts"

export interface FoundSecret {
  /** The part of the text that is replaced. */
  readonly start: number
  readonly end: number
  readonly secret: string
  /** Hosts that the file names; none if it does not say where the secret belongs. */
  readonly hosts: readonly string[]
  /** How another value is written in its place. */
  readonly write: (value: string) => string
}

/** Undefined if there is anything in the file that is not understood: it may be a secret, so nobody gets to see it. */
type FindSecrets = (text: string) => readonly FoundSecret[] | undefined

export function findSecrets(format: CredentialFormat, text: string): readonly FoundSecret[] | undefined {
  if (/[^\t\n\r -~\x80-\u{10ffff}]/u.test(text)) return undefined
  return finders[format](text)
}

const asIs = (value: string): string => value

interface FileLine {
  readonly text: string
  readonly at: number
}

function linesOf(text: string): readonly FileLine[] {
  let at = 0
  return text.split("\n").map((each) => {
    const line = { text: each.replace(/\r$/, ""), at }
    at += each.length + 1
    return line
  })
}

/** Everything found on each line, or undefined as soon as one is not understood. */
function eachLine(
  text: string,
  find: (line: FileLine) => readonly FoundSecret[] | undefined,
): readonly FoundSecret[] | undefined {
  const found: FoundSecret[] = []
  for (const line of linesOf(text)) {
    const here = find(line)
    if (here === undefined) return undefined
    found.push(...here)
  }
  return found
}

/** Names of fields that are secret in any program's file. */
const secretName = /token|secret|passw|_auth|api[-_]?key|private|credential|\bkey\b/i

const npmRegistry = "registry.npmjs.org"

const npmrc: FindSecrets = (text) => {
  const usual = /^[ \t]*registry[ \t]*=[ \t]*"?https?:\/\/([^/\s"]+)/m.exec(text)?.[1] ?? npmRegistry
  return eachLine(text, ({ text: line, at }) => {
    if (/^\s*(?:[#;].*)?$/.test(line)) return []
    const [, lead = "", key = "", value = ""] = /^(\s*([^=\s]+)\s*=\s*"?)([^"]*?)"?\s*$/.exec(line) ?? []
    if (key === "") return undefined
    const [, scope, name = key] = /^\/\/(.+?)\/?:([\w-]+)$/.exec(key) ?? []
    if (!secretName.test(name)) return /:\/\/[^/\s]*@/.test(value) ? undefined : []
    // Read from a variable, which is replaced by itself.
    if (/^\$\{[^}]+\}$/.test(value)) return []
    const place = {
      start: at + lead.length,
      end: at + lead.length + value.length,
      hosts: [(scope ?? usual).split("/", 1)[0] ?? ""],
    }
    if (name === "_authToken") return [{ ...place, secret: value, write: asIs }]
    const decoded = Buffer.from(value, "base64").toString("latin1")
    if (Buffer.from(decoded, "latin1").toString("base64").replace(/=+$/, "") !== value.replace(/=+$/, ""))
      return undefined
    const encoded = (plain: string): string => Buffer.from(plain, "latin1").toString("base64")
    if (name === "_password") return [{ ...place, secret: decoded, write: encoded }]
    const [, user = "", secret = ""] = /^([^:]*:)(.+)$/s.exec(decoded) ?? []
    return name === "_auth" && secret !== ""
      ? [{ ...place, secret, write: (sentinel) => encoded(user + sentinel) }]
      : undefined
  })
}

const netrc: FindSecrets = (text) => {
  const found: FoundSecret[] = []
  let hosts: readonly string[] = []
  const words = [...text.replaceAll(/(^|\s)#[^\n]*/g, (comment) => comment.replaceAll(/[^\n]/g, " ")).matchAll(/\S+/g)]
  for (let i = 0; i < words.length; i++) {
    const word = words[i]?.[0] ?? ""
    if (word === "default") {
      hosts = []
      continue
    }
    const next = words[++i]
    if (!["machine", "login", "account", "password"].includes(word) || next === undefined) return undefined
    const [value] = next
    // Quotes and escapes mean something else to each program that reads this file.
    if (/["\\]/.test(value)) return undefined
    if (word === "machine") hosts = [value]
    if (word === "password")
      found.push({ start: next.index, end: next.index + value.length, secret: value, hosts, write: asIs })
  }
  return found
}

const gitCredentials: FindSecrets = (text) =>
  eachLine(text, ({ text: line, at }) => {
    if (line.trim() === "") return []
    const [, scheme = "", user = "", password, host = ""] =
      /^(https?):\/\/([^:@/\s]*)(?::([^:@/\s]*))?@([^@/\s]+)(?:\/[^@\s]*)?$/.exec(line) ?? []
    if (scheme === "") return undefined
    const start = at + scheme.length + 3
    const part = (from: number, written: string): FoundSecret | undefined => {
      const secret = unescaped(written)
      return secret === undefined
        ? undefined
        : {
            start: from,
            end: from + written.length,
            secret,
            hosts: scheme === "https" ? gitHosts(host) : [],
            write: encodeURIComponent,
          }
    }
    // A token may stand in the place of the name.
    const isInName = password === undefined || password === "" || password === "x-oauth-basic"
    const found = isInName ? part(start, user) : part(start + user.length + 1, password)
    return found === undefined ? undefined : [found]
  })

/** A token of GitHub is used for its other hosts too. */
const gitHosts = (host: string): readonly string[] => (host === "github.com" ? githubHosts : [host])

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The file of gh: hosts at the margin, plain values below them. */
const gh: FindSecrets = (text) => {
  let host = ""
  return eachLine(text, ({ text: line, at }) => {
    if (/^\s*(?:#.*)?$/.test(line)) return []
    const [, lead = "", key = "", value = ""] =
      /^(\s*([\w.-]+(?::\d+)?):(?:\s+|$))("?[\w./:@+-]*"?)\s*$/.exec(line) ?? []
    if (key === "") return undefined
    if (!/^\s/.test(line)) {
      host = key
      return value === "" ? [] : undefined
    }
    if (key !== "oauth_token") return secretName.test(key) ? undefined : []
    const bare = value.replaceAll('"', "")
    const start = at + lead.length + (value.startsWith('"') ? 1 : 0)
    return bare === "" ? [] : [{ start, end: start + bare.length, secret: bare, hosts: gitHosts(host), write: asIs }]
  })
}

const uploadHosts: { readonly [section: string]: string } = { pypi: "upload.pypi.org", testpypi: "test.pypi.org" }

const pypirc: FindSecrets = (text) => {
  const hostsOf = new Map(
    [...text.matchAll(/^\[([^\]\n]+)\][^[]*?^repository[ \t]*[=:][ \t]*https:\/\/([^/\s]+)/gm)].map(
      ([, section = "", host = ""]) => [section, host],
    ),
  )
  let section = ""
  return eachLine(text, ({ text: line, at }) => {
    if (/^\s*(?:[#;].*)?$/.test(line)) return []
    const opened = /^\[([^\]]+)\]\s*$/.exec(line)?.[1]
    if (opened !== undefined) {
      section = opened
      return []
    }
    // The list of servers goes on in indented lines.
    if (/^\s+[\w.-]+\s*$/.test(line)) return []
    const [, lead = "", key = "", value = ""] = /^(([\w-]+)[ \t]*[=:][ \t]*)(.*?)[ \t]*$/.exec(line) ?? []
    if (key === "" || (key === "repository" && value.includes("@"))) return undefined
    if (key !== "password") return secretName.test(key) ? undefined : []
    if (value.includes("%")) return undefined
    const host = hostsOf.get(section) ?? uploadHosts[section]
    const start = at + lead.length
    return [{ start, end: start + value.length, secret: value, hosts: host === undefined ? [] : [host], write: asIs }]
  })
}

const cargo: FindSecrets = (text) => {
  let table = ""
  return eachLine(text, ({ text: line, at }) => {
    if (/^\s*(?:#.*)?$/.test(line)) return []
    const opened = /^\s*\[([\w.-]+)\]\s*$/.exec(line)?.[1]
    if (opened !== undefined) {
      table = opened
      return []
    }
    const [, lead = "", key = "", value = ""] = /^(\s*([\w-]+)\s*=\s*")([^"\\]*)"\s*$/.exec(line) ?? []
    if (key === "") return undefined
    if (key !== "token") return secretName.test(key) ? undefined : []
    const start = at + lead.length
    const hosts = table === "registry" || table === "registries.crates-io" ? ["crates.io"] : []
    return [{ start, end: start + value.length, secret: value, hosts, write: asIs }]
  })
}

/** A file with a secret and nothing else. */
const whole: FindSecrets = (text) => {
  const secret = text.trim()
  const start = text.indexOf(secret)
  return secret === "" || secret.includes("\n")
    ? undefined
    : [{ start, end: start + secret.length, secret, hosts: [], write: asIs }]
}

const finders: { readonly [Format in CredentialFormat]: FindSecrets } = {
  npmrc,
  netrc,
  "git-credentials": gitCredentials,
  gh,
  pypirc,
  cargo,
  whole,
}
