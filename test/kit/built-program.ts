/** The program as it is shipped: one executable, built once for the sources as they are. */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs"
import { join, resolve } from "node:path"
import { lazily } from "#lib/lazily.ts"

const root = resolve(import.meta.dir, "../..")
const programs = join(root, "node_modules/.cache/codewright-programs")

/** Whoever used none of them for so long will not start it again. */
const staleMs = 60 * 60 * 1000

/** Its path. Several modules of one test ask for it at the same time. */
export const builtProgram: () => Promise<string> = lazily(build)

if (import.meta.main) process.stdout.write(`${await builtProgram()}\n`)

/** Building takes a while, so what was built before for the same sources is used again. */
async function build(): Promise<string> {
  const place = join(programs, await sourcesDigest())
  const path = join(place, "codewright")
  if (existsSync(path)) {
    utimesSync(place, new Date(), new Date())
    return path
  }
  mkdirSync(place, { recursive: true })
  const fresh = `${path}.${process.pid}`
  const making = Bun.spawn([process.execPath, join(root, "scripts/build.ts"), `--outfile=${fresh}`], {
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

async function sourcesDigest(): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256")
  const files = [
    ...["src", "sample", "docs/guides", "docs/reference"].flatMap((part) => [
      ...new Bun.Glob(`${part}/**/*`).scanSync({ cwd: root }),
    ]),
    "SECURITY.md",
    "scripts/build.ts",
    "scripts/compressed-assets.ts",
    "scripts/documents.ts",
    "scripts/empty-database.ts",
    "scripts/executable.ts",
    "scripts/how-to-build.ts",
    "scripts/make-empty-database.ts",
    "scripts/packed-libraries.ts",
    "package-lock.json",
  ]
  for (const file of files.toSorted()) {
    hash.update(file)
    hash.update(await Bun.file(join(root, file)).bytes())
  }
  return hash.digest("hex").slice(0, 16)
}
