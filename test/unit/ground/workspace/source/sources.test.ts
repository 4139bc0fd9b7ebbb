/** Clones of sessions, kept and made again on another machine. Real git over files. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import type { Checkout } from "#ground/workspace/source/checkout.ts"
import { openSources, type KeptLane, type OtherTree, type Sources } from "#ground/workspace/source/sources.ts"
import { valueOf } from "../../../../kit/team/conformance.ts"

interface World {
  readonly path: string
  readonly url: string
  readonly source: string
  /** Each has a cache of its own, as if it were another machine. */
  readonly machine: (name: string) => { readonly sources: Sources; readonly checkout: Checkout }
  readonly sh: (command: string, cwd: string) => Promise<string>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

async function openWorld(setUp: string): Promise<World> {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sources-")))
  const source = join(path, "source")
  const scratch = join(path, "scratch")
  const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 500, drainMs: 100 })
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: path,
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  }
  const sh = async (command: string, cwd: string): Promise<string> => {
    const { stdout, stderr, exited } = Bun.spawn(["bash", "-ec", command], { cwd, env, stdout: "pipe", stderr: "pipe" })
    const [text, errors, code] = await Promise.all([stdout.text(), stderr.text(), exited])
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors}`)
    return text
  }
  mkdirSync(source)
  await sh(`git init -qb main && ${setUp} && git add -A && git commit -qm base`, source)
  const base = (await sh("git rev-parse HEAD", source)).trim()
  const url = `file://${source}`
  return {
    path,
    url,
    source,
    sh,
    machine(name) {
      const own = join(path, name)
      mkdirSync(own, { recursive: true })
      const sources = openSources({ processes, env: () => env, cache: join(own, "cache"), clock: systemClock })
      return {
        sources,
        checkout: { url, base, branch: "codewright/x", tree: join(own, "tree"), keeper: join(own, "keeper.git") },
      }
    },
    async [Symbol.asyncDispose]() {
      await processes.close()
      await sh("chmod -R u+rwx . || true", path)
      rmSync(path, { recursive: true, force: true })
    },
  }
}

const nothing = { parts: [] } as const

/** Everything a person could see of a clone. */
const look = `
find . -path ./.git -prune -o -printf '%p %y %m %l\\n' | sort
find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
git status --porcelain=v2 --branch --untracked-files=all; git diff --cached; git ls-files -u
git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/stash; git symbolic-ref -q HEAD || git rev-parse HEAD
git config user.name || true; git log --format='%H %s' --all -- || true`

/** As the first machine leaves it, and as the second finds it. */
async function moved(
  world: World,
  work: readonly string[],
): Promise<readonly [before: string, after: string, stays: readonly string[]]> {
  const one = world.machine("one")
  valueOf(await one.sources.make(one.checkout))
  const lanes = { files: [] as Uint8Array[], beside: [] as Uint8Array[] }
  const joined = { files: "", beside: "" }
  let since: { readonly [lane in "files" | "beside"]: string } | undefined
  for (const command of work) {
    await world.sh(command, one.checkout.tree)
    const states = valueOf(await one.sources.keep(one.checkout, []))
    for (const lane of ["files", "beside"] as const) {
      if (since?.[lane] === states[lane]) continue
      const packed = valueOf(await one.sources.pack(one.checkout, lane, states[lane], since && { since: joined[lane] }))
      lanes[lane].push(packed.bytes)
      joined[lane] = packed.state
    }
    since = states
  }
  const before = await world.sh(look, one.checkout.tree)
  const two = world.machine("two")
  const kept = { files: { parts: lanes.files }, beside: { parts: lanes.beside } }
  const { stays } = valueOf(await two.sources.restore(two.checkout, kept, join(world.path, "beside")))
  return [before, await world.sh(look, two.checkout.tree), stays]
}

