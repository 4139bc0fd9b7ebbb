/** Permission rules: `Tool` or `Tool(content)`, parsed once so that each decision only compares. */

import type { Behavior, Rule, RuleSource } from "#agent/words/permission.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type CommandPattern, parseCommandPattern } from "./command-pattern.ts"
import { type PathPattern, parsePathPattern } from "./path-pattern.ts"
import { type Area, guardedAreas } from "./path-rule.ts"
import { formsWith, type RealPath, type Workspace } from "#kits/permissions/paths.ts"
import { type ParameterRule, parameterForm, parseParameter, toolParameters } from "./parameters.ts"
import { knownTools, pathTools } from "./tool-names.ts"
import { starred, type Token } from "./wildcard.ts"

export type Matter =
  | { readonly kind: "everything" }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "path"; readonly pattern: PathPattern; readonly areas?: readonly Area[] }
  | { readonly kind: "host"; readonly host: string; readonly below: boolean }
  /** An input field, under any of its names, with one of the values. */
  | { readonly kind: "field"; readonly fields: readonly string[]; readonly values: readonly (readonly Token[])[] }

export interface PermissionRule extends Rule {
  readonly matter: Matter
  /** What a pattern with a single leading slash is relative to. */
  readonly base?: string
}

export interface RuleText {
  readonly behavior: Behavior
  readonly text: string
  readonly source: RuleSource
  readonly base?: string
  readonly where?: string
}

/** A rule that does not do what its author meant. */
export interface RuleProblem {
  /** `error`: an allow rule without effect. `wider`: a deny or ask rule that covers more than it says. `warning`: it counts as written. */
  readonly level: "error" | "wider" | "warning"
  readonly rule: RuleText
  /** A sentence that names the rule, what is wrong and what to write instead. */
  readonly mistake: string
  /** The mistake, and what applies until it is fixed. */
  readonly message: string
}

export function parseRules(
  texts: readonly RuleText[],
  tools: readonly string[] = [],
): { readonly rules: readonly PermissionRule[]; readonly problems: readonly RuleProblem[] } {
  const rules: PermissionRule[] = []
  const problems: RuleProblem[] = []
  const known = [...new Set([...knownTools, ...tools])]
  for (const rule of texts) {
    const { behavior, text, source, base, where } = rule
    const report = (level: RuleProblem["level"], why: string, until?: string): void => {
      const place = where === undefined ? source : `${source}, ${where}`
      const mistake = `The ${behavior} rule "${text}" (${place}) ${why}`
      problems.push({ level, rule, mistake, message: until === undefined ? mistake : `${mistake} ${until}` })
    }
    const count = (...all: readonly RuleParts[]): void =>
      void rules.push(...all.map((parts) => ({ behavior, source, ...parts, ...(base !== undefined && { base }) })))
    const parsed = parseRule(text, behavior)
    const doubt = parsed.ok ? doubtAbout(parsed.value.tool, known) : undefined
    const why = !parsed.ok
      ? `cannot be understood: ${parsed.failure}.`
      : doubt && doubt.length > 0
        ? `names no tool; did you mean ${doubt.join(" or ")}?`
        : undefined
    if (why === undefined && parsed.ok) {
      if (doubt) report("warning", `names a tool that does not exist here; it has no effect.`)
      count(parsed.value)
    } else if (behavior === "allow") report("error", why ?? "")
    else {
      const wider = widestReading(text, behavior, known)
      count(...wider)
      report("wider", why ?? "", `${widerWords[behavior]} ${wider.map(shownParts).join(", ")}.`)
    }
  }
  return { rules, problems }
}

/** Resolves what deny and ask path rules guard in a workspace once, so that a decision only follows the links of its own paths. */
export function settleRules(
  rules: readonly PermissionRule[],
  workspace: Workspace,
  realPath: RealPath,
): readonly PermissionRule[] {
  const forms = formsWith(realPath)
  return rules.map((rule) => {
    if (rule.matter.kind !== "path" || rule.behavior === "allow") return rule
    return {
      ...rule,
      matter: { ...rule.matter, areas: guardedAreas({ ...rule.matter, base: rule.base }, workspace, forms) },
    }
  })
}

export function ruleText({ tool, content }: Pick<Rule, "tool" | "content">): string {
  return content === undefined ? tool : `${tool}(${content})`
}

type RuleParts = Pick<PermissionRule, "tool" | "content" | "matter">

const doubtAbout = (tool: string, known: readonly string[]): readonly string[] | undefined =>
  isNamed(tool, known) ? undefined : nearNames(tool, known, 2)

const widerWords: { readonly [behavior in "deny" | "ask"]: string } = {
  deny: "Until it is fixed, this is denied:",
  ask: "Until it is fixed, this always asks:",
}

const shownParts = ({ tool, content }: RuleParts): string =>
  content !== undefined ? `${tool}(${content})` : tool === "*" ? "every tool" : `all of ${tool}`

