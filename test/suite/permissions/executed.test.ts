/**
 * The corpus by class, executed: what the judge lets run unasked is run in the hostile repository it was judged in, and
 * nothing comes of it. Real programs: hg, git, git-lfs, npm, corepack, jq, xmllint, shellcheck, binutils. A script stands
 * for version managers and for yarn 1; where the machine lacks a program, an empty one stands in its place.
 */

import { describe, expect, test } from "bun:test"
import { type ClassRow, permissionClasses, readClass } from "../../kit/class-rows.ts"
import { type Effects, hasEffects, runAllIn, runIn, watchers, watchWorld } from "../../kit/executed.ts"
import { openWorlds, placed, secrets, type World } from "../../kit/hostile-worlds.ts"
import { openRowJudge } from "../../kit/judge-row.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { spread } from "../../kit/runs.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const programs = "git npm corepack hg git-lfs jq xmllint shellcheck ar file python3"
const needed = [...watchers, ...programs.split(" ")]
const isComplete = needed.every((program) => Bun.which(program))

const timeoutMs = 900_000

/** Of each world. */
const readersByDay = 24

interface Ran {
  readonly row: ClassRow
  readonly effects: Effects
}

const shown = ({ row, effects }: Ran): string =>
  `${row.id} ${row.world} ${row.mode} ${JSON.stringify(row.input)}: ${JSON.stringify(effects)}`

const commandOf = (row: ClassRow, world: World): string => placed(String(row.input["command"]), world)

/** What asks a server by its nature: that it reaches one is no surprise. */
const asksServer = /^(?:npm view|gh|kubectl get|docker) ?/

/** Runs the rows of a world that may run unasked because they only read, all together; whoever did something is found. */
async function runFree(
  worldName: string,
  top: string,
): Promise<{ readonly count: number; readonly guilty: readonly Ran[] }> {
  const world = openWorlds(`${top}/judged`).world(worldName)
  const judge = await openRowJudge(world)
  const readers = commandRows.filter((row) => {
    if (row.world !== worldName) return false
    const { behavior, because } = judge(row)
    return behavior === "allow" && because === "read_only"
  })
  const free = spread(readers, readersByDay)
  const isQuiet = (row: ClassRow): boolean => !asksServer.test(String(row.input["command"]))
  const run = (some: readonly ClassRow[], where: World): Promise<Effects> =>
    runAllIn(
      where,
      some.map((row) => commandOf(row, where)),
      "as reader",
    )
  const together = await run(free.filter(isQuiet), world)
  const suspects = hasEffects(together) ? free : free.filter((row) => !isQuiet(row))
  const guilty: Ran[] = []
  for (const row of suspects) {
    const effects = await run([row], openWorlds(`${top}/${row.id}`).world(worldName))
    const counted = isQuiet(row) ? effects : { ...effects, reached: [] }
    if (hasEffects(counted)) guilty.push({ row, effects: counted })
  }
  return { count: free.length, guilty }
}

const commandRows = permissionClasses.flatMap(readClass).filter(({ tool }) => tool === "Bash")

describe.skipIf(!isComplete)("what runs unasked because it only reads leaves nothing behind", () => {
  test.each([...new Set(commandRows.map(({ world }) => world))])(
    "in %s",
    async (worldName) => {
      using top = temporaryFolder()
      const { count, guilty } = await runFree(worldName, top.path)
      print(`  ${worldName.padEnd(20)} ${count} rows ran, ${guilty.length} did something`)
      expect(guilty.map(shown)).toEqual([])
    },
    timeoutMs,
  )
})

