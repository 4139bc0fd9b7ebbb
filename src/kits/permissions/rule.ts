/** Permission rules: `Tool` or `Tool(content)`, understood once so that each decision only compares. */

import type { Behavior, Rule, RuleSource } from "#agent/words/permission.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type CommandPattern, parseCommandPattern } from "./command-pattern.ts"
import { type PathPattern, parsePathPattern } from "./path-pattern.ts"
import { type Area, guardedAreas } from "./path-rule.ts"
import { formsWith, type RealPath, type Workspace } from "./paths.ts"
import { type ParameterRule, parameterForm, parseParameter, toolParameters } from "./parameters.ts"
import { knownTools, pathTools } from "./tool-names.ts"
import { starred, type Token } from "./wildcard.ts"

/** What the content of a rule means. */
export type Matter =
  | { readonly kind: "everything" }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "path"; readonly pattern: PathPattern; readonly areas?: readonly Area[] }
  | { readonly kind: "host"; readonly host: string; readonly below: boolean }
  /** A field of the input, by any of its names, that holds one of the texts. */
  | { readonly kind: "field"; readonly fields: readonly string[]; readonly values: readonly (readonly Token[])[] }

export interface PermissionRule extends Rule {
  readonly matter: Matter
  /** What a pattern that begins with one slash is relative to. */
  readonly base?: string
}

/** A rule as someone wrote it. */
export interface RuleText {
  readonly behavior: Behavior
  readonly text: string
  readonly source: RuleSource
  readonly base?: string
  /** Where it stands, for a complaint. */
  readonly where?: string
}

/** A rule that is not what its writer meant. After an error the rule does not count; after a warning it does. */
export interface RuleProblem {
  readonly level: "error" | "warning"
  readonly rule: RuleText
  /** A sentence that names the rule, what is wrong and what to write instead. */
  readonly message: string
}

/** Understands rules; what cannot be understood is reported, never dropped in silence. */
export function parseRules(
  texts: readonly RuleText[],
  tools: readonly string[] = [],
): { readonly rules: readonly PermissionRule[]; readonly problems: readonly RuleProblem[] } {
  const rules: PermissionRule[] = []
  const problems: RuleProblem[] = []
  const known = [...new Set([...knownTools, ...tools])]
  for (const rule of texts) {
    const { behavior, text, source, base, where } = rule
    const report = (level: RuleProblem["level"], why: string): void => {
      const place = where === undefined ? source : `${source}, ${where}`
      problems.push({ level, rule, message: `The ${behavior} rule "${text}" (${place}) ${why}` })
    }
    const parsed = parseRule(text, behavior)
    if (!parsed.ok) {
      report("error", `cannot be understood: ${parsed.failure}.`)
      continue
    }
    const { tool } = parsed.value
    const doubt = isNamed(tool, known) ? undefined : nearNames(tool, known, 2)
    if (doubt && doubt.length > 0) {
      report("error", `names no tool; did you mean ${doubt.join(" or ")}?`)
      continue
    }
    if (doubt) report("warning", `names a tool that does not exist here; it has no effect.`)
    rules.push({ behavior, source, ...parsed.value, ...(base !== undefined && { base }) })
  }
  return { rules, problems }
}

/** Looks up once what path rules that tighten guard in a workspace, so that a decision follows only the links of its own paths. */
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

/** A rule as it is written in settings. */
export function ruleText({ tool, content }: Pick<Rule, "tool" | "content">): string {
  return content === undefined ? tool : `${tool}(${content})`
}

type Parts = Pick<PermissionRule, "tool" | "content" | "matter">

function parseRule(text: string, behavior: Behavior): Result<Parts, string> {
  const trimmed = text.trim()
  const open = trimmed.indexOf("(")
  const tool = (open === -1 ? trimmed : trimmed.slice(0, open)).trim()
  if (tool === "") return failed("it names no tool; write Tool or Tool(content)")
  if (open === -1 && tool.includes(")")) return failed("it closes a parenthesis that was never opened")
  if (!/^[\w*-]+$/.test(tool)) return failed("the name of a tool holds only letters, digits, _ and -")
  if (tool.includes("*") && behavior === "allow" && !/^mcp__[^*]+?__[^*]*\*$/.test(tool))
    return failed("an allow rule may use * in a tool's name only after mcp__server__")
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
  if (tool === "Bash") {
    if (content === "*" || content === ":*") return ok({ kind: "everything" })
    const pattern = parseCommandPattern(content)
    return pattern.ok ? ok({ kind: "command", pattern: pattern.value }) : pattern
  }
  if (pathTools.includes(tool)) {
    // A rule that tightens and names everything means it, also outside the working folder.
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

/** Which field of the input holds the name that a rule speaks about. */
const namedFields: { readonly [tool: string]: readonly string[] } = {
  Task: ["subagent_type"],
  Agent: ["subagent_type"],
  Skill: ["skill", "name", "command"],
  SlashCommand: ["command", "skill"],
}

/** `name` alone, or `name:*` for the name with words or a further name after it. */
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
    // The parser of addresses knows the one form in which hosts are compared.
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
