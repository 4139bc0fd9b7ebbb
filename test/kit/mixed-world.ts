/** A project with hostile links and settings, and around it what nobody may read or change; commands are decided and run as in a session. */

import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import type { PermissionMode } from "#agent/words/permission.ts"
import { openCaseJudge } from "#faces/cli/permissions/permission-cases.ts"
import { confinePath } from "#ground/bundled/confine.ts"
import { openWorkspace } from "#ground/workspace/workspace.ts"
import { parseRules, type PermissionRule, type RuleText } from "#kits/permissions/rules/rule.ts"
import { noWalls, readersConfined } from "#kits/permissions/walls.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openPolicies } from "#session/adapters/policies.ts"
import { openWalls } from "#session/adapters/sandbox.ts"
import { editsShared, type MixedCase, readsPublic } from "./mixed-lines.ts"
import { temporaryFolder } from "./tmp.ts"

/** What only files outside contain. */
const canaries = {
  key: "CANARY-KEY",
  ssh: "CANARY-SSH",
  notes: "CANARY-NOTES",
  commit: "CANARY-COMMIT",
  name: "CANARY-NAME",
}
const publicWords = "PUBLIC-WORDS"

export interface Trial {
  readonly ran: boolean
  /** What must not be; empty if all is well. */
  readonly breaches: readonly string[]
}

export interface MixedWorld extends AsyncDisposable {
  readonly attempt: (given: MixedCase) => Promise<Trial>
}

