/** Grounds to break out of, each with a project, a home and files outside, for root and for an ordinary user; and the built program that confines. */

import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { bwrap, ended, everybody, type Somebody, walls } from "./confine.ts"
import { lastingFolder, temporaryFolder } from "./tmp.ts"
import { openTurns } from "./turns.ts"

export interface Ground extends Disposable {
  readonly user: Somebody
  readonly top: string
  /** The working folder: a repository with a submodule, a nested repository and a linked worktree. */
  readonly work: string
  readonly home: string
  readonly out: string
  readonly at: (...parts: readonly string[]) => string
  /** What a command line of the user prints, in the working folder, outside of any sandbox. */
  readonly outside: (script: string) => Promise<string>
}

/** Something a program tries, and whether it came about, seen from outside. */
export interface Attack {
  readonly name: string
  /** For bash, in the working folder; `$OUT` is a folder that the user may write and the sandbox may not. */
  readonly script: string
  /** `said` is what the script printed. */
  readonly happened: (ground: Ground, said: string) => boolean | Promise<boolean>
  /** Who can do it without the sandbox; left out where everybody can, `nobody` where it would harm the machine. */
  readonly bare?: "root" | "user" | "nobody"
}

export interface Outcome {
  readonly name: string
  readonly said: string
  readonly happened: boolean
}

/** Bubblewrap works here, so there is something to prove. */
export const canConfine: boolean = bwrap !== null && (await ended([bwrap, ...walls, "/bin/true"])).code === 0

export const isRoot: boolean = process.getuid?.() === 0

const root = resolve(import.meta.dir, "../..")

/** The program in one file, where every user can execute it: an ordinary user may not be able to read our sources. */
export async function buildProgram(): Promise<string> {
  const folder = lastingFolder()
  chmodSync(folder, 0o755)
  const file = join(folder, "codewright")
  const built = process.env["CODEWRIGHT_TEST_PROGRAM"]
  if (built !== undefined && (await isExecutable(built))) copyFileSync(built, file, constants.COPYFILE_FICLONE)
  else await buildInto(file)
  chmodSync(file, 0o755)
  return file
}

/** Not the launcher, which starts the sources. */
const isExecutable = async (path: string): Promise<boolean> =>
  !(await Bun.file(path).slice(0, 2).text()).startsWith("#!")

async function buildInto(file: string): Promise<void> {
  const helper = `--asset=src/ground/sandbox/confine/confine-${process.arch}`
  const how = ["build", "--compile", "--splitting", "--format=esm", "--no-compile-autoload-dotenv", helper]
  const child = Bun.spawn([process.execPath, ...how, "src/main.ts", `--outfile=${file}`], {
    cwd: root,
    stdout: "ignore",
    stderr: "pipe",
  })
  const [code, said] = await Promise.all([child.exited, child.stderr.text()])
  if (code !== 0) throw new Error(`the program cannot be built: ${said}`)
}

/** Not in /tmp, which is private inside: what is outside must be in sight there. */
const visiblePlace = isRoot ? "/var/cache" : undefined

export async function openGround(user: Somebody, sandbox: object = {}): Promise<Ground> {
  const folder = temporaryFolder(visiblePlace)
  const at = folder.join
  const put = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text, { mode })
  }
  put("state/settings.json", JSON.stringify({ sandbox: { enabled: true, ...sandbox } }))
  put("state/key.json", "SECRET-state")
  put("home/.ssh/id_rsa", "SECRET-ssh", 0o600)
  put("home/.aws/credentials", "SECRET-aws", 0o600)
  put("home/.gitconfig", "[user]\n\tname = N\n\temail = n@example.com\n[init]\n\tdefaultBranch = main\n")
  put("home/dotfiles/bashrc", "")
  put("out/victim", "before")
  put("out/folder/file", "before")
  put("work/a.txt", "a\n")
  chmodSync(folder.path, 0o755)
  if (user.owner !== undefined) own(folder.path, user.owner)
  const ground: Ground = {
    user,
    top: folder.path,
    work: at("work"),
    home: at("home"),
    out: at("out"),
    at,
    outside: async (script) => (await runAs(at, user, ["/bin/bash", "-c", script])).out,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
  await layRepositories(ground)
  return ground
}

