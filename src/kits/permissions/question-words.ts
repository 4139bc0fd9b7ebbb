/** What the user reads before they consent: the question, and why it is asked, in one short line each. */

import type { Display } from "#agent/words/display.ts"
import type { Decision } from "#agent/words/permission.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { fetchOf } from "#ground/workspace/shell/programs/fetching.ts"
import { wholeNumber } from "#lib/figures.ts"
import { sentence } from "#lib/sentence.ts"
import type { JudgedCall } from "./call.ts"
import { describeGitWork } from "./git-work.ts"
import { leaving } from "./leaving.ts"
import { isFreeToRead } from "./parts.ts"
import { isInside } from "./paths.ts"
import { type PermissionRule, ruleText } from "./rules/rule.ts"
import { shown } from "./say.ts"

/** The question, naming the action; undefined if the title of the call says it best. */
export function questionWords(call: JudgedCall, display: Display | undefined): string | undefined {
  const { input, footprint, commands } = call
  if (commands.length > 0)
    return leaving(call) === "asks" ? "Run this command outside the sandbox?" : "Run this command?"
  const [written] = footprint.writes
  if (written !== undefined) {
    if (footprint.writes.length > 1) return `Apply these edits to ${wholeNumber(footprint.writes.length)} files?`
    const path = shown(written, call)
    if (display?.kind !== "diff") return `Write to ${path}?`
    return display.created ? `Create ${path}?` : `Apply this edit to ${path}?`
  }
  const [address, ...others] = footprint.reaches
  if (address !== undefined) return others.length === 0 && input.url === address ? "Fetch this page?" : undefined
  const outside = call.reads.filter((path) => !isFreeToRead(path, call))
  if (outside.length === 0) return undefined
  const isOneFile = outside.length === 1 && !outside.some(call.isFolder)
  return isOneFile ? `Read a file outside ${hereIn(call)}?` : `Read outside ${hereIn(call)}?`
}

/** An agent in a worktree may ask for a file of the very folder that its user is in. */
const hereIn = ({ workspace }: JudgedCall): string => (workspace.apart === undefined ? "this folder" : "this worktree")

/** Why it is asked; undefined if the question, the alarm or the risks say it. */
export function whyWords(call: JudgedCall, { reason, message }: Decision, about: WhyParts): string | undefined {
  switch (reason.kind) {
    case "rule": {
      const isDenied = about.rules.some((each) => each.behavior === "deny" && ruleText(each) === reason.rule)
      const rule = `${reason.rule} (${reason.source})`
      return isDenied ? `This may be what the deny rule ${rule} is about.` : `The rule ${rule} asks first.`
    }
    case "hook":
      return message
    case "tool_check":
      return about.isRisk ? undefined : sentence(reason.check.replace(/^the /, "The "))
    case "default":
      return ordinary(call, about)
    default:
      return undefined
  }
}

export interface WhyParts {
  readonly rules: readonly PermissionRule[]
  /** Whether a safety check asks because of what is shown as a risk or an alarm. */
  readonly isRisk: boolean
  readonly isInParts: boolean
}

function ordinary(call: JudgedCall, { isInParts }: WhyParts): string | undefined {
  const { commands, footprint, workspace, forms } = call
  const inside = [workspace.root, ...workspace.added]
  const outside = footprint.writes.find((path) => !isInside(path, inside, forms))
  if (commands.length === 0)
    return outside === undefined ? undefined : `${shown(outside, call)} is outside ${hereIn(call)}.`
  const excluded = leaving(call) === "excluded" ? " It runs outside the sandbox (sandbox.excludedCommands)." : ""
  const unclear = commands.some(({ analysis }) => !analysis.understood)
  if (unclear) return `This command is too complex to check.${excluded}`
  const [segment] = commands.flatMap(({ analysis }) => analysis.segments)
  if (isInParts || !segment) return excluded === "" ? undefined : excluded.trim()
  return `${named(segment)} ${partWords(segment, call)}.${excluded}`
}

/** The program, and its subcommand if that is a plain word. */
export function named({ argv: [name = "", verb = ""], text }: Segment): string {
  if (name === "") return `\`${text.split("\n", 1)[0]}\``
  const program = name.slice(name.lastIndexOf("/") + 1)
  return /^[a-z][\w:-]*$/.test(verb) ? `\`${program} ${verb}\`` : `\`${program}\``
}

/** Whether a command hands another one over to be run, word by word, as `find -exec` does. */
export const startsIn = ({ argv: outer }: Segment, { argv: inner }: Segment): boolean =>
  inner.length > 0 &&
  inner.length < outer.length &&
  outer.some((word, at) => at > 0 && isStarting(outer[at - 1] ?? "") && inner.every((one, i) => outer[at + i] === one))

const isStarting = (word: string): boolean => /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(word)

/** What is written there is not there for anyone else. */
function isInPrivateTemp(path: string, call: JudgedCall): boolean {
  const { walls, workspace, forms } = call
  return (
    walls.hasOwnTemp === true &&
    leaving(call) === undefined &&
    /^\/(?:var\/)?tmp\//.test(path) &&
    !isInside(path, [workspace.root, ...workspace.added], forms)
  )
}

/** What a part of a command may do, without a subject. */
export function partWords(segment: Segment, call: JudgedCall): string {
  const { verdict, unbounded, writes, reads, argv, fetched } = segment
  if (fetched !== undefined) return "runs what was downloaded"
  if (verdict === "read_only") {
    if (reads.some((path) => !isFreeToRead(path, call))) return `reads outside ${hereIn(call)}`
    if (segment.service) return "asks a service of this machine"
    if (segment.network) return "reaches the network"
    return call.readsUnasked(segment) ? "only reads" : "only reads, but no sandbox confines it here"
  }
  if (unbounded) return "may change files that are not known before it runs"
  if (verdict === "touches_files") {
    const [first] = writes
    const isGone = writes.some((path) => isInPrivateTemp(path, call)) ? ", only in the sandbox's own /tmp" : ""
    return `${writes.length === 1 && first !== undefined ? `changes ${shown(first, call)}` : "changes files"}${isGone}`
  }
  return describeGitWork(segment) ?? (fetchOf(argv) ? "reaches the network" : "may change files or run code")
}
