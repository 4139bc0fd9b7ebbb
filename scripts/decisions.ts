/** The decisions in docs/decisions, as their files say, and the index that `npm run reference` writes of them. */

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface DecisionFile {
  readonly name: string
  readonly text: string
}

export interface Decision {
  readonly number: number
  readonly name: string
  readonly title: string
  readonly rooms: readonly string[]
  readonly status: "in force" | "partly superseded" | "superseded"
  readonly by: readonly number[]
}

/** How each file begins: its title, an empty line, then rooms and status. */
const head =
  /^# (?<number>\d+)\. (?<title>.+)\n\nRooms: (?<rooms>`[^`]+`(?:, `[^`]+`)*)\. Status: (?<status>in force|(?:partly )?superseded)(?: by (?<by>.+))?\.\n/

export const decisionFiles = (root: string): readonly DecisionFile[] =>
  readdirSync(join(root, "docs/decisions"))
    .filter((name) => /^\d{4}-/.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(root, "docs/decisions", name), "utf8") }))

export function readDecision({ name, text }: DecisionFile): Decision | undefined {
  const found = head.exec(text)?.groups
  if (!found) return undefined
  const { number = "", title = "", rooms = "", status = "", by } = found
  return {
    number: Number(number),
    name,
    title,
    rooms: [...rooms.matchAll(/`([^`]+)`/g)].map(([, room = ""]) => room),
    status: status as Decision["status"],
    by: [...(by ?? "").matchAll(/\[(\d+)\]\(/g)].map(([, later]) => Number(later)),
  }
}

/** What is wrong with the beginnings of these files, as sentences. */
export function decisionFaults(files: readonly DecisionFile[]): readonly string[] {
  const decisions = files.map(readDecision)
  const numbers = new Set(decisions.map((decision) => decision?.number))
  return files.flatMap(({ name }, at) => {
    const decision = decisions[at]
    if (!decision)
      return [
        `${name} does not begin with "# <number>. <title>", then "Rooms: \`…\`. Status: in force." or "superseded by"`,
      ]
    const { number, status, by } = decision
    return [
      ...(number === Number(name.slice(0, 4)) ? [] : [`${name} calls itself ${number}`]),
      ...((status === "in force") === (by.length === 0)
        ? []
        : [`${name} is ${status} and names ${by.length} later ones`]),
      ...by
        .filter((later) => !numbers.has(later) || later <= number)
        .map((later) => `${name} is superseded by ${later}?`),
    ]
  })
}

export function decisionsIndex(files: readonly DecisionFile[]): string {
  const decisions = files.flatMap((file) => readDecision(file) ?? [])
  const rows = decisions.map(
    ({ number, name, title, rooms, status, by }) =>
      `| [${number}](${name}) | ${title} | ${rooms.map((room) => `\`${room}\``).join(", ")} | ${[status, ...(by.length > 0 ? [`by ${by.join(", ")}`] : [])].join(" ")} |`,
  )
  const empty = emptyNumbers(decisions)
  return `<!-- Made by \`npm run reference\` from the beginning of each decision. Do not edit. -->

# Decisions

One page each, numbered. A decision says what was chosen, and why, at the time. What a later decision replaces is named at the top of the earlier one; the rest of it still holds. Figures are those of their day.

A new decision begins like the others: \`# <number>. <title>\`, an empty line, then \`Rooms: \` and \`Status: in force.\`; \`npm run reference\` puts it into this list. Rooms are folders of \`src\`, or of the repository.

A number is reserved when work begins and never used twice; if the work turns out to need no decision of its own, the number stays empty. That is why ${empty} do not exist.

| | decision | rooms | status |
|---|---|---|---|
${rows.join("\n")}
`
}

function emptyNumbers(decisions: readonly Decision[]): string {
  const used = new Set(decisions.map(({ number }) => number))
  const all = Array.from({ length: Math.max(...used) }, (_, i) => i + 1).filter((number) => !used.has(number))
  return all.join(", ").replace(/, (\d+)$/, " and $1")
}
