/** What a command does in this session: its text, and the ops left to submit. */

import { goalReport } from "#agent/words/goal-words.ts"
import { loopReport } from "#agent/words/loop.ts"
import type { Todo } from "#agent/words/todo.ts"
import { type Grant, permissionModes } from "#agent/words/permission.ts"
import type { PermissionRule } from "#kits/permissions/rules/rule.ts"
import type { Style } from "#kits/styles/style.ts"
import type { Clock } from "#lib/clock.ts"
import { nearNames } from "#lib/near.ts"
import { forConsent } from "#lib/printable.ts"
import { shortPath } from "#lib/tilde.ts"
import type { Answers, Ask, RuleRow } from "#session/port/query.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { Choices } from "#session/opening/choices.ts"
import {
  type ProgramCommands,
  type ProgramCommand,
  programCommands,
  type SlashAnswer,
} from "#session/opening/program.ts"
import type { ShownView, Slash, SlashAct } from "#session/port/command.ts"
import { withNames } from "./choosing.ts"
import { gatesAnswer } from "./gate-text.ts"
import { inspectedText } from "./inspect-text.ts"
import { memoryText, serverAnswer } from "./list-text.ts"
import { agentsReport, autoLines, hooksReport, reportText, rulesReport, skillsReport } from "./reports.ts"
import { newAnswer } from "./new-text.ts"
import { diffAnswer } from "./diff-text.ts"
import { branchAnswer, rewindAnswer, sessionAnswer } from "./past-text.ts"
import { sandboxText } from "./sandbox-text.ts"
import { effortLines, effortRows } from "./effort-text.ts"
import { budgetLines, contextLines, costLines, helpText, modeLines, modelLines, styleLines } from "./state-text.ts"
import { todoAnswer } from "./todo-text.ts"
import { rulePlaceNames } from "./rule-places.ts"
import { slashCommand, slashTable, withOwn } from "./table.ts"
import { taskAnswer } from "./task-text.ts"
import { teamText } from "./team-text.ts"

export interface SlashParts {
  readonly ask: Ask
  readonly state: () => SessionState
  readonly todos: () => readonly Todo[]
  readonly rules: () => readonly PermissionRule[]
  readonly styles: { readonly list: () => readonly Style[]; readonly chosen: () => Style } | undefined
  readonly choices: Choices | undefined
  readonly program: ProgramCommands | undefined
  readonly place: { readonly cwd: string; readonly home: string }
  readonly kept: string | undefined
  readonly clock: Clock
}

export function openSlash(parts: SlashParts): Slash {
  const views = viewsOf(parts)
  return async (name, rest) => {
    const command = slashCommand(name, slashTable)
    if (!command) return undefined
    const args = await withNames(command.name, rest.trim(), () => carriedOut(command.run("")))
    return typeof args === "string" ? carriedOut(command.run(args)) : args
  }

  async function carriedOut(act: SlashAct): Promise<SlashAnswer> {
    switch (act.kind) {
      case "ops":
        return { text: "", ops: act.ops }
      case "wrong":
        return wrong(act.text)
      case "show":
        return views[act.what](act.words)
    }
  }
}

type SlashView = (words: string) => SlashAnswer | Promise<SlashAnswer>

function viewsOf({ ask, state, clock, ...parts }: SlashParts): { readonly [what in ShownView]: SlashView } {
  return {
    help: async () => said(helpText(withOwn([], await ask({ type: "commands" })))),
    context: async () => said(contextLines(await ask({ type: "context" }))),
    cost: () => said(costLines(state())),
    async models() {
      const models = (await parts.choices?.models()) ?? []
      return { ...said(modelLines(models, state().model)), choices: models.map(({ id }) => id) }
    },
    async btw(question) {
      const answer = await ask({ type: "btw", question })
      return answer.ok ? said(answer.value) : wrong(answer.failure)
    },
    budget: () => said(budgetLines(state())),
    async effort() {
      const overview = await ask({ type: "thinking" })
      return { ...said(effortLines(overview)), choices: effortRows(overview).map(({ level }) => level) }
    },
    modes: () => ({ ...said(modeLines(state().mode)), choices: permissionModes }),
    gates: async () => gatesAnswer(await ask({ type: "gates" })),
    goal: async () => said(forConsentLines(goalReport((await ask({ type: "goal" })) ?? undefined, clock.now()))),
    loop: async () => said(forConsentLines(loopReport((await ask({ type: "loop" })) ?? undefined, clock.now()))),
    plan: async (words) => planAnswer(await ask({ type: "plan" }), words, parts.place),
    permissions: async (words) =>
      addedRule(words) ??
      said(
        [
          reportText(
            rulesReport,
            [...parts.rules().map(written), ...(await ask({ type: "grants" })).map(granted)],
            words,
          ),
          ...autoLines(await ask({ type: "auto_decisions" })),
        ].join("\n"),
      ),
    sessions: (words) => resumeAnswer(parts.choices, words, clock.now()),
    async rewind(words) {
      const points = await ask({ type: "points" })
      return points.ok ? rewindAnswer(points.value, words, clock.now()) : wrong(points.failure)
    },
    branches: async (words) => branchAnswer(await ask({ type: "branches" }), words, clock.now()),
    diff: (words) => diffAnswer(ask, words),
    async inspect(words) {
      const shown = await inspectedText(ask, words)
      return shown.ok ? said(`${shown.value.title}\n${shown.value.text}`) : wrong(shown.failure)
    },
    memory: async () => said(memoryText(await ask({ type: "memory" }))),
    mcp: async (words) => serverAnswer(await ask({ type: "servers" }), words),
    hooks: async (words) => said(reportText(hooksReport, await ask({ type: "hooks" }), words)),
    sandbox: async () => said(sandboxText(await ask({ type: "sandbox" }))),
    agents: async (words) =>
      (/^running\b/.test(words) ? parts.program?.run("running", "") : undefined) ??
      newAnswer("agents", words, parts.place.cwd) ??
      said(reportText(agentsReport, await ask({ type: "agent_types" }), words)),
    tasks: (words) => taskAnswer(ask, words, clock.now()),
    team: async () => said(teamText(await ask({ type: "team" }), clock.now())),
    skills: async (words) =>
      newAnswer("skills", words, parts.place.cwd) ??
      said(reportText(skillsReport, await ask({ type: "definitions" }), words)),
    todos: (words) => todoAnswer(parts.todos(), words),
    styles: (words) => styleAnswer(parts.styles, words),
    fork: () =>
      parts.kept === undefined
        ? wrong("This conversation is not saved, so it cannot be copied.")
        : {
            text: `Continue in a copy with: codewright --resume ${parts.kept} --fork-session`,
            resume: parts.kept,
            fork: true,
          },
    ...programViews(parts.program),
  }
}

