/** Files that are slow to open were opened on the main thread three times each before the real open, and that waited in a pool of two. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { openPlace, type Place, runCodewright } from "../kit/run-codewright.ts"
import { calls, read } from "../kit/script.ts"

const strace = Bun.which("strace")
// oxlint-disable-next-line no-console -- a skipped test should say what it needs.
if (strace === null) console.warn("strace is missing, so no file can be made slow to open: install it.")

const names = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]

const openSlowPlace = (): Place => openPlace(Object.fromEntries(names.map((name) => [name, `this is ${name}\n`])))

function slowed(place: Place): string[] {
  const slow = names.flatMap((name) => ["-P", join(place.work, name)])
  // Long enough for every thread to get its turn on a busy machine.
  const held = "inject=openat:delay_enter=2000000"
  return ["strace", "-f", "-qq", "-o", join(place.path, "trace"), "-e", "trace=openat", "-e", held, ...slow]
}

/** How often a file was opened, and how often while none of the opens had come to its end. */
function opens(place: Place): { readonly all: number; readonly together: number } {
  const lines = readFileSync(join(place.path, "trace"), "utf8").split("\n")
  // An open that is under way while another thread does something is told in two lines.
  const begun = lines.flatMap((line, at) => (/openat\(AT_FDCWD/.test(line) ? [at] : []))
  const firstEnd = lines.findIndex((line) => /openat resumed|openat\(.*\) = \d/.test(line))
  return { all: begun.length, together: begun.filter((at) => at < firstEnd).length }
}

test.skipIf(strace === null)("five slow files are opened side by side, each of them once", async () => {
  using place = openSlowPlace()
  // A file that was just written is looked at once more before the next request, which is not what this is about.
  await Bun.sleep(150)
  const run = await runCodewright({
    place,
    argv: ["-p", "read them"],
    // From source the pool is in use before any of our code is; the next test is about its size.
    env: { UV_THREADPOOL_SIZE: "10" },
    wrap: `exec ${slowed(place).join(" ")} "$@"`,
    scenario: [calls(...names.map(read)), "Done."],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  const sent = JSON.stringify(run.requests.at(-1)?.body)
  for (const name of names) expect(sent).toContain(`this is ${name}`)
  expect(opens(place)).toEqual({ all: 5, together: 5 })
})

const root = resolve(import.meta.dir, "../..")

const waiter = `
  import { open } from "node:fs/promises"
  import { allowWaiting } from "${root}/src/ground/workspace/processes/threads.ts"
  allowWaiting(10)
  await Promise.all(process.argv.slice(2).map(async (path) => (await open(path)).close()))
  console.log(process.env.UV_THREADPOOL_SIZE ?? "nothing left behind")
`

test.skipIf(strace === null)(
  "as many wait as may, whatever the number of processors; commands learn nothing of it",
  () => {
    using place = openSlowPlace()
    const source = join(place.path, "waiter.ts")
    const built = join(place.path, "waiter")
    writeFileSync(source, waiter)
    const build = [process.execPath, "build", "--compile", source, `--outfile=${built}`]
    expect(Bun.spawnSync(build, { cwd: root, stdio: ["ignore", "ignore", "inherit"] }).exitCode).toBe(0)
    const paths = names.map((name) => join(place.work, name))
    const ran = Bun.spawnSync([...slowed(place), built, ...paths], { env: { PATH: process.env.PATH ?? "" } })
    expect(ran.stdout.toString()).toBe("nothing left behind\n")
    expect(opens(place)).toEqual({ all: 5, together: 5 })
  },
)