/** The repositories as each user makes them, by the user's name: copied for every further ground of the same file. */
const laid = new Map<string, Promise<string>>()

async function layRepositories(ground: Ground): Promise<void> {
  const from = await laid.get(ground.user.name)
  // What another file of the same process laid down went with it.
  if (from === undefined || !existsSync(from)) {
    const making = makeRepositories(ground, join(lastingFolder(), "laid"))
    laid.set(ground.user.name, making)
    await making
    return
  }
  const said = Bun.spawnSync(["cp", "-a", join(from, "work"), join(from, "origin"), join(from, "tree"), ground.top])
  if (said.exitCode !== 0) throw new Error(`the repositories cannot be copied: ${said.stderr.toString()}`)
  const before = readFileSync(join(from, "top"), "utf8")
  for (const name of whereTopIsNamed) {
    const { uid, gid, mode } = statSync(ground.at(name))
    writeFileSync(ground.at(name), readFileSync(ground.at(name), "utf8").replaceAll(before, ground.top), { mode })
    chownSync(ground.at(name), uid, gid)
  }
}

async function makeRepositories(ground: Ground, copy: string): Promise<string> {
  await ground.outside(repositories)
  mkdirSync(copy)
  writeFileSync(join(copy, "top"), ground.top)
  Bun.spawnSync(["cp", "-a", ground.work, ground.at("origin"), ground.at("tree"), copy])
  return copy
}

/** Files of the repositories that have their own place in them. */
const whereTopIsNamed = [
  "tree/.git",
  ...["worktrees/tree/gitdir", "config", "modules/sub/config"].map((name) => `work/.git/${name}`),
]

const repositories = `set -e
git init -q . && git add a.txt && git commit -qm one
git init -q vendor/lib && git -C vendor/lib commit -q --allow-empty -m one
git init -q vendor/hooked && git -C vendor/hooked config core.hooksPath tools/hooks
git init -q ../origin && git -C ../origin commit -q --allow-empty -m one
git -c protocol.file.allow=always submodule --quiet add "$PWD/../origin" sub
git config -f .gitmodules submodule.sub.url ../origin && git add .gitmodules
git worktree add -q ../tree -b side`

function own(path: string, owner: number): void {
  chownSync(path, owner, owner)
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) own(join(path, name), owner)
}

/** What everybody has in the environment, and a program must not get: keys and ways to other processes. */
const environment = (at: Ground["at"]): readonly string[] => [
  "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  `HOME=${at("home")}`,
  `CODEWRIGHT_HOME=${at("state")}`,
  `OUT=${at("out")}`,
  "ANTHROPIC_API_KEY=SECRET-anthropic",
  "GITHUB_TOKEN=SECRET-github",
  "AWS_SECRET_ACCESS_KEY=SECRET-cloud",
  `SSH_AUTH_SOCK=${at("out/agent")}`,
]

const commandOf = (at: Ground["at"], user: Somebody, argv: readonly string[]): readonly string[] => [
  ...user.become,
  "/usr/bin/env",
  "-i",
  ...environment(at),
  ...argv,
]