function programViews(program: ProgramCommands | undefined): { readonly [what in ProgramCommand]: SlashView } {
  const views = programCommands.map((name): [ProgramCommand, SlashView] => [
    name,
    (words) => program?.run(name, words) ?? wrong(`/${name} is not available here.`),
  ])
  return Object.fromEntries(views) as { readonly [what in ProgramCommand]: SlashView }
}

function planAnswer(plan: Answers["plan"], words: string, place: SlashParts["place"]): SlashAnswer {
  if (plan?.text === undefined && words === "edit") return wrong("There is no plan yet. /plan to start one.")
  if (plan?.text === undefined) return { text: "", ops: [{ type: "set_mode", mode: "plan" }] }
  const where = `The plan is in ${forConsent(shortPath(plan.path, place))}.`
  return said(words === "edit" ? `${where} Edit it there.` : `${where}\n\n${plan.text}`)
}

async function resumeAnswer(choices: Choices | undefined, words: string, now: number): Promise<SlashAnswer> {
  const all = await choices?.sessions("")
  const matching = words === "" ? all : await choices?.sessions(words)
  if (!all || !matching) return said("There are no other conversations here.")
  if (!all.ok) return wrong(all.failure)
  return matching.ok ? sessionAnswer({ all: all.value, matching: matching.value }, words, now) : wrong(matching.failure)
}

function styleAnswer(styles: SlashParts["styles"], words: string): SlashAnswer {
  if (!styles) return wrong("There are no output styles here.")
  const all = styles.list()
  if (words === "") return { ...said(styleLines(all, styles.chosen().name)), choices: all.map(({ name }) => name) }
  const wanted = all.find(({ name }) => name.toLowerCase() === words.toLowerCase())
  if (wanted) return { text: "", ops: [{ type: "set_style", style: wanted.name }] }
  const names = all.map(({ name }) => name)
  const near = nearNames(words, names, 2)
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `The styles are ${names.join(", ")}.`
  return wrong(forConsent(`There is no output style ${words}. ${hint}`))
}

/** Parses `add deny Bash(rm:*)` and an optional destination; undefined for anything else. */
function addedRule(words: string): SlashAnswer | undefined {
  if (!/^add\b/.test(words)) return undefined
  const [, behavior, rule, place = "session"] =
    /^add\s+(allow|ask|deny)\s+(.+?)(?:\s+--to\s+(session|local|project|user))?$/s.exec(words) ?? []
  if (rule === undefined || (behavior !== "allow" && behavior !== "ask" && behavior !== "deny"))
    return wrong("Write /permissions add allow|ask|deny <rule> [--to session|local|project|user].")
  return { text: "", ops: [{ type: "add_rule", behavior, rule, destination: rulePlaceNames[place] ?? "session" }] }
}

const written = ({ behavior, tool, content, source }: PermissionRule): RuleRow => ({
  behavior,
  rule: content === undefined ? tool : `${tool}(${content})`,
  source,
})

const granted = ({ rule, behavior = "allow" }: Grant): RuleRow => ({ behavior, rule, source: "session" })

const forConsentLines = (text: string): string => text.split("\n").map(forConsent).join("\n")
const said = (text: string): SlashAnswer => ({ text })
const wrong = (text: string): SlashAnswer => ({ text, isError: true })
