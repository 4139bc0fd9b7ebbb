/**
 * One turn that changes very much, recorded: rm, sed, a checkout, generated files and moved folders, among dirty, untracked
 * and ignored files. A rewind makes every byte, mode, time and link what it was. Large at night.
 */

import { expect, test } from "bun:test"
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { reachableConfine } from "../../kit/confine.ts"
import { openUndoWorld } from "../../kit/undo/world.ts"

const files = Number(process.env.CODEWRIGHT_UNDO_LARGE ?? 400)
const signal = new AbortController().signal

test.skipIf(process.platform !== "linux").each(["a repository", "a plain folder"])(
  `in %s of ${files} files`,
  async (kind) => {
    await using world = openUndoWorld({ recorder: await reachableConfine() })
    const { root } = world
    const isRepository = kind === "a repository"
    makeTree(root, isRepository)
    const part = (share: number): number => Math.max(1, Math.round(files * share))
    const before = look(root)
    const promptId = world.prompt()
    for (const command of [
      // A quarter of all.
      "rm -rf area-0 area-1 area-2 area-3 area-4",
      `find area-5 area-6 -type f | head -${part(0.025)} | xargs -d '\\n' sed -i s/line/LINE/`,
      `mkdir node_modules; cd node_modules; for i in $(seq ${part(0.0015)}); do mkdir p$i; for j in $(seq 100); do echo $j > p$i/$j.js; done; done`,
      "mv area-7 moved; mv moved/part-7 away; ln -s away to-away",
      isRepository ? "git checkout -qf other" : "find area-10 -type f -print0 | xargs -0 truncate -s 3",
      "echo more >> dirty.txt; rm -rf ignored untracked; chmod -R go-r area-8; touch -d @1 area-9/part-9/*",
    ])
      await world.shell(command)
    const changed = Date.now()
    const back = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
    if (!back.ok) throw new Error(back.failure)
    if (process.env.CODEWRIGHT_UNDO_LARGE !== undefined)
      process.stderr.write(
        `${back.value?.written.length} written, ${back.value?.removed.length} removed, in ${Date.now() - changed} ms; ` +
          `${Math.round(process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000)} ms of processor time in all\n`,
      )
    expect(back.value?.kept).toEqual([])
    expect(differences(look(root), before)).toEqual([])
  },
  3_600_000,
)

/** Twenty areas with as many parts each; in a repository another branch differs in a thirtieth of the files. */
function makeTree(root: string, isRepository: boolean): void {
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const nameOf = (i: number): string => `area-${i % 20}/part-${Math.floor(i / 20) % 20}/file-${i}.ts`
  const git = (...argv: readonly string[]): void => {
    const all = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "gc.auto=0", ...argv]
    expect(Bun.spawnSync(["git", ...all], { cwd: root, stdio: ["ignore", "ignore", "ignore"] }).exitCode).toBe(0)
  }
  put(".gitignore", "ignored/\nnode_modules/\n")
  put("dirty.txt", "committed\n")
  for (let i = 0; i < files; i++) put(nameOf(i), `line 1 of ${i}\nline 2\n`)
  if (isRepository) {
    git("init", "-qb", "main")
    git("add", ".")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "other")
    for (let i = 10; i < files; i += 30) put(nameOf(i), `other ${i}\n`)
    git("commit", "-qam", "second")
    git("checkout", "-q", "main")
  }
  put("dirty.txt", "dirty\n")
  for (let i = 0; i < files / 100; i++) {
    put(`untracked/new-${i}`, `${i}\n`)
    put(`ignored/${i}`, `${i}\n`)
  }
  symlinkSync("area-0/part-0", join(root, "to-part"))
}

interface Seen {
  readonly state: string
  readonly time: bigint
}

/** Read without any code of ours. */
function look(root: string): ReadonlyMap<string, Seen> {
  const seen = new Map<string, Seen>()
  const enter = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      if (name === ".git") continue
      const at = join(folder, name)
      const stats = lstatSync(at, { bigint: true })
      const mode = (Number(stats.mode) & 0o7777).toString(8)
      if (stats.isSymbolicLink()) seen.set(at, { state: `link ${readlinkSync(at)}`, time: 0n })
      else if (stats.isDirectory()) {
        seen.set(at, { state: `folder ${mode}`, time: 0n })
        enter(at)
      } else seen.set(at, { state: `file ${mode} ${Bun.hash(readFileSync(at))}`, time: stats.mtimeNs })
    }
  }
  enter(root)
  return seen
}

/** The runtime sets times to the microsecond. */
function differences(now: ReadonlyMap<string, Seen>, before: ReadonlyMap<string, Seen>): readonly string[] {
  const isSame = (a: Seen | undefined, b: Seen | undefined): boolean =>
    a?.state === b?.state && a !== undefined && b !== undefined && a.time - b.time < 1000n && b.time - a.time < 1000n
  return [...new Set([...now.keys(), ...before.keys()])]
    .filter((path) => !isSame(now.get(path), before.get(path)))
    .map((path) => `${path}: is ${now.get(path)?.state ?? "-"}, should be ${before.get(path)?.state ?? "-"}`)
    .slice(0, 20)
}