test("modes, links, ignored files, empty folders, what is staged, branches, tags and the stash come along", async () => {
  await using world = await openWorld(
    "echo hello > README.md && echo old > gone.txt && printf 'out\\n*.log\\nnode_modules\\n.env\\n' > .gitignore && echo '* text eol=lf' > .gitattributes",
  )
  const [before, after, stays] = await moved(world, [
    "printf 'a\\r\\nb' > crlf.txt; ln -s crlf.txt link; ln -s /nowhere/at/all broken; mkdir -p empty/er; echo '#!/bin/sh' > run.sh; chmod 755 run.sh",
    "echo SECRET=1 > .env; chmod 600 .env; mkdir -p out/deep; echo built > out/deep/a.js; echo x > debug.log; mkdir node_modules; echo big > node_modules/x",
    "git config user.name T && git add run.sh && git commit -qm first && git branch other && git tag light && git tag -a noted -m 'a tag'",
    "echo staged > s.txt && git add s.txt && echo later > s.txt; rm gone.txt; git rm -q --cached README.md; chmod 444 crlf.txt",
    "git stash push -q -- s.txt; echo again > s.txt; git add s.txt; echo more >> s.txt; mkdir -m 700 private; echo p > private/p",
    "git init -q inner && echo i > inner/i",
  ])
  expect(before).toContain("./.env f 600")
  expect(before).toContain("./crlf.txt f 444")
  expect(before).toContain("refs/stash")
  expect(stays).toEqual(["inner/", "node_modules/"])
  const own = (text: string): string =>
    text
      .split("\n")
      .filter((line) => !/ \.\/(?:inner|node_modules)|^\.\/(?:inner|node_modules)/.test(line) && line !== "? inner/")
      .join("\n")
  expect(own(after)).toBe(own(before))
})

