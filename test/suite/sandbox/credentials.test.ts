/** Credentials that sandboxed commands can use and cannot see: real git, npm and curl against hosts of the test. */

import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import { bwrap, ended } from "../../kit/confine.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { openSecureHosts, type SecureHosts } from "../../kit/secure-hosts.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const token = "ghp_R3alR3alR3alR3alR3alR3alR3alR3alR3al"
const npmToken = "npm_R3alNpmR3alNpmR3alNpmR3alNpmR3alNp"
const password = "R3al-pass/word+12"
const secrets = [token, npmToken, password]
const encodings = (secret: string): readonly string[] => [
  secret,
  Buffer.from(`me:${secret}`).toString("base64"),
  Buffer.from(secret).toString("base64").slice(0, -4),
]
const shown = (text: string): readonly string[] => secrets.flatMap(encodings).filter((each) => text.includes(each))

interface Opened extends AsyncDisposable {
  readonly session: TestSession
  readonly outputs: () => readonly string[]
}

interface Wanted {
  readonly commands: readonly string[]
  readonly hosts: SecureHosts
  readonly allowed: readonly string[]
  readonly credentials?: SandboxSettings["credentials"]
  readonly env?: { readonly [name: string]: string }
  readonly home?: { readonly [path: string]: string }
  readonly bubblewrap?: boolean
}

/** Runs commands, one call each, in a session with the sandbox on. */
async function run({
  commands,
  hosts,
  allowed,
  credentials,
  env = {},
  home = {},
  bubblewrap,
}: Wanted): Promise<readonly string[]> {
  using place = temporaryFolder()
  for (const [path, text] of Object.entries(home)) {
    mkdirSync(dirname(place.join(path)), { recursive: true })
    writeFileSync(place.join(path), text, { mode: 0o600 })
  }
  chmodSync(place.path, 0o755)
  const value: SandboxSettings = { network: { allowedDomains: allowed }, ...(credentials && { credentials }) }
  await using session = await openTestSession({
    script: [...commands.map((command) => calls(use("Bash", { command }))), says("Done.")],
    mode: "default",
    allow: [],
    files: { "package.json": JSON.stringify({ name: "pkg", version: "1.0.0" }), "index.js": "" },
    place: {
      home: place.path,
      resolve: hosts.resolve,
      childEnv: () => ({
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: place.path,
        LANG: "C.UTF-8",
        NODE_EXTRA_CA_CERTS: hosts.authorityFile,
        GIT_TERMINAL_PROMPT: "0",
        ...env,
      }),
      ...(bubblewrap && { bubblewrap: [bwrap ?? ""] }),
    },
    sandbox: {
      values: { enabled: true, autoAllowBashIfSandboxed: true },
      sources: [{ source: "user settings", file: "settings.json", base: "/", value }],
    },
  })
  await session.prompt("work")
  return session.results().map(({ content }) => String(content))
}

const reached = (hosts: SecureHosts): string => JSON.stringify(hosts.seen())

describe.skipIf(bwrap === null)("a credential", () => {
  test("works for curl at its host, and no other host gets it", async () => {
    using hosts = await openSecureHosts({ names: ["api.test", "other.test"], password: token })
    const api = `https://api.test:${hosts.port}`
    const outputs = await run({
      hosts,
      allowed: ["api.test", "other.test"],
      credentials: [{ env: "MY_TOKEN", hosts: [`api.test:${hosts.port}`] }],
      env: { MY_TOKEN: token },
      commands: [
        `curl -sS -H "Authorization: Bearer $MY_TOKEN" ${api}/me`,
        `curl -sS -u "me:$MY_TOKEN" ${api}/me`,
        `curl -sSk -H "Authorization: Bearer $MY_TOKEN" https://other.test:${hosts.port}/me`,
        `curl -sSkL -H "X-Token: $MY_TOKEN" "${api}/redirect?to=https://other.test:${hosts.port}/landed"`,
      ],
    })
    console.log(outputs)
    expect(outputs.slice(0, 3)).toEqual(['{"known":true}', '{"known":true}', '{"known":false}'])
    const others = hosts.seen().filter(({ server }) => server !== "api.test")
    console.log(others)
    expect(others).toHaveLength(2)
    expect(shown(JSON.stringify(others))).toEqual([])
    expect(shown(outputs.join("\n"))).toEqual([])
  })
})