const runAs = (at: Ground["at"], user: Somebody, argv: readonly string[]): Promise<Ended> =>
  endedIn(at("work"), commandOf(at, user, argv))

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function endedIn(cwd: string, argv: readonly string[]): Promise<Ended> {
  const child = Bun.spawn([...argv], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

/** The command line that runs a script in the sandbox, for tests that watch it themselves. */
export const confinedArgv = (program: string, { at, user }: Ground, script: string): readonly string[] =>
  commandOf(at, user, [program, "sandbox", "run", "--", "/bin/bash", "-c", script])

/** Runs a script in the sandbox, in the working folder. */
export const runConfined = (program: string, ground: Ground, script: string): Promise<Ended> =>
  endedIn(ground.work, confinedArgv(program, ground, script))

/** Tries attacks one after another, in the sandbox or without, and then looks what came of each. */
async function tryAll(
  ground: Ground,
  attacks: readonly Attack[],
  program: string | undefined,
): Promise<readonly Outcome[]> {
  const list = ground.at("attacks.sh")
  // One that waits for something it cannot have is given up.
  const lines = attacks.map(({ script }, i) => `timeout -k 1 6 bash -c ${quoted(script)} </dev/null 2>&1\n${mark(i)}`)
  writeFileSync(list, lines.join("\n"))
  const script = `. ${quoted(list)}`
  const { out, err } = program
    ? await runConfined(program, ground, script)
    : { out: await ground.outside(script), err: "" }
  const outcomes: Outcome[] = []
  let rest = out
  for (const [i, { name, happened }] of attacks.entries()) {
    const end = rest.indexOf(`${ends(i)}\n`)
    if (end < 0) throw new Error(`The attack "${name}" did not come to its end: ${rest}${err}`)
    const said = rest.slice(0, end)
    rest = rest.slice(end + ends(i).length + 1)
    outcomes.push({ name, said, happened: await happened(ground, said) })
  }
  return outcomes
}

const ends = (i: number): string => `-- end of ${i} --`
const mark = (i: number): string => `echo "${ends(i)}"`

export interface Proving {
  /** What settings say about the sandbox. */
  readonly sandbox?: object
  /** Puts there what is attacked, and takes away what would outlive the ground. */
  readonly furnish?: (ground: Ground) => Promise<void>
  readonly clear?: (ground: Ground) => Promise<void>
}

/** Whether the attack comes about without the sandbox. */
const isAble = (user: Somebody, { bare }: Attack): boolean =>
  bare === undefined ||
  (bare === "root" && isRoot && user.owner === undefined) ||
  (bare === "user" && user.owner !== undefined)

/** Who tries what: each attack is one of those who could do it, in turns. */
export function openTurnsOfUsers(): <A extends Attack>(user: Somebody, attacks: readonly A[]) => readonly A[] {
  const turn = openTurns()
  const known = new Map<Attack, readonly Somebody[]>()
  const usersOf = (attack: Attack): readonly Somebody[] => {
    const able = everybody.filter((user) => isAble(user, attack))
    const found = known.get(attack) ?? turn(able.length === 0 ? everybody : able)
    known.set(attack, found)
    return found
  }
  return (user, attacks) => attacks.filter((attack) => usersOf(attack).includes(user))
}

/** Attacks on one ground, and the same without the sandbox on another: only there they come about. */
export async function provenBy(
  program: string,
  user: Somebody,
  attacks: readonly Attack[],
  { sandbox = {}, furnish, clear }: Proving = {},
): Promise<{ readonly got: object; readonly wanted: object }> {
  const able = (attack: Attack): boolean => isAble(user, attack)
  using here = await openGround(user, sandbox)
  using there = await openGround(user, sandbox)
  for (const ground of [here, there]) await furnish?.(ground)
  const confined = await tryAll(here, attacks, program)
  const bare = await tryAll(there, attacks.filter(able), undefined)
  for (const ground of [here, there]) await clear?.(ground)
  const shown = (outcomes: readonly Outcome[]): object =>
    Object.fromEntries(outcomes.map(({ name, happened }) => [name, happened]))
  return {
    got: { confined: shown(confined), bare: shown(bare) },
    wanted: {
      confined: Object.fromEntries(attacks.map(({ name }) => [name, false])),
      bare: Object.fromEntries(attacks.filter(able).map(({ name }) => [name, true])),
    },
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Test names with the user. */
export const users: readonly (readonly [string, Somebody])[] = everybody.map((user) => [user.name, user] as const)
