/** Judges calls that nobody makes, by the same pipeline as real ones: one case in, one decision out, nothing executed. */

import { isAbsolute } from "node:path"
import { type Behavior, type Decision, type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import { judgeResolved, judgeUrl, sayRefusal } from "#ground/web/addresses.ts"
import { ignoresCase } from "#ground/workspace/letter-case.ts"
import { hasLink, openPaths, openRealPaths } from "#ground/workspace/paths.ts"
import { openCommandAnalyzer, type CommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { type CallToJudge, judgedCall } from "#kits/permissions/call.ts"
import { decide } from "#kits/permissions/decide.ts"
import { dependsOnWalls } from "#kits/permissions/depends-on-walls.ts"
import { leaving } from "#kits/permissions/leaving.ts"
import { openMayBeClosed } from "#kits/permissions/may-be-closed.ts"
import type { Workspace } from "#kits/permissions/paths.ts"
import { parseRules, type PermissionRule, type RuleText } from "#kits/permissions/rules/rule.ts"
import type { Walls } from "#kits/permissions/walls.ts"
import { closedPaths } from "#session/adapters/closed-paths.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { caseFootprint } from "#kits/permissions/case-footprint.ts"

export interface PermissionCase {
  readonly mode: PermissionMode
  readonly rules: readonly RuleText[]
  readonly tool: string
  readonly input: JsonObject
  readonly cwd: string
  readonly added?: readonly string[]
  /**
   * Set if the tool is from an MCP server that the user marked as read-only; the tool's own hints are not known here.
   */
  readonly isMarked?: boolean
}

export interface CaseJudge {
  readonly judge: (permissionCase: PermissionCase) => Decision
  /** Whether and why a call would run outside the sandbox. */
  readonly leaving: (permissionCase: PermissionCase, walls: Walls) => ReturnType<typeof leaving>
  /** A line of JSON in, an object out; an invalid line gives a denial with `error`. */
  readonly judgeLine: (line: string) => object
  /** Whether the answer to a line may differ with what confines commands here. */
  readonly dependsOnWalls: (line: string) => boolean
  readonly within: (walls: Walls) => CaseJudge
}

export async function openCaseJudge({
  home,
  state,
  cwd,
  path,
  walls,
}: {
  readonly home: string
  readonly state: string
  readonly cwd: string
  /** Where programs are looked up; without it, a name is taken for the program known by it. */
  readonly path?: () => string | undefined
  readonly walls: Walls
}): Promise<CaseJudge> {
  const closed = closedPaths(state)
  return judgeOf(cwd, {
    home,
    state,
    closed,
    mayBeClosed: openMayBeClosed(closed, hasLink),
    analyzer: await openCommandAnalyzer(path && { path }).load(),
    walls,
    readRules: openRuleReader(),
    foldsCase: once(ignoresCase),
  })
}

function judgeOf(cwd: string, shared: CaseContext): CaseJudge {
  const judge = (permissionCase: PermissionCase): Decision => judgeCase(permissionCase, shared)
  return {
    judge,
    within: (walls) => judgeOf(cwd, { ...shared, walls }),
    dependsOnWalls(line) {
      const read = readCase(parsed(line), cwd)
      const call = read.ok ? callOf(read.value, shared) : read
      return call.ok && dependsOnWalls(judgedCall(call.value))
    },
    leaving(permissionCase, around) {
      const call = callOf(permissionCase, { ...shared, walls: around })
      return call.ok ? leaving(judgedCall(call.value)) : undefined
    },
    judgeLine(line) {
      const value = parsed(line)
      const id = isObject(value) && value.id !== undefined ? { id: value.id } : {}
      const read = readCase(value, cwd)
      // A line that is no case allows nothing, also for whoever only looks at the behaviour.
      if (!read.ok) return { ...id, behavior: "deny", ...notACase(read.failure), error: read.failure }
      const { behavior, reason, trace } = judge(read.value)
      return { ...id, behavior, reason, trace }
    },
  }
}

const notACase = (check: string): Pick<Decision, "reason" | "trace"> => ({
  reason: { kind: "tool_check", check },
  trace: [`schema: deny, because ${check}`],
})

interface CaseContext extends Required<Pick<Workspace, "home" | "closed" | "mayBeClosed">> {
  readonly state: string
  readonly analyzer: CommandAnalyzer
  readonly walls: Walls
  readonly readRules: RuleReader
  readonly foldsCase: (folder: string) => boolean
}

type RuleReader = (texts: readonly RuleText[], tool: string) => ReturnType<typeof parseRules>

const mostLists = 200

/** A file system does not change, so each folder is checked once. */
function once(check: (folder: string) => boolean): (folder: string) => boolean {
  const known = new Map<string, boolean>()
  return (folder) => {
    const before = known.get(folder)
    if (before !== undefined) return before
    if (known.size >= mostLists) known.clear()
    const found = check(folder)
    known.set(folder, found)
    return found
  }
}

/** Parses each list of rules once, since many cases share one. Nothing read from disk is kept. */
function openRuleReader(): RuleReader {
  const known = new Map<string, ReturnType<typeof parseRules>>()
  return (texts, tool) => {
    const key = JSON.stringify([tool, texts])
    const before = known.get(key)
    if (before) return before
    if (known.size >= mostLists) known.clear()
    const read = parseRules(texts, [tool])
    known.set(key, read)
    return read
  }
}

function judgeCase(permissionCase: PermissionCase, known: CaseContext): Decision {
  const { mode, rules: texts, tool, input } = permissionCase
  const { rules, problems } = known.readRules(texts, tool)
  const call = callOf(permissionCase, known)
  if (!call.ok) return refusal({ kind: "tool_check", check: call.failure }, call.failure, "schema")
  const { footprint } = call.value
  const redirected = tool === "WebFetch" ? hopsFrom(input.url, textsIn(input.redirect_to)) : []
  const resolved = tool === "WebFetch" ? textsIn(input.resolved) : []
  if (!redirected || !resolved) return refusal({ kind: "tool_check", check: unreadable }, unreadable, "schema")
  const decision = decide({
    ...call.value,
    footprint: { ...footprint, reaches: [...footprint.reaches, ...redirected] },
    mode,
    rules,
  })
  const trace = [...problems.map(({ message }) => `rules: ${message}`), ...decision.trace]
  const address =
    tool === "WebFetch" && decision.behavior !== "deny"
      ? addressRefusal(input, { redirected, resolved }, rules)
      : undefined
  if (address !== undefined) return refusal({ kind: "tool_check", check: address }, address, "addresses", trace)
  return { ...decision, trace: mode === "auto" && decision.behavior === "ask" ? [...trace, autoNote(decision)] : trace }
}

function callOf(
  { tool, input, cwd, added = [], isMarked = false }: PermissionCase,
  { home, state, closed, mayBeClosed, analyzer, walls, foldsCase }: CaseContext,
): Result<CallToJudge, string> {
  const footprint = caseFootprint(tool, input, { paths: openPaths({ cwd: () => cwd, home }), cwd, isMarked })
  if (!footprint.ok) return footprint
  const workspace: Workspace = {
    root: cwd,
    added,
    home,
    protectedPaths: [state],
    closed,
    mayBeClosed,
    own: [],
    ignoresCase: foldsCase(cwd) || foldsCase(home),
  }
  const realPath = openRealPaths()
  return ok({ tool: { name: tool }, input, footprint: footprint.value, workspace, cwd, realPath, walls, analyzer })
}

const autoNote = ({ reason }: Decision): string =>
  reason.kind === "default" ? "auto: the classifier would answer instead of you" : "auto: you are asked"

function refusal(reason: Decision["reason"], message: string, stage: string, before: readonly string[] = []): Decision {
  return { behavior: "deny", reason, message, trace: [...before, `${stage}: deny, because ${message}`] }
}

const unreadable = "`redirect_to` and `resolved` must be strings or lists of strings."

/** Undefined for anything else, in which anything could hide. */
function textsIn(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return []
  if (typeof value === "string") return [value]
  return isTexts(value) ? value : undefined
}

/** Each may be relative to the address before it, as servers send them. */
function hopsFrom(url: JsonValue | undefined, targets: readonly string[] | undefined): readonly string[] | undefined {
  let from = typeof url === "string" ? url : ""
  return targets?.map((target) => (from = URL.parse(target, from)?.href ?? target))
}

function addressRefusal(
  { url }: JsonObject,
  { redirected, resolved }: { readonly redirected: readonly string[]; readonly resolved: readonly string[] },
  rules: readonly PermissionRule[],
): string | undefined {
  const allowsPrivate = (host: string): boolean =>
    rules.some(
      ({ behavior, tool, matter }) =>
        behavior === "allow" && tool === "WebFetch" && matter.kind === "host" && !matter.below && matter.host === host,
    )
  for (const [i, each] of [String(url), ...redirected].entries()) {
    const judged = judgeUrl(each, allowsPrivate)
    if (!judged.ok) return sayRefusal(judged.failure)
    // The addresses were looked up for the first hop.
    const leads = i === 0 ? judgeResolved(judged.value, resolved, allowsPrivate) : undefined
    if (leads) return sayRefusal(leads)
  }
  return undefined
}

function readCase(value: unknown, standard: string): Result<PermissionCase, string> {
  if (!isObject(value)) return failed("This line is not a JSON object.")
  const { mode = "default", tool, input = {}, cwd = standard } = value
  const rules = value.rules ?? {}
  const known = permissionModes.find((each) => each === mode)
  if (!known) return failed(`mode must be one of ${permissionModes.join(", ")}.`)
  if (typeof tool !== "string" || tool === "") return failed("tool must be the name of a tool.")
  if (!isObject(input)) return failed("input must be an object.")
  if (typeof cwd !== "string" || !isAbsolute(cwd) || cwd.includes("\0")) return failed("cwd must be an absolute path.")
  if (!isObject(rules)) return failed("rules must be an object with the lists allow, ask and deny.")
  const texts: RuleText[] = []
  for (const behavior of behaviors) {
    const list = rules[behavior] ?? []
    if (!isTexts(list)) return failed(`rules.${behavior} must be a list of strings.`)
    texts.push(...list.map((text): RuleText => ({ behavior, text, source: "session", base: cwd })))
  }
  return ok({ mode: known, rules: texts, tool, input, cwd })
}

const behaviors: readonly Behavior[] = ["deny", "ask", "allow"]

const isTexts = (value: JsonValue): value is readonly string[] =>
  Array.isArray(value) && value.every((each: JsonValue) => typeof each === "string")

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
