/** The certificates that programs trust, with ours added, and the variables by which they find them. */

import { readFileSync } from "node:fs"
import { getCACertificates, rootCertificates } from "node:tls"

type Environment = Readonly<Record<string, string>>

/** They name everything that is trusted. Npm looks at a file of its own before it looks at the variable of Node. */
const whole: readonly string[] = [
  "SSL_CERT_FILE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "REQUESTS_CA_BUNDLE",
  "PIP_CERT",
  "CARGO_HTTP_CAINFO",
  "AWS_CA_BUNDLE",
  "npm_config_cafile",
]
/** They name what is trusted besides what a program trusts by itself. */
const added: readonly string[] = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]
/** What the answers below depend on, as far as it is in the environment. */
export const rootsKey = (env: Environment): string =>
  JSON.stringify(["HOME", ...whole, ...added].map((name) => env[name]))

/** What the user trusts: the system's certificates, and the files that their environment and configuration name. */
export function trustedRoots(env: Environment): readonly string[] {
  const system = getCACertificates("system")
  const named = [...whole, ...added].flatMap((name) => env[name] ?? [])
  const texts = [...new Set([...named, ...configured(env)])].flatMap((path) => read(path) ?? [])
  const found = texts.flatMap((text) => text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [])
  return [...new Set([...(system.length > 0 ? system : rootCertificates), ...found])]
}

/** Git and npm may be told in a file, which our variables override. */
function configured({ HOME: home = "" }: Environment): readonly string[] {
  const value = (file: string, key: RegExp): readonly string[] => {
    const [, path] = key.exec(read(file) ?? "") ?? []
    return path === undefined ? [] : [path.replace(/^~(?=\/)/, home)]
  }
  return [
    ...[`${home}/.gitconfig`, `${home}/.config/git/config`, "/etc/gitconfig"].flatMap((file) =>
      value(file, /^\s*sslCAInfo\s*=\s*"?([^"\n]+?)"?\s*$/im),
    ),
    ...[`${home}/.npmrc`, "/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"].flatMap((file) =>
      value(file, /^\s*cafile\s*=\s*"?([^"\n]+?)"?\s*$/m),
    ),
  ]
}

/** `write` puts a text into a file that is visible inside, and gives its path. */
export function rootVariables(
  env: Environment,
  {
    roots,
    own,
    write,
  }: { readonly roots: readonly string[]; readonly own: string; readonly write: (text: string) => string },
): Environment {
  const all = write(`${roots.map((root) => root.trim()).join("\n")}\n${own}`)
  const alone = write(own)
  const withOwn = (name: string): string | undefined => {
    const text = read(env[name] ?? "")
    return text === undefined ? undefined : write(`${text.trim()}\n${own}`)
  }
  return Object.fromEntries([
    ...whole.map((name) => [name, withOwn(name) ?? all]),
    ...added.map((name) => [name, withOwn(name) ?? alone]),
  ])
}

function read(path: string): string | undefined {
  try {
    return path === "" ? undefined : readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
