/** `codewright update`: another version in place of this one. Nothing looks for updates unless this command is run. */

import { readFileSync } from "node:fs"
import { ownerOf } from "#ground/installation/owner.ts"
import { download, findRelease, isVersion, type Release, type ReleaseSource } from "#ground/installation/releases.ts"
import { goBack, install, versionsIn } from "#ground/installation/versions.ts"
import { build } from "#lib/build.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Io } from "#faces/cli/io.ts"
import { isCompiled } from "#faces/cli/own-program.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { settingHere } from "#faces/cli/startup-context-here.ts"

type UpdateFlag = "check" | "to" | "back"

const table: readonly Flag<UpdateFlag>[] = [
  { name: "check", kind: "switch", about: "Only say whether there is a newer version." },
  { name: "to", kind: "value", takes: "version", about: "Install this version, also an older one." },
  { name: "back", kind: "switch", about: "Go back to the version before. It is still here, so nothing is downloaded." },
]

export const help: CommandHelp = {
  usage: ["codewright update [options]"],
  about:
    "Downloads the latest version, checks its signature and checksum, and switches to it. The version before is kept. " +
    "Codewright never checks for updates by itself.",
  table,
  examples: ["codewright update --check", "codewright update --to 0.1.0", "codewright update --back"],
}

export async function updateCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const args = parseArguments(argv, table)
  if (!args.ok) return io.fail(args.failure.message)
  const { has, value, rest } = args.value
  const wanted = value("to")
  const modes = [has("check"), wanted !== undefined, has("back")].filter(Boolean).length
  if (rest.length > 0)
    return io.fail(`update takes no words. To send this as a prompt: codewright -- update ${rest.join(" ")}`)
  if (modes > 1) return io.fail("update takes one of --check, --to <version> and --back.")
  if (wanted !== undefined && !isVersion(wanted)) return io.fail(`${wanted} is not a version, such as 0.1.0.`)
  const owner = ownerOf({ program: process.execPath, isSource: !isCompiled() })
  if (owner.kind === "other" && !has("check"))
    return io.fail(`This copy of Codewright ${owner.by}. To update it: ${owner.update}`)
  if (has("back") && owner.kind === "own") return said(io, await goBack(owner.root), (to) => `Now using ${to}.`)
  const setting = await settingHere(io)
  if (!setting) return 1
  const source = sourceIn(setting)
  if (!source.ok) return io.fail(source.failure)
  const release = await findRelease(source.value, wanted)
  if (!release.ok) return io.fail(release.failure)
  const root = owner.kind === "own" ? owner.root : undefined
  const current = (root === undefined ? undefined : versionsIn(root).current) ?? version
  const order = Bun.semver.order(release.value.version, current)
  if (order === 0)
    return succeed(io, `Codewright ${current} is ${wanted === undefined ? "the latest version" : "installed already"}.`)
  if (order < 0 && wanted === undefined)
    return succeed(
      io,
      `Codewright ${current} is newer than the latest release, ${release.value.version}. To install that one: codewright update --to ${release.value.version}`,
    )
  if (root === undefined || has("check"))
    return succeed(io, `Codewright ${release.value.version} is available; this is ${current}.`)
  return said(io, await put(root, source.value, release.value), () => switched(current, release.value.version))
}

async function put(root: string, source: ReleaseSource, release: Release): Promise<Result<void, string>> {
  // What is here already needs no download.
  const archive = versionsIn(root).before === release.version ? ok(new Uint8Array()) : await download(source, release)
  return archive.ok
    ? install(root, release.version, archive.value, (program) => starts(program, release.version))
    : archive
}

async function starts(program: string, wanted: string): Promise<Result<void, string>> {
  try {
    const child = Bun.spawn([program, "--version"], { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0)
      return failed(`it ended with code ${code}${err.trim() === "" ? "" : ` (${err.trim().slice(0, 200)})`}.`)
    // Driven by an SDK, the number of the protocol comes first.
    return out.includes(wanted) ? ok(undefined) : failed(`it says that it is ${out.trim().slice(0, 80)}.`)
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

function sourceIn({ loaded, environment, network }: StartupContext): Result<ReleaseSource, string> {
  const source = environment.updateSource ?? loaded.settings.updates?.source ?? build.source
  const written = environment.updateKey ?? loaded.settings.updates?.key ?? build.key
  const { target } = build
  if (target === undefined) return failed("Codewright runs from source here. To update it: git pull, then npm ci")
  if (source === undefined)
    return failed("This build does not know where releases are. Set updates.source to an https address or a folder.")
  if (written === undefined)
    return failed("This build knows no key that signs releases. Set updates.key to the public key, or a file with it.")
  const key = keyIn(written)
  if (!key.ok) return key
  return ok({ source, key: key.value, target, network, signal: new AbortController().signal })
}

/** The key itself, or a file with it. */
function keyIn(written: string): Result<string, string> {
  if (written.startsWith("ssh-")) return ok(written)
  try {
    return ok(readFileSync(written, "utf8"))
  } catch {
    return failed(`The release key ${written} cannot be read.`)
  }
}

const switched = (from: string, to: string): string =>
  `Updated Codewright from ${from} to ${to}. Go back with: codewright update --back`

function said<Value>(io: Io, result: Result<Value, string>, words: (value: Value) => string): number {
  return result.ok ? succeed(io, words(result.value)) : io.fail(result.failure)
}

function succeed(io: Io, text: string): number {
  io.say(text)
  return 0
}
