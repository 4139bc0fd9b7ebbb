/** `/bug`: what somebody needs who looks for the cause, in one file on this computer. Nothing is sent. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"
import { tilde } from "#lib/tilde.ts"
import { version } from "#lib/version.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { checkLine } from "./doctor.ts"
import { checks } from "./doctor-checks.ts"
import { type ProgramParts, refused, said } from "#faces/cli/terminal/program-parts.ts"
import { statusText } from "#faces/cli/terminal/status-text.ts"
import { whereWeAre } from "#faces/cli/where.ts"

/** The latest entries of the log; long lines are cut. */
const mostEntries = 60
const mostCharacters = 2_000

export async function bugAnswer(words: string, parts: ProgramParts): Promise<SlashAnswer> {
  const { setting, session } = parts
  const { logPath } = await session.ask({ type: "about" })
  const at = new Date(systemClock.now()).toISOString()
  const doctor: string[] = []
  const servers = await session.ask({ type: "servers" })
  for await (const check of checks(whereWeAre(), { logs: "of this folder", servers })) doctor.push(checkLine(check))
  const report = [
    "# Codewright problem report",
    "",
    `${at}, Codewright ${version}, Bun ${Bun.version}, ${process.platform} ${process.arch}`,
    "",
    "## What happened",
    "",
    words.trim() === "" ? "(Describe it here: what you did, what you expected, what you saw.)" : words.trim(),
    "",
    ...section("Status", await statusText(parts)),
    ...section("Doctor", doctor.join("\n")),
    ...section("The end of the session's log", logPath === undefined ? "not saved" : lastEntries(logPath)),
  ].join("\n")
  const folder = join(setting.state, "reports")
  const file = join(folder, `bug-${at.replaceAll(/[:.]/g, "-")}.md`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, maskSecrets(report), { flag: "wx", mode: 0o600 })
  } catch (error) {
    return refused(`${file} could not be written: ${error instanceof Error ? error.message : String(error)}`)
  }
  return said(
    `Report written to ${tilde(file, setting.home)}. Nothing was sent. It contains the last ${mostEntries} entries of this conversation, with known keys and tokens masked: read it before you share it.`,
  )
}

const section = (title: string, text: string): readonly string[] => [`## ${title}`, "", "```", text, "```", ""]

function lastEntries(path: string): string {
  try {
    return readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .slice(-mostEntries)
      .map((line) => (line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line))
      .join("\n")
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}
