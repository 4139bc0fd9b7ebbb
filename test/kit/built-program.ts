/** The program as it is shipped: one executable, built once for the sources as they are. So are the helpers of the tests. */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs"
import { join, resolve } from "node:path"
import { lazily } from "#lib/lazily.ts"

const root = resolve(import.meta.dir, "../..")
const programs = join(root, "node_modules/.cache/codewright-programs")

const sources = [
  "{src,sample}/**/*",
  "docs/{guides,reference}/**/*",
  "SECURITY.md",
  "scripts/{build,compressed-assets,documents,empty-database,executable,how-to-build,make-empty-database,packed-libraries}.ts",
  "package-lock.json",
]

/** Whoever used none of them for so long will not start it again. */
const staleMs = 60 * 60 * 1000

/** Its path. Several modules of one test ask for it at the same time. */
export const builtProgram: () => Promise<string> = lazily(() => build("codewright", sources))

if (import.meta.main) {
  const helpers = await build("helpers", [...sources, "test/kit/**/*"], "--entry=test/kit/helpers.ts")
  process.stdout.write(`${await builtProgram()}\n${helpers}\n`)
}

/** Building takes a while, so what was built before for the same sources is used again. */
async function build(called: string, made: readonly string[], ...flags: readonly string[]): Promise<string> {
  const place = join(programs, await digestOf(made))
  const path = join(place, called)
  if (existsSync(path)) {
    utimesSync(place, new Date(), new Date())
    return path
  }
  mkdirSync(place, { recursive: true })
  const fresh = `${path}.${process.pid}`
  const making = Bun.spawn([process.execPath, join(root, "scripts/build.ts"), `--outfile=${fresh}`, ...flags], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, code] = await Promise.all([making.stdout.text(), making.stderr.text(), making.exited])
  if (code !== 0) throw new Error(`The program could not be built.\n${out}${err}`)
  renameSync(fresh, path)
  for (const old of readdirSync(programs).map((name) => join(programs, name)))
    if (Date.now() - statSync(old).mtimeMs > staleMs) rmSync(old, { recursive: true, force: true })
  return path
}

async function digestOf(globs: readonly string[]): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256")
  const files = globs.flatMap((glob) => {
    const named = [...new Bun.Glob(glob).scanSync({ cwd: root })]
    // Bun finds nothing where one of several alternatives has a slash, and what is not hashed is not built again.
    if (named.length === 0) throw new Error(`${glob} names no file.`)
    return named
  })
  for (const file of files.toSorted()) {
    hash.update(file)
    hash.update(await Bun.file(join(root, file)).bytes())
  }
  return hash.digest("hex").slice(0, 16)
}
