/** The plan as a contract: what a call does that the approved plan does not name. */

import { isAbsolute, relative, resolve } from "node:path"
import type { PlanExtract } from "#agent/words/plan-extract.ts"

export interface PlanItem {
  readonly kind: "file" | "command"
  readonly name: string
}

/** What a call does outside the plan. A plan that names no files does not restrict files; the same goes for commands. */
export function outsidePlan(
  extract: PlanExtract,
  { writes, commands }: { readonly writes: readonly string[]; readonly commands: readonly string[] },
  root: string,
): readonly PlanItem[] {
  const files = plannedFiles(extract)
  const lines = plannedCommands(extract)
  return [
    ...(files.length === 0
      ? []
      : writes.filter((path) => !files.some((planned) => isPlannedFile(planned, path, root)))
    ).map((path): PlanItem => ({ kind: "file", name: shownPath(path, root) })),
    ...(lines.length === 0 ? [] : commands.filter((command) => !isPlannedCommand(lines, command))).map(
      (name): PlanItem => ({ kind: "command", name }),
    ),
  ]
}

/** Every item of a plan whose completion can be observed. */
export function plannedItems(extract: PlanExtract): readonly PlanItem[] {
  return [
    ...plannedFiles(extract).map((name): PlanItem => ({ kind: "file", name })),
    ...plannedCommands(extract).map((name): PlanItem => ({ kind: "command", name })),
  ]
}

export function isDone(
  item: PlanItem,
  { writes, commands }: { readonly writes: readonly string[]; readonly commands: readonly string[] },
  root: string,
): boolean {
  return item.kind === "file"
    ? writes.some((path) => isPlannedFile(item.name, path, root))
    : commands.some((command) => partsOf(command).some((part) => beginsWith(part, item.name)))
}

/** Tests can be files as well as commands. */
const plannedFiles = ({ create, modify, tests }: PlanExtract): readonly string[] => [
  ...new Set([...create, ...modify, ...tests.filter(looksLikePath)]),
]

const plannedCommands = ({ commands, tests }: PlanExtract): readonly string[] => [
  ...new Set([...commands, ...(commands.length > 0 ? tests.filter((test) => looksLikeCommand(test)) : [])]),
]

const looksLikePath = (text: string): boolean => /^[^\s]+$/.test(text) && /[/.]/.test(text)

const looksLikeCommand = (text: string): boolean => /^[a-z][\w./-]*(?:\s|$)/.test(text) && !looksLikePath(text)

/** A plan may name a file, a folder, a pattern, or a bare file name. */
export function isPlannedFile(planned: string, path: string, root: string): boolean {
  const absolute = isAbsolute(planned) ? planned : resolve(root, planned)
  if (/[*?{[]/.test(planned)) return new Bun.Glob(absolute).match(path)
  if (path === absolute || path.startsWith(`${absolute.replace(/\/$/, "")}/`)) return true
  return !planned.includes("/") && path.endsWith(`/${planned}`)
}

const isPlannedCommand = (planned: readonly string[], command: string): boolean =>
  partsOf(command).every((part) => /^cd(?:\s|$)/.test(part) || planned.some((line) => beginsWith(part, line)))

/** Approximate: this decides whether to tell the user, not whether it may run. */
const partsOf = (command: string): readonly string[] =>
  command
    .split(/&&|\|\||[;|\n]/)
    .map((part) => part.trim().replace(/\s+/g, " "))
    .filter((part) => part !== "")

const beginsWith = (part: string, planned: string): boolean => {
  const wanted = planned.trim().replace(/\s+/g, " ")
  return part === wanted || part.startsWith(`${wanted} `)
}

const shownPath = (path: string, root: string): string => (path.startsWith(`${root}/`) ? relative(root, path) : path)