/** The least that a deny or ask rule must have meant, so that a mistake in it never lets anything through. */
function widestReading(text: string, behavior: "deny" | "ask", known: readonly string[]): readonly RuleParts[] {
  const written = text.trim()
  const [, name = "", rest = ""] = /^([\w-]*)([\s\S]*)$/.exec(written) ?? []
  const all = (tool: string): RuleParts => ({ tool, matter: { kind: "everything" } })
  if (name !== "" && isNamed(name, known)) return [all(name)]
  if (/^[a-z][\w.-]* /.test(written)) {
    const command = parseRule(`Bash(${written})`, behavior)
    if (command.ok) return [command.value]
  }
  const near = name === "" || !/^\s*(?:\(|$)/.test(rest) ? [] : nearNames(name, known, 2)
  const same = near.filter((tool) => tool.toLowerCase() === name.toLowerCase())
  const meant = (same.length > 0 ? same : near).map((tool): RuleParts => {
    const parsed = parseRule(`${tool}${rest}`, behavior)
    return parsed.ok ? parsed.value : all(tool)
  })
  return meant.length > 0 ? meant : [all("*")]
}

/** Other spellings of a rule: `Edit:*`, `mcp__git(push)`, `mcp__git__push(*)`. */
function usualForm(text: string): string {
  const [, whole] = /^([\w-]+):\*$/.exec(text) ?? []
  if (whole !== undefined) return whole
  const [, server, tool] = /^(mcp__[\w-]+)\(([\w*-]+)\)$/.exec(text) ?? []
  if (server === undefined || tool === undefined) return text
  if (tool === "*") return server
  return server.slice("mcp__".length).includes("__") ? text : `${server}__${tool}`
}

function parseRule(text: string, behavior: Behavior): Result<RuleParts, string> {
  const trimmed = usualForm(text.trim())
  const open = trimmed.indexOf("(")
  const tool = (open === -1 ? trimmed : trimmed.slice(0, open)).trim()
  if (tool === "") return failed("it names no tool; write Tool or Tool(content)")
  if (open === -1 && tool.includes(")")) return failed("it closes a parenthesis that was never opened")
  if (!/^[\w*-]+$/.test(tool)) return failed("the name of a tool has only letters, digits, _ and -")
  if (tool.includes("*") && behavior === "allow" && !/^mcp__[^*]+?__[^*]*\*$/.test(tool))
    return failed(
      tool.startsWith("mcp__")
        ? "an allow rule names its server: write mcp__server, or mcp__server__* for all of its tools"
        : "an allow rule may use * in a tool's name only after mcp__server__",
    )
  if (open === -1) return ok({ tool, matter: { kind: "everything" } })
  if (!trimmed.endsWith(")")) return failed("its parenthesis is not closed at the end")
  const content = trimmed.slice(open + 1, -1).trim()
  if (content === "") return failed(`its parentheses are empty; write ${tool} to mean every call`)
  const matter = parseContent(tool, content, behavior)
  return matter.ok ? ok({ tool, content, matter: matter.value }) : matter
}

function parseContent(tool: string, content: string, behavior: Behavior): Result<Matter, string> {
  const about = parseParameter(tool, content, behavior)
  if (about) return about.ok ? ok(parameterMatter(about.value)) : about
  // Commands of another shell: parsed like those of Bash, and no tool here runs them.
  if (tool === "Bash" || tool === "PowerShell") {
    if (content === "*" || content === ":*") return ok({ kind: "everything" })
    const pattern = parseCommandPattern(content)
    return pattern.ok ? ok({ kind: "command", pattern: pattern.value }) : pattern
  }
  if (pathTools.includes(tool)) {
    // A deny or ask rule that names everything means it, even outside the working folder.
    const widest = behavior !== "allow" && /^\*{1,2}$/.test(content)
    const pattern = parsePathPattern(widest ? "//**" : content)
    return pattern.ok ? ok({ kind: "path", pattern: pattern.value }) : pattern
  }
  if (tool === "WebFetch") return parseHost(content)
  const fields = namedFields[tool]
  if (fields)
    return ok({ kind: "field", fields, values: tool === "SlashCommand" ? slashTokens(content) : nameTokens(content) })
  const [, parameter, value] = /^(\w+):(.+)$/s.exec(content) ?? []
  if (parameter === undefined || value === undefined || Object.hasOwn(toolParameters, tool))
    return failed(`for ${tool}, write ${parameterForm(tool)}`)
  return ok(parameterMatter({ parameter, value: starred(value) }))
}

const parameterMatter = ({ parameter, value }: ParameterRule): Matter => ({
  kind: "field",
  fields: [parameter],
  values: [value],
})

/** Which input field has the name that a rule is about. */
const namedFields: { readonly [tool: string]: readonly string[] } = {
  Task: ["subagent_type"],
  Agent: ["subagent_type"],
  Skill: ["skill", "name", "command"],
  SlashCommand: ["command", "skill"],
}

/** `name` alone, or `name:*` for the name followed by words or a further name. */
function nameTokens(content: string): readonly (readonly Token[])[] {
  if (!content.endsWith(":*")) return [starred(content)]
  const name = content.slice(0, -2)
  return [starred(name), starred(`${name} *`), starred(`${name}:*`)]
}

/** The same name with and without its slash. */
const slashTokens = (content: string): readonly (readonly Token[])[] => {
  const name = content.replace(/^\//, "")
  return [...nameTokens(name), ...nameTokens(`/${name}`)]
}

function parseHost(content: string): Result<Matter, string> {
  if (content === "*" || content === "domain:*") return ok({ kind: "everything" })
  const [, address] = /^domain:\[?([0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)\]?$/.exec(content) ?? []
  if (address !== undefined) {
    // The URL parser produces the one form in which hosts are compared.
    const host = URL.parse(`https://[${address}]/`)?.hostname.slice(1, -1)
    return host === undefined ? failed(`${address} is no IPv6 address`) : ok({ kind: "host", host, below: false })
  }
  const [, below, host] = /^domain:(\*\.)?([A-Za-z0-9.-]+)$/.exec(content) ?? []
  if (host === undefined) return failed("write WebFetch(domain:example.com) or WebFetch(domain:*.example.com)")
  return ok({ kind: "host", host: host.toLowerCase().replace(/\.$/, ""), below: below !== undefined })
}

function isNamed(tool: string, known: readonly string[]): boolean {
  return tool.includes("*") || tool.startsWith("mcp__") || known.includes(tool)
}