test("a merge with conflicts keeps its stages, and an unborn branch stays unborn", async () => {
  await using world = await openWorld("echo base > f")
  const [before, after] = await moved(world, [
    "git checkout -qb left && echo left > f && git commit -qam left && git checkout -qb right HEAD~ && echo right > f && git commit -qam right",
    "git merge -q left || true",
  ])
  expect(before).toContain("100644")
  expect(after.replaceAll(/^#.*$/gm, "")).toBe(before.replaceAll(/^#.*$/gm, ""))
  const two = world.machine("two")
  expect(await world.sh("git ls-files -u | wc -l", two.checkout.tree)).toBe("3\n")

  await using other = await openWorld("echo base > f")
  const [orphan, again] = await moved(other, [
    "git checkout -q --orphan fresh && git rm -qrf . && echo n > n && git add n",
  ])
  expect(orphan).toContain("refs/heads/fresh")
  expect(again).toBe(orphan)
})

const name = fc.constantFrom("a", "b", "d/c", "d/e/f", "x.log", "out/g", "out/h/i", "sp ace", "ü", "-dash")
const step = fc.oneof(
  fc
    .tuple(name, fc.string({ maxLength: 20 }))
    .map(
      ([path, text]) =>
        `mkdir -p "$(dirname -- "./${path}")" 2>/dev/null && printf %s '${text.replaceAll(/[^\w \n]/g, "_")}' > "./${path}" || true`,
    ),
  name.map((path) => `rm -rf -- "./${path}"`),
  fc
    .tuple(name, fc.constantFrom("600", "755", "444", "640"))
    .map(([path, mode]) => `[ -f "./${path}" ] && chmod ${mode} "./${path}" || true`),
  name.map((path) => `git add -- "./${path}" 2>/dev/null || true`),
  name.map((path) => `git reset -q -- "./${path}" 2>/dev/null || true`),
  fc.constant("git add -A && git commit -qm step || true"),
  fc.constantFrom("one", "two").map((branch) => `git checkout -q -B ${branch} 2>/dev/null || true`),
  fc.tuple(name, name).map(([path, to]) => `[ -e "./${path}" ] || ln -s "${to}" "./${path}" 2>/dev/null || true`),
  fc.constantFrom("e1", "e1/e2", "out/e3").map((folder) => `mkdir -p ${folder} 2>/dev/null || true`),
)

const runs = Number(process.env.CODEWRIGHT_TREE_RUNS ?? "2")

test("whatever a session does, another machine finds it the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      async (work) => {
        await using world = await openWorld(
          "printf 'out\\n*.log\\n' > .gitignore && echo a > a && mkdir d && echo c > d/c",
        )
        const [before, after, stays] = await moved(
          world,
          work.map((commands) => commands.join("\n")),
        )
        expect(after).toBe(before)
        expect(stays).toEqual([])
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
})

test("what the source has is not kept again, and a ref of the source does as well as the database", async () => {
  await using world = await openWorld("head -c 3000000 /dev/urandom > big.bin && echo a > a")
  const one = world.machine("one")
  valueOf(await one.sources.make(one.checkout))
  await world.sh("cp big.bin copy.bin && echo b >> a && git add a && git commit -qm own", one.checkout.tree)
  const beside = [{ name: "contents/x", bytes: () => new Uint8Array(readFileSync(join(one.checkout.tree, "big.bin"))) }]
  const states = valueOf(await one.sources.keep(one.checkout, beside))
  const files = valueOf(await one.sources.pack(one.checkout, "files", states.files)).bytes
  const besides = valueOf(await one.sources.pack(one.checkout, "beside", states.beside)).bytes
  expect(files.length).toBeLessThan(5_000)
  expect(besides.length).toBeLessThan(5_000)
  const before = await world.sh(look, one.checkout.tree)
  valueOf(await one.sources.push(one.checkout, states.files, "refs/codewright/s"))
  const two = world.machine("two")
  const kept: { readonly files: KeptLane; readonly beside: KeptLane } = {
    files: { ref: "refs/codewright/s" },
    beside: { parts: [besides] },
  }
  valueOf(await two.sources.restore(two.checkout, kept, join(world.path, "beside")))
  expect(await world.sh(look, two.checkout.tree)).toBe(before)
  expect(await world.sh(`cmp big.bin ${world.path}/beside/contents/x`, two.checkout.tree)).toBe("")
  // Who clones the source, or mirrors it for another session, gets none of it.
  expect(await world.sh("git for-each-ref refs/codewright", join(world.path, "two", "tree"))).toBe("")
  expect(await world.sh("git --git-dir=$(ls -d ../cache/*.git) for-each-ref refs/codewright", two.checkout.tree)).toBe(
    "",
  )
  valueOf(await two.sources.removeRef(world.url, "refs/codewright/s"))
  expect(await world.sh("git for-each-ref refs/codewright", world.source)).toBe("")
})

test("what was kept before is not kept again, and the whole does not have it twice", async () => {
  await using world = await openWorld(
    "mkdir -p deep/er && head -c 1000000 /dev/urandom > deep/er/old.bin && echo a > a",
  )
  const { sources, checkout } = world.machine("one")
  valueOf(await sources.make(checkout))
  const random = new Uint8Array(await Bun.file("/dev/urandom").slice(0, 1_000_000).arrayBuffer())
  const old = new Uint8Array(readFileSync(join(checkout.tree, "deep/er/old.bin")))
  const beside = [
    { name: "contents/xx/new", bytes: () => random },
    { name: "contents/xx/old", bytes: () => old },
  ]
  await world.sh("head -c 1000000 /dev/urandom > deep/er/new.bin", checkout.tree)
  const lanes = ["files", "beside"] as const
  const since = { files: "", beside: "" }
  const first = valueOf(await sources.keep(checkout, beside))
  for (const lane of lanes) {
    const { bytes, state } = valueOf(await sources.pack(checkout, lane, first[lane]))
    expect(Math.round(bytes.length / 100_000)).toBe(10)
    since[lane] = state
  }
  await world.sh("echo b > a", checkout.tree)
  const next = valueOf(await sources.keep(checkout, [{ name: "contents/yy/b", bytes: () => new Uint8Array([98]) }]))
  for (const lane of lanes) {
    const more = valueOf(await sources.pack(checkout, lane, next[lane], { since: since[lane] }))
    expect(more.bytes.length).toBeLessThan(5_000)
    const whole = valueOf(await sources.pack(checkout, lane, next[lane]))
    expect(Math.round(whole.bytes.length / 100_000)).toBe(10)
  }
})

test("a source that is gone, or has lost the branch, is named; what was kept whole is enough", async () => {
  await using world = await openWorld("echo a > a")
  const one = world.machine("one")
  valueOf(await one.sources.make(one.checkout))
  await world.sh("echo b > b && git add b && git commit -qm own && echo c > c", one.checkout.tree)
  const states = valueOf(await one.sources.keep(one.checkout, []))
  const before = await world.sh(look, one.checkout.tree)
  const thin = valueOf(await one.sources.pack(one.checkout, "files", states.files)).bytes
  expect(await one.sources.standing(world.url, one.checkout.base)).toEqual({ kind: "there" })
  await world.sh(
    "git checkout -q --orphan other && git commit -qm other && git branch -D main && git reflog expire --expire=now --all && git gc -q --prune=now",
    world.source,
  )
  const three = world.machine("three")
  expect(await three.sources.standing(world.url, one.checkout.base)).toEqual({
    kind: "gone",
    why: expect.stringContaining("no longer has the commit") as string,
  })
  const lacking = await three.sources.restore(three.checkout, { files: { parts: [thin] }, beside: nothing }, "/nowhere")
  expect(lacking).toEqual({ ok: false, failure: expect.stringContaining("no longer has the commit") as string })
  rmSync(world.source, { recursive: true })
  const four = world.machine("four")
  expect(await four.sources.restore(four.checkout, { files: { parts: [thin] }, beside: nothing }, "/nowhere")).toEqual({
    ok: false,
    failure: expect.stringContaining(`The repository ${world.url} cannot be fetched`) as string,
  })
  const whole = valueOf(await one.sources.pack(one.checkout, "files", states.files, "whole")).bytes
  valueOf(await four.sources.restore(four.checkout, { files: { parts: [whole] }, beside: nothing }, "/nowhere"))
  const tracked = (text: string): string => text.replaceAll(/^refs\/heads\/main.*$/gm, "")
  expect(tracked(await world.sh(look, four.checkout.tree))).toBe(tracked(before))
})

test("nothing of the clone's own configuration is started", async () => {
  await using world = await openWorld("echo a > a && echo '* filter=evil' > .gitattributes")
  const { sources, checkout } = world.machine("one")
  valueOf(await sources.make(checkout))
  const evil = join(world.path, "evil")
  await world.sh(
    `printf '#!/bin/sh\\ntouch ${evil}-ran\\ncat\\n' > ${evil} && chmod +x ${evil} && git config filter.evil.clean ${evil} && git config core.fsmonitor ${evil} && git config core.sshCommand ${evil} && git config uploadpack.packObjectsHook ${evil} && git config diff.external ${evil} && mkdir -p .git/hooks && cp ${evil} .git/hooks/post-index-change && cp ${evil} .git/hooks/reference-transaction && echo b > b && echo c > .gitmodules`,
    checkout.tree,
  )
  const { files } = valueOf(await sources.keep(checkout, []))
  valueOf(await sources.push(checkout, files, "refs/codewright/s"))
  expect(existsSync(`${evil}-ran`)).toBe(false)
  writeFileSync(join(checkout.tree, "later"), "1")
})

/** What is kept of a clone, for others. */
async function keptOf({ sources, checkout }: ReturnType<World["machine"]>): Promise<OtherTree> {
  const { files } = valueOf(await sources.keep(checkout, []))
  const { bytes, state } = valueOf(await sources.pack(checkout, "files", files))
  return { session: "other", state, files: async () => ({ parts: [bytes] }) }
}

test("a clone begins with what another session has committed, and what it commits comes back as a branch", async () => {
  await using world = await openWorld("echo one > a")
  const { sh } = world
  const [lead, member] = [world.machine("lead"), world.machine("member")]
  valueOf(await lead.sources.make(lead.checkout))
  await sh(
    "git config user.name Led && echo two > b && git add b && git commit -qm two && echo open > c",
    lead.checkout.tree,
  )
  const own = { ...member.checkout, branch: "codewright/crew/ann" }
  valueOf(await member.sources.makeFrom(own, await keptOf(lead)))
  expect(await sh("git log --format=%s; git status --short --branch; git config user.name", own.tree)).toBe(
    "two\nbase\n## codewright/crew/ann\nLed\n",
  )
  await sh("echo three > d && git add d && git commit -qm three && echo more >> a && echo new > e", own.tree)
  const wish = { branch: own.branch }
  const brought = valueOf(await lead.sources.bring(lead.checkout, await keptOf({ ...member, checkout: own }), wish))
  expect(brought).toMatchObject({ branch: own.branch, uncommitted: ["a"] })
  expect(
    await sh(`git log --format=%s ${own.branch}; git fsck --no-dangling; git status --short`, lead.checkout.tree),
  ).toBe("three\ntwo\nbase\n?? c\n")
  // Again, after both have gone on; what the clone's configuration names is not started.
  await sh("git commit -qam four", own.tree)
  await sh(
    "printf '#!/bin/sh\\ntouch ran' > .git/hooks/reference-transaction && chmod +x .git/hooks/reference-transaction && git config core.fsmonitor 'touch ran;'",
    lead.checkout.tree,
  )
  valueOf(await lead.sources.bring(lead.checkout, await keptOf({ ...member, checkout: own }), wish))
  expect(existsSync(join(lead.checkout.tree, "ran"))).toBe(false)
  await sh("rm .git/hooks/reference-transaction && git config --unset core.fsmonitor", lead.checkout.tree)
  expect(
    await sh(`git merge -q --no-ff ${own.branch} -m merged && git log --format=%s -1 && cat a`, lead.checkout.tree),
  ).toBe("merged\none\nmore\n")
  valueOf(await member.sources.bring(own, await keptOf(lead), "head"))
  expect(await sh(`git log --format=%s -1 ${lead.checkout.branch}`, own.tree)).toBe("merged\n")
})

test("a branch that is checked out here or gone there is not brought", async () => {
  await using world = await openWorld("echo one > a")
  const [lead, member] = [world.machine("lead"), world.machine("member")]
  valueOf(await lead.sources.make(lead.checkout))
  const own = { ...member.checkout, branch: "codewright/crew/ann" }
  valueOf(await member.sources.makeFrom(own, await keptOf(lead)))
  const kept = await keptOf({ ...member, checkout: own })
  const wish = { branch: own.branch }
  valueOf(await lead.sources.bring(lead.checkout, kept, wish))
  await world.sh(`git checkout -q ${own.branch}`, lead.checkout.tree)
  expect(await lead.sources.bring(lead.checkout, kept, wish)).toEqual({
    ok: false,
    failure: "the branch codewright/crew/ann is checked out here",
  })
  expect(await lead.sources.bring(lead.checkout, kept, { branch: "other" })).toEqual({
    ok: false,
    failure: "its branch other is gone",
  })
})

test("sessions that begin together in one repository do not get in each other's way", async () => {
  await using world = await openWorld("echo a > a.txt")
  const { sources, checkout } = world.machine("one")
  const begun = Array.from({ length: 6 }, async (_, nth) => {
    const resolved = valueOf(await sources.resolve(world.url, undefined))
    const own = { ...checkout, tree: join(world.path, `tree-${nth}`), keeper: join(world.path, `keeper-${nth}.git`) }
    return [resolved, await sources.make(own), existsSync(join(own.tree, "a.txt"))] as const
  })
  for (const one of await Promise.all(begun)) expect(one).toEqual([checkout.base, { ok: true, value: undefined }, true])
})

test("the branch that is pushed has the session's own commits, and on them what it did not commit", async () => {
  await using world = await openWorld("echo a > a.txt")
  const { sources, checkout } = world.machine("one")
  valueOf(await sources.make(checkout))
  const pushed = async (): Promise<readonly string[]> => {
    valueOf(await sources.keep(checkout, []))
    valueOf(await sources.publish(checkout))
    const log = await world.sh(
      `git log --format=%s ${checkout.branch}; git ls-tree --name-only ${checkout.branch}`,
      world.source,
    )
    return log.trim().split("\n")
  }
  await world.sh("echo b > b.txt", checkout.tree)
  expect(await pushed()).toEqual(["The files of a session", "base", "a.txt", "b.txt"])
  await world.sh("git add -A && git commit -qm 'Add b'", checkout.tree)
  expect(await pushed()).toEqual(["Add b", "base", "a.txt", "b.txt"])
  await world.sh("echo c > c.txt", checkout.tree)
  expect(await pushed()).toEqual(["What the session did not commit", "Add b", "base", "a.txt", "b.txt", "c.txt"])
})

/** Whoever writes to a file that another clone shares changes that one too. */
const sharedFiles = "find . -type f -links +1 | head"

test("clones of one machine share the mirror's objects, none can change them, and nothing any of them does takes them away", async () => {
  await using world = await openWorld("head -c 300000 /dev/urandom > large.bin && echo a > a.txt")
  const { sources, checkout } = world.machine("one")
  const second = { ...checkout, tree: join(world.path, "two/tree"), keeper: join(world.path, "two/keeper.git") }
  valueOf(await sources.resolve(world.url, undefined))
  await Promise.all([checkout, second].map(async (each) => valueOf(await sources.make(each))))
  for (const { tree } of [checkout, second]) {
    expect(await world.sh(sharedFiles, join(tree, ".git"))).toBe("")
    // Its own objects are next to nothing.
    expect(Number(await world.sh("du -sk .git/objects | cut -f1", tree))).toBeLessThan(200)
  }
  // The source forgets the commit, one clone collects its garbage, and the mirror is put together again.
  await world.sh(
    "git checkout -q --orphan new && git commit -qm other && git branch -D main && git gc -q --prune=now",
    world.source,
  )
  await world.sh("git gc -q --prune=now && git repack -adq && git prune --expire=now", second.tree)
  const mirror = sources.objectsOf(world.url)
  const packs =
    "for i in $(seq 45); do echo $i | git hash-object -w --stdin | git pack-objects -q pack/pack > /dev/null; done"
  await world.sh(`cd ${mirror} && ${packs.replaceAll("git ", "git --git-dir=.. ")}`, world.path)
  valueOf(await sources.resolve(world.url, undefined))
  expect(Number(await world.sh("ls pack/*.pack | wc -l", mirror))).toBe(1)
  await world.sh(
    "git fsck --full --strict && git log -1 --format=%s && git show HEAD:large.bin > /dev/null",
    checkout.tree,
  )
  expect([await sources.isThere(checkout), await sources.isThere(second)]).toEqual([true, true])
  // A clone that was made with another mirror is not used as it is.
  rmSync(mirror, { recursive: true })
  expect(await sources.isThere(checkout)).toBe(false)
})

test("a fetch that was killed leaves nothing behind that stops the next, and processes take turns", async () => {
  await using world = await openWorld("echo a > a.txt")
  const { sources } = world.machine("one")
  const [here, there] = [sources, world.machine("one").sources]
  valueOf(await here.resolve(world.url, undefined))
  const mirror = join(here.objectsOf(world.url), "..")
  const gone = Bun.spawnSync(["true"]).pid
  for (const lock of ["packed-refs.lock", "refs/heads/main.lock", "HEAD.lock"]) writeFileSync(join(mirror, lock), "")
  writeFileSync(`${mirror}.lock`, String(gone))
  await world.sh("echo b >> a.txt && git commit -qam second && git branch other", world.source)
  const head = (await world.sh("git rev-parse HEAD", world.source)).trim()
  const found = await Promise.all([here, there, here, there].map((each) => each.resolve(world.url, "other")))
  expect(found.map(valueOf)).toEqual([head, head, head, head])
  expect(existsSync(`${mirror}.lock`)).toBe(false)
})