describe.skipIf(!isComplete)(
  "a session in the hostile repository decides and runs by itself, and nothing comes of it",
  () => {
    const rows = commandRows.filter(({ mode, rules, input }) => {
      const hasRules = Object.values(rules).some((list) => list.length > 0)
      return mode === "default" && !hasRules && !asksServer.test(String(input["command"]))
    })
    const worldNames = ["hg", "asdf", "rustup", "links", "git-lfs", "git-gpg-log", "git-merge", "documents", "npmrc"]

    test.each(spread(worldNames, 3))(
      "%s",
      async (worldName) => {
        using top = temporaryFolder()
        const world = openWorlds(top.path).world(worldName)
        const mine = rows.filter((row) => row.world === worldName)
        const commands = mine.map((row) => commandOf(row, world))
        const since = watchWorld(world)
        await using t = await openTestSession({
          script: [...commands.map((command) => calls(bash(command))), says("Done.")],
          mode: "default",
          allow: [],
          limits: { repeats: 1000 },
          place: {
            cwd: world.workspace,
            home: world.home,
            childEnv: () => ({ PATH: world.path, HOME: world.home, LANG: "C.UTF-8" }),
          },
        })
        await t.prompt("go")
        const decisions = t.story().filter((line) => line.startsWith("decision"))
        const ran = mine.filter((_, i) => decisions[i]?.startsWith("decision allow"))
        expect(decisions.length).toBe(mine.length)
        expect(ran.filter(({ label }) => label === "ask" || label === "deny")).toEqual([])
        expect(since()).toEqual({ marks: [], changed: [] })
        const said = JSON.stringify(t.results())
        expect(secrets.filter((secret) => said.includes(secret))).toEqual([])
      },
      timeoutMs,
    )
  },
)

/** Attacks of each class that must leave traces when nobody judges them: the harness would see it. */
const controls: readonly (readonly [className: string, world: string, command: string, effect: keyof Effects])[] = [
  ["version-flags", "hg", "hg --version", "marks"],
  ["version-flags", "git-help", "git log --help", "marks"],
  ["version-flags", "npmrc", "npm help", "changed"],
  ["proxies", "asdf", "node --version", "marks"],
  ["proxies", "rustup", "rustc --version", "started"],
  ["proxies", "rustup-hard", "cargo --version", "marks"],
  ["proxies", "asdf-node-only", "npm ls", "marks"],
  ["proxies", "yarn-classic", "yarn --version", "marks"],
  ["proxies", "corepack", "pnpm --version", "reached"],
  ["proxies", "project-path", "jq . package.json", "marks"],
  ["made-names", "links", "ls | xargs cat", "leaked"],
  ["made-names", "links", "cat $(git ls-files)", "leaked"],
  ["made-names", "links-flags", "git ls-files | xargs -n1 wc -l", "leaked"],
  ["made-names", "links-flags-f", "ls | xargs file", "leaked"],
  ["git-config", "git-merge", "git log -m -p", "marks"],
  ["git-config", "git-textconv", "git grep --textconv one", "marks"],
  ["git-config", "git-filter", "git status", "marks"],
  ["git-config", "git-lfs", "git status", "marks"],
  ["git-config", "git-blame", "git blame src/a.ts", "leaked"],
  ["git-config", "git-worktree", "git diff", "leaked"],
  ["git-config", "git-gpg-log", "git log", "marks"],
  ["git-config", "git-submodule", "git status", "marks"],
  ["git-config", "git-bare", "cd inner && git status", "marks"],
  ["loading-readers", "documents", "xmllint --c14n evil.xml", "leaked"],
  ["loading-readers", "documents", "shellcheck -a deploy.sh", "leaked"],
  ["loading-readers", "documents", "ar t lib.a @args", "leaked"],
  ["loading-readers", "documents", "jq -n env", "leaked"],
  ["loading-readers", "documents", "awk -f prog.awk README.md", "marks"],
  ["writing-readers", "npmrc", "npm ls", "changed"],
  ["writing-readers", "plain", "sort -o words.txt words.txt", "changed"],
  ["stdin-interpreters", "plain", "python3 - <<'EOF'\nimport os; os.system('touch marker')\nEOF", "changed"],
  ["stdin-interpreters", "plain", "sh < script.sh", "marks"],
  ["later-code", "later", "echo 'cache=x' > .npmrc", "changed"],
  ["hidden-destruction", "plain", "bash -c 'rm -rf src'", "changed"],
  ["parameter-rules", "plain", "touch marker", "changed"],
  ["fewer-questions", "plain", "awk '{print $2 > \"out\"}' f", "changed"],
]

describe.skipIf(!isComplete)("the same attacks without a judge do something, so the harness can fail", () => {
  test.each(spread(controls, 12))(
    "%s in %s: %s",
    async (name, worldName, command, effect) => {
      using top = temporaryFolder()
      expect(readClass(name).some(({ input, world }) => input["command"] === command && world === worldName)).toBe(true)
      const world = openWorlds(top.path).world(worldName)
      const effects = await runIn(world, command, "as is")
      expect(effects[effect]).not.toEqual([])
    },
    timeoutMs,
  )
})

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