/** `sandbox: false` is a machine on which nothing can be confined. */
export async function openMixedWorld({ sandbox }: { readonly sandbox: boolean }): Promise<MixedWorld> {
  const folder = temporaryFolder()
  const top = folder.path
  const [project, home, marks] = [join(top, "project"), join(top, "home"), join(top, "marks")]
  const listeners = await surround(top)
  for (const kind of ["plain", "links in git", "named by git"] as const) makeProject(join(top, "templates", kind), kind)
  mkdirSync(marks)
  let current: MixedCase["world"] | undefined
  let mode: PermissionMode = "default"
  let rules: readonly PermissionRule[] = []
  const place = {
    state: join(home, ".codewright"),
    ownState: [],
    claudeFolder: join(home, ".claude"),
    temp: join(top, "run/tmp"),
    platform: process.platform,
    uid: process.getuid?.(),
    memoryBytes: 8_000_000_000,
  }
  const policies = openPolicies({
    settings: [],
    rules: () => rules,
    mode: () => mode,
    canAsk: false,
    workspace: { root: project, added: [], home, protectedPaths: [], own: [] },
    place,
    clock: systemClock,
  })
  const cacheFolder = join(top, "cache")
  const walls = openWalls({
    platform: process.platform,
    ids: systemIds,
    confine: () => confinePath({ cacheFolder, pid: process.pid }),
    scratch: join(top, "run"),
    registry: join(top, "placeholders"),
    policies: async () => policies,
    enabled: false,
    roots: () => [],
    clock: systemClock,
    ...(!sandbox && { bubblewrap: [] }),
  })
  const workspace = openWorkspace({
    root: project,
    home,
    ripgrep: async () => ({ ok: false, failure: { kind: "other", message: "not used" } }) as never,
    sessionFolder: join(top, "session"),
    env: () => ({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", TOKEN_OF_TEST: "x" }),
    clock: systemClock,
    ids: systemIds,
    isAllowedFolder: (path) => path === project || path.startsWith(`${project}/`),
    scratch: join(top, "run"),
    enclose: walls.enclose,
  })
  const judge = await openCaseJudge({
    home,
    state: place.state,
    cwd: project,
    path: () => "/usr/local/bin:/usr/bin:/bin",
    walls: sandbox ? readersConfined : noWalls,
  })

  function reset(kind: MixedCase["world"]): void {
    rmSync(project, { recursive: true, force: true })
    cpSync(join(top, "templates", kind), project, { recursive: true, verbatimSymlinks: true })
    current = kind
  }

  return {
    async attempt({ command, mode: asked, allow, deny, world }) {
      if (current !== world) reset(world)
      const texts: readonly RuleText[] = [
        ...allow.map((text) => ({ behavior: "allow" as const, text, source: "session" as const })),
        ...deny.map((text) => ({ behavior: "deny" as const, text, source: "session" as const })),
      ]
      mode = asked
      rules = parseRules(texts).rules
      const decision = judge.judge({ mode, rules: texts, tool: "Bash", input: { command }, cwd: project })
      if (decision.behavior !== "allow") return { ran: false, breaches: [] }
      const before = stateOf(top)
      const connections = listeners.count()
      const ran = await workspace.shell.run({
        command,
        cwd: project,
        signal: new AbortController().signal,
        limits: { characters: 100_000, fileBytes: 1_000_000 },
        timeoutMs: 20_000,
        boundary: decision.boundary,
      })
      current = undefined
      const text = ran.ok ? ran.value.output.text : ""
      const forbidden = [...Object.values(canaries), ...(allow.includes(readsPublic) ? [] : [publicWords])]
      const changed = difference(before, stateOf(top)).filter(
        (path) => !(allow.includes(editsShared) && path.startsWith("shared")),
      )
      const marked = readdirSync(marks)
      for (const name of marked) rmSync(join(marks, name))
      return {
        ran: ran.ok,
        breaches: [
          ...forbidden.filter((word) => text.includes(word)).map((word) => `printed ${word}`),
          ...changed.map((path) => `changed ${path}`),
          ...marked.map((name) => `ran ${name}`),
          ...(listeners.count() > connections ? ["connected"] : []),
        ],
      }
    },
    async [Symbol.asyncDispose]() {
      await workspace.close()
      await walls.close()
      listeners.close()
      folder[Symbol.dispose]()
    },
  }
}

function makeProject(project: string, kind: MixedCase["world"]): void {
  const put = (name: string, text: string): void => {
    mkdirSync(join(project, name, ".."), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  for (const [name, text] of Object.entries({
    "a.txt": "words\n",
    "b.txt": "more words\n",
    "package.json": '{"name":"words"}\n',
    "d1/same": "1\n",
    "d2/same": "2\n",
    "d2/key": "no key\n",
    "new/n.txt": "words\n",
    "run-tests": "#!/bin/sh\necho tested\n",
  }))
    put(name, text)
  chmodSync(join(project, "run-tests"), 0o755)
  git(project, "init", "-q")
  git(project, "add", ".")
  git(project, "commit", "-qm", "first")
  put("a.txt", "words, changed\n")
  symlinkSync("../../outside/key", join(project, "d1/key"))
  symlinkSync("../outside/key", join(project, "link-key"))
  symlinkSync("../outside", join(project, "link-out"))
  symlinkSync("../home", join(project, "link-home"))
  const marks = "../marks"
  const program = (name: string): string => `touch "$(git rev-parse --show-toplevel)/${marks}/${name}"; false`
  if (kind === "plain") return
  if (kind === "links in git") {
    put(".git/BISECT_START", "master\n")
    symlinkSync("../../outside/key", join(project, ".git/BISECT_LOG"))
    mkdirSync(join(project, ".git/info"), { recursive: true })
    symlinkSync("../../../outside/key", join(project, ".git/info/sparse-checkout"))
    git(project, "config", "core.sparseCheckout", "true")
    return
  }
  git(project, "config", "core.fsmonitor", program("fsmonitor"))
  git(project, "config", "core.sshCommand", program("ssh"))
  git(project, "config", "core.pager", program("pager"))
  mkdirSync(join(project, ".git/hooks"), { recursive: true })
  for (const hook of ["post-index-change", "post-checkout"]) {
    put(`.git/hooks/${hook}`, `#!/bin/sh\n${program(hook)}\n`)
    chmodSync(join(project, ".git/hooks", hook), 0o755)
  }
}

function git(folder: string, ...args: readonly string[]): void {
  const env = { PATH: "/usr/bin:/bin", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
  const { exitCode, stderr } = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd: folder,
    env,
  })
  if (exitCode !== 0) throw new Error(stderr.toString())
}

interface Listeners {
  readonly count: () => number
  readonly close: () => void
}

/** Files, a repository and sockets outside. */
async function surround(top: string): Promise<Listeners> {
  const put = (name: string, text: string): void => {
    mkdirSync(join(top, name, ".."), { recursive: true })
    writeFileSync(join(top, name), text)
  }
  put("outside/key", `${canaries.key}\n`)
  put("outside/public.txt", `${publicWords}\n`)
  put(`outside/deep/${canaries.name}`, "words\n")
  put("outside/repo/file", `${canaries.commit}\n`)
  put("shared/x", "words\n")
  put("home/.ssh/id_rsa", `${canaries.ssh}\n`)
  put("home/notes.txt", `${canaries.notes} words\n`)
  git(join(top, "outside/repo"), "init", "-q")
  git(join(top, "outside/repo"), "add", ".")
  git(join(top, "outside/repo"), "commit", "-qm", canaries.commit)
  let connections = 0
  const servers = await Promise.all(
    [{ path: join(top, "outside/socket") }, { port: 0, host: "127.0.0.1" }].map(
      (where) =>
        new Promise<Server>((resolve) => {
          const server = createServer((socket) => {
            connections++
            socket.destroy()
          })
          server.listen(where, () => resolve(server))
        }),
    ),
  )
  return { count: () => connections, close: () => servers.forEach((server) => server.close()) }
}

/** Everything outside the project with what shows a change. */
function stateOf(top: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const walk = (from: string): void => {
    for (const name of readdirSync(join(top, from))) {
      const path = `${from}/${name}`
      const stats = lstatSync(join(top, path))
      const leads = stats.isSymbolicLink() ? readlinkSync(join(top, path)) : ""
      const content = stats.isFile() ? readFileSync(join(top, path), "latin1") : ""
      found.set(path, `${stats.mode} ${leads} ${stats.nlink} ${content}`)
      if (stats.isDirectory()) walk(path)
    }
  }
  for (const name of ["outside", "shared", "home"]) walk(name)
  return found
}

const difference = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
