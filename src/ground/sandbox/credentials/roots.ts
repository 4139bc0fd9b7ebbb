/** The certificates that programs trust, with ours added, and the variables by which they find them. */

import { readFileSync } from "node:fs"
import { getCACertificates, rootCertificates } from "node:tls"
import type { HostPattern } from "#ground/sandbox/network/hosts.ts"

type Variables = Readonly<Record<string, string>>

/** They name everything that is trusted. */
const whole: readonly string[] = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "CARGO_HTTP_CAINFO"]
/** They do so too, and override what files of a project say; only those who set them already get another value. */
const overriding: readonly string[] = [
  "GIT_SSL_CAINFO",
  "PIP_CERT",
  "AWS_CA_BUNDLE",
  "npm_config_cafile",
  "NPM_CONFIG_CAFILE",
]
/** They name what is trusted besides what a program trusts by itself. */
const added: readonly string[] = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]

/** What the answers below depend on, as far as it is in the environment. */
export const rootsKey = (env: Variables): string =>
  JSON.stringify(["HOME", "GIT_CONFIG_COUNT", ...whole, ...overriding, ...added].map((name) => env[name]))

/** What the user trusts: the system's certificates, and the files that their environment and configuration name. */
export function trustedRoots(env: Variables): readonly string[] {
  const system = getCACertificates("system")
  const named = [...whole, ...overriding, ...added].flatMap((name) => env[name] ?? [])
  const texts = [...new Set([...named, ...configured(env)])].flatMap((path) => read(path) ?? [])
  const found = texts.flatMap((text) => text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [])
  return [...new Set([...(system.length > 0 ? system : rootCertificates), ...found])]
}

/** Git, npm and cargo may be told in a file. */
const configured = (env: Variables): readonly string[] => [
  ...["~/.gitconfig", "~/.config/git/config", "/etc/gitconfig"].flatMap((file) =>
    valueIn(env, file, /^\s*sslCAInfo\s*=\s*"?([^"\n]+?)"?\s*$/im),
  ),
  ...npmFile(env),
  ...valueIn(env, "~/.cargo/config.toml", /^\s*cainfo\s*=\s*"([^"\n]+)"/m),
]

/** Npm does not look at the variable of Node if it has a file of its own. */
const npmFile = (env: Variables): readonly string[] =>
  ["~/.npmrc", "/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"].flatMap((file) =>
    valueIn(env, file, /^\s*cafile\s*=\s*"?([^"\n]+?)"?\s*$/m),
  )

function valueIn({ HOME: home = "" }: Variables, file: string, key: RegExp): readonly string[] {
  const [, path] = key.exec(read(file.replace(/^~(?=\/)/, home)) ?? "") ?? []
  return path === undefined ? [] : [path.replace(/^~(?=\/)/, home)]
}

export interface RootParts {
  readonly roots: readonly string[]
  /** Our own certificate. */
  readonly own: string
  /** The hosts in whose name we answer. */
  readonly hosts: readonly HostPattern[]
  /** Puts a text into a file that can be read inside, and gives its path. */
  readonly write: (text: string, name: string) => string
}

export interface RootVariables {
  readonly variables: Variables
  /** The files that they name. */
  readonly reads: readonly string[]
}

export function rootVariables(env: Variables, { roots, own, hosts, write }: RootParts): RootVariables {
  const reads: string[] = []
  const put = (text: string, name = "certificates.pem"): string => {
    const path = write(text, name)
    reads.push(path)
    return path
  }
  const all = put(`${roots.map((root) => root.trim()).join("\n")}\n${own}`)
  const alone = put(own)
  const withOwn = (name: string): string | undefined => {
    const text = read(env[name] ?? "")
    return text === undefined ? undefined : put(`${text.trim()}\n${own}`)
  }
  const git = put(hosts.map((host) => `[http "${urlOf(host)}"]\n\tsslCAInfo = "${all}"\n`).join(""), "gitconfig")
  const at = Number(env["GIT_CONFIG_COUNT"] ?? 0)
  return {
    variables: {
      ...Object.fromEntries([
        ...whole.map((name) => [name, withOwn(name) ?? all]),
        ...overriding.filter((name) => env[name] !== undefined).map((name) => [name, withOwn(name) ?? all]),
        ...added.map((name) => [name, withOwn(name) ?? alone]),
      ]),
      ...(npmFile(env).length > 0 && { npm_config_cafile: all }),
      // For these hosts alone: a variable would override what a repository says about other ones.
      ...(Number.isSafeInteger(at) && {
        GIT_CONFIG_COUNT: String(at + 1),
        [`GIT_CONFIG_KEY_${at}`]: "include.path",
        [`GIT_CONFIG_VALUE_${at}`]: git,
      }),
    },
    reads: [...new Set(reads)],
  }
}

const urlOf = ({ kind, host, port = 443 }: HostPattern): string =>
  `https://${kind === "below" ? "*." : ""}${host.includes(":") ? `[${host}]` : host}${port === 443 ? "" : `:${port}`}/`

function read(path: string): string | undefined {
  try {
    return path === "" ? undefined : readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
