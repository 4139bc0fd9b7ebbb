/**
 * `npm run release`: everything that is published, in dist/release. Two runs on one commit give the same bytes.
 *
 * `--targets linux-x64,…` makes fewer; `--key <file>` or CODEWRIGHT_SIGNING_KEY signs; `--source <address>` is where the release will
 * be; `--fast` compresses little; `--out <folder>` is another place; `--program <file>` takes an executable instead of building one.
 */

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { dependencies, devDependencies, version as ownVersion } from "../package.json"
import { commitHere, makeExecutable } from "./executable.ts"
import { type Entry, tar } from "./release/archives.ts"
import { compressing } from "./release/compress.ts"
import { debianPackage } from "./release/debian.ts"
import { formula } from "./release/formula.ts"
import { loaderEntries, platformEntries, platformPackage } from "./release/npm.ts"
import { packageFile, run } from "./release/packages.ts"
import { sbom } from "./release/sbom.ts"
import { type Target, targets as allTargets } from "./release/targets.ts"

const root = resolve(import.meta.dir, "..")
const { values } = parseArgs({
  options: {
    targets: { type: "string" },
    key: { type: "string" },
    source: { type: "string" },
    out: { type: "string" },
    program: { type: "string" },
    version: { type: "string" },
    fast: { type: "boolean" },
  },
})
const version = values.version ?? ownVersion
const key = values.key ?? process.env.CODEWRIGHT_SIGNING_KEY
const source = values.source?.replace(/\/+$/, "") ?? ""
const publicKey =
  key === undefined ? "" : run(["ssh-keygen", "-y", "-f", key], root).split(" ").slice(0, 2).join(" ").trim()
const commit = commitHere()
const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? Date.parse(commit.date ?? "1980-01-01T00:00:00Z") / 1000)
const compress = compressing(values.fast ? "fast" : "best")
const out = resolve(root, values.out ?? "dist/release")
const folder = join(out, version)
const chosen = values.targets?.split(",")
const targets = allTargets.filter(({ id }) => chosen === undefined || chosen.includes(id))
const digests = new Map<string, string>()
const archives: { readonly target: Target; readonly file: string; readonly digest: string }[] = []

rmSync(folder, { recursive: true, force: true })
mkdirSync(join(out, "latest"), { recursive: true })
mkdirSync(folder, { recursive: true })
for (const target of targets) await publish(target)
npmPackage("codewright", loaderEntries(targets, version))
put("codewright.rb", formula(source, version, archives))
put("sbom.cdx.json", sbom(version, new Date(seconds * 1000).toISOString()))
put("Containerfile", readFileSync(join(import.meta.dir, "release/Containerfile")))
put("install.sh", installer())
writeFileSync(join(out, "install.sh"), installer(), { mode: 0o755 })
sign()

async function publish(target: Target): Promise<void> {
  const program = readFileSync(values.program ?? (await made(target)))
  const name = `codewright-${version}-${target.id}`
  const entries: readonly Entry[] = [
    { path: `${name}/LICENSE`, contents: readFileSync(join(root, "LICENSE")) },
    { path: `${name}/NOTICE`, contents: readFileSync(join(root, "NOTICE")) },
    { path: `${name}/codewright`, contents: program, mode: 0o755 },
  ]
  const archive = tar(entries, seconds)
  put(`${name}.tar.zst`, compress.zstd(archive))
  put(`${name}.tar.gz`, compress.gzip(archive))
  const file = `${name}.tar.xz`
  put(file, compress.xz(archive, target.arch))
  archives.push({ target, file, digest: digests.get(file) ?? "" })
  npmPackage(platformPackage(target), platformEntries(target, program, version))
  if (target.debian !== undefined)
    put(
      `codewright_${version.replace("-", "~")}_${target.debian}.deb`,
      debianPackage(target.debian, version, program, seconds, compress),
    )
}

async function made(target: Target): Promise<string> {
  const path = join(out, "programs", target.id, "codewright")
  mkdirSync(join(out, "programs", target.id), { recursive: true })
  rmSync(path, { force: true })
  const { id, platform, arch } = target
  const code = await makeExecutable({
    outfile: path,
    platform,
    arch,
    about: {
      ...commit,
      version,
      target: id,
      ...(source !== "" && { source }),
      ...(publicKey !== "" && { key: publicKey }),
    },
    runtime: await packageFile(`@oven/${target.runtime}`, devDependencies.bun, "bin/bun"),
    ripgrep: await packageFile(`@vscode/ripgrep-${platform}-${arch}`, dependencies["@vscode/ripgrep"], "bin/rg"),
  })
  if (code !== 0 || !existsSync(path)) throw new Error(`The program for ${id} could not be built.`)
  return path
}

function npmPackage(name: string, entries: readonly Entry[]): void {
  put(`${name}-${version}.tgz`, compress.gzip(tar(entries, seconds)))
}

function put(name: string, contents: Uint8Array | string): void {
  writeFileSync(join(folder, name), contents)
  digests.set(name, new Bun.CryptoHasher("sha256").update(contents).digest("hex"))
  console.log(`${(Buffer.byteLength(contents) / 1e6).toFixed(2).padStart(8)} MB  ${name}`)
}

function installer(): string {
  return readFileSync(join(import.meta.dir, "release/install.sh"), "utf8")
    .replace("@SOURCE@", () => source)
    .replace("@KEY@", () => publicKey)
}

/** The checksums, and a signature over them that `ssh-keygen -Y verify` can check. */
function sign(): void {
  const sums = join(folder, "SHA256SUMS")
  const lines = [...digests].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, digest]) => `${digest}  ${name}\n`)
  writeFileSync(sums, lines.join(""))
  copyFileSync(sums, join(out, "latest/SHA256SUMS"))
  rmSync(join(out, "latest/SHA256SUMS.sig"), { force: true })
  if (key === undefined) return console.log("Not signed: nobody can update to this. Name a key with --key.")
  run(["ssh-keygen", "-q", "-Y", "sign", "-f", resolve(key), "-n", "codewright-release", sums], root)
  copyFileSync(`${sums}.sig`, join(out, "latest/SHA256SUMS.sig"))
  writeFileSync(join(folder, "release-key.pub"), `${publicKey}\n`)
}
