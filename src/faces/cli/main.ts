/** The command line: finds the command, or opens a session and chooses its face. */

import { existsSync } from "node:fs"
import { provideLibraries } from "#ground/bundled/libraries.ts"
import { keepProxies } from "#ground/settings/environment.ts"
import { useTemporaryFolder } from "#ground/settings/temporary-folder.ts"
import { nearNames } from "#lib/near.ts"
import { commands } from "./commands.ts"
import { foreignCommand } from "./flags/foreign-commands.ts"
import { type Io, openIo } from "./io.ts"
import { versionFor } from "./help/version-text.ts"

export async function main(argv: readonly string[]): Promise<number> {
  keepProxies()
  provideLibraries()
  const io = openIo()
  const temporary = useTemporaryFolder()
  if (!temporary.ok) {
    const code = io.fail(temporary.failure)
    await io.flushed()
    return code
  }
  const code = await chosen(argv, io).catch((error: unknown) =>
    io.fail(`Codewright stopped because of a bug. What was recorded is kept.\n${String(error)}`),
  )
  const lost = await io.flushed()
  if (lost === undefined) return code
  io.fail(`The output could not be written (${lost}). Free disk space, or write the output elsewhere.`)
  await io.flushed()
  return code === 0 ? 1 : code
}

async function chosen(argv: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = argv
  const command = commands.find(({ name }) => name === (first === "help" ? rest[0] : first))
  if (command && first === "help") return command.run(["--help"], io)
  if (command) return isHere() ? command.run(rest, io) : io.fail(gone)
  // Whoever asks for help among other words, some of them perhaps mistaken, is in need of it.
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined)
  if (first === "help" || words.includes("--help") || words.includes("-h")) {
    const { helpText, wholeHelpText } = await import("./help/help.ts")
    const [about] = rest
    if (first === "help" && about !== undefined && about !== "all" && !about.startsWith("-"))
      return io.fail(unknownHelp(about))
    io.write(about === "all" ? wholeHelpText(commands) : helpText(commands))
    return 0
  }
  if (words.includes("--man")) {
    const { manPage } = await import("./help/man-page.ts")
    io.write(await manPage(commands))
    return 0
  }
  if (words.includes("--version") || words.includes("-v")) {
    io.write(`${versionFor(words)}\n`)
    return 0
  }
  const foreign = foreignCommand(argv)
  if (foreign !== undefined) {
    io.fail(`${foreign} To send it as a prompt: codewright -- ${argv.join(" ")}`)
    return 2
  }
  const meant = mistakenCommand(argv)
  if (meant !== undefined)
    return io.fail(
      `Unknown command '${first}'. Did you mean ${meant}? To send it as a prompt: codewright -- ${argv.join(" ")}`,
    )
  const { runCommand } = await import("./run.ts")
  return runCommand(argv, io)
}

function unknownHelp(about: string): string {
  const names = commands.map(({ name }) => name)
  const [near] = nearNames(about, names, 1)
  return `Unknown command '${about}'. ${near === undefined ? "See codewright --help all." : `Did you mean ${near}?`}`
}

/** The shell may be in a folder that was removed: relative paths would then mean something else. */
function isHere(): boolean {
  try {
    return existsSync(process.cwd())
  } catch {
    return false
  }
}

const gone = "The working folder no longer exists. Change to another folder."

/** A single word near a command, or one with a verb of that command: more likely a typo than a prompt. */
function mistakenCommand([first = "", second, ...more]: readonly string[]): string | undefined {
  if (more.length > 0 || !/^[a-z]{3,}$/i.test(first)) return undefined
  const near = nearNames(
    first,
    commands.map(({ name }) => name),
  ).filter((name) => Math.abs(name.length - first.length) <= 2)
  return near.find((name) => {
    const verbs = commands.find((command) => command.name === name)?.takes.split("|") ?? []
    return second === undefined || verbs.includes(second)
  })
}
