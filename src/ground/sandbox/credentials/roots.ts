/** The certificates that programs trust, with ours added, and the variables by which they find them. */

import { readFileSync } from "node:fs"
import { getCACertificates, rootCertificates } from "node:tls"

type Environment = Readonly<Record<string, string>>

/** They name everything that is trusted. */
const whole: readonly string[] = [
  "SSL_CERT_FILE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "REQUESTS_CA_BUNDLE",
  "PIP_CERT",
  "CARGO_HTTP_CAINFO",
  "AWS_CA_BUNDLE",
]
/** They name what is trusted besides what a program trusts by itself. */
const added: readonly string[] = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]
/** Set only for those who already say what npm trusts; it looks at the variable of Node otherwise. */
const npm = ["npm_config_cafile", "NPM_CONFIG_CAFILE"] as const

/** What the answers below depend on, as far as it is in the environment. */
export const rootsKey = (env: Environment): string =>
  JSON.stringify(["HOME", ...whole, ...added, ...npm].map((name) => env[name]))

/** What the user trusts: the system's certificates, and the files that their environment and configuration name. */
export function trustedRoots(env: Environment): readonly string[] {
  const system = getCACertificates("system")
  const named = [...whole, ...added, ...npm].flatMap((name) => env[name] ?? [])
  const texts = [...new Set([...named, ...configured(env)])].flatMap((path) => read(path) ?? [])
  const found = texts.flatMap((text) => text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [])
  return [...new Set([...(system.length > 0 ? system : rootCertificates), ...found])]
}

/** Git and npm may be told in a file, which our variable would override. */
function configured(env: Environment): readonly string[] {
  const { HOME: home = "" } = env
  const value = (file: string, key: RegExp): readonly string[] => {
    const [, path] = key.exec(read(`${home}/${file}`) ?? "") ?? []
    return path === undefined ? [] : [path.replace(/^~(?=\/)/, home)]
  }
  return home === ""
    ? []
    : [
        ...value(".gitconfig", /^\s*sslCAInfo\s*=\s*"?([^"\n]+?)"?\s*$/im),
        ...value(".config/git/config", /^\s*sslCAInfo\s*=\s*"?([^"\n]+?)"?\s*$/im),
        ...value(".npmrc", /^\s*cafile\s*=\s*"?([^"\n]+?)"?\s*$/m),
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
  const npmReads =
    npm.some((name) => env[name] !== undefined) || /^\s*cafile\s*=/m.test(read(`${env["HOME"]}/.npmrc`) ?? "")
  return Object.fromEntries([
    ...whole.map((name) => [name, withOwn(name) ?? all]),
    ...added.map((name) => [name, withOwn(name) ?? alone]),
    ...(npmReads ? npm.map((name) => [name, all]) : []),
  ])
}

function read(path: string): string | undefined {
  try {
    return path === "" ? undefined : readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
