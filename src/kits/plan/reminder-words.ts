/** The text of the reminders: what plan mode allows, how to plan, and how a turn ends. */

interface File {
  readonly path: string
  readonly exists: boolean
}

interface Phases extends File {
  readonly agents: { readonly explore: number; readonly plan: number } | undefined
  readonly canAsk: boolean
  /** How to plan, in the words of whoever opened the session. */
  readonly instructions?: string | undefined
}

const fileLine = ({ path, exists }: File): string =>
  exists
    ? `Your plan file is ${path}. It exists: read it first, and change it with Edit.`
    : `Your plan file is ${path}. It does not exist yet: create it with Write.`

const endings = (canAsk: boolean): string =>
  canAsk
    ? "End every planning turn with one of two calls: AskUserQuestion if the user must decide something, or ExitPlanMode if the plan is ready. Never ask in plain text whether the plan is acceptable; ExitPlanMode asks that."
    : "Nobody can approve a plan in this run: write the plan to its file and end with a short summary of it."

export function fullWords(facts: Phases): string {
  return `Plan mode is on. Explore and design; change nothing yet. Every call that could change something is refused, even if a rule allows it: edits, installs, commits, settings, and commands that are not certain to only read. The plan file is the only file you may write.
${fileLine(facts)} Extend it as you learn.

${facts.instructions ?? steps(facts)}

${endings(facts.canAsk)}`
}

const steps = (facts: Phases): string =>
  `1. Understand. Read the request and the code it is about.${exploring(facts)} Look for existing code that can be reused. Then ask the user what the code cannot tell you.
2. Design. ${designing(facts)}
3. Review. Read the files that matter most yourself, check the design against the request, and ask about whatever is still open.
4. Write the final plan to the plan file: the reason for the change, then only the approach you recommend. Short enough to scan, exact enough to carry out: the paths to create and to modify, what is reused and where it is, the commands, and how to verify the result end to end. Headings such as "Files to create", "Files to modify", "Commands" and "Tests" let the work be checked against the plan.
5. Call ExitPlanMode.`

const exploring = ({ agents }: Phases): string =>
  agents === undefined
    ? ""
    : ` For anything beyond a few known files, start Explore agents: one is usually enough, up to ${agents.explore} in one answer for separate areas, each with its own question.`

const designing = ({ agents }: Phases): string =>
  agents === undefined
    ? "Compare the sensible approaches with what you found: files, names, constraints. Choose one."
    : `Unless the task is trivial, have at least one Plan agent work out the approach${agents.plan > 1 ? `, up to ${agents.plan} if different perspectives help` : ""}. Give it what you found: files, names, constraints.`

export const sparseWords = (facts: Phases): string =>
  `Plan mode is still on: everything except the plan file ${facts.path} is read-only. ${
    facts.canAsk
      ? "End the turn with AskUserQuestion (the user must decide something) or ExitPlanMode (the plan is ready); never ask for approval in text."
      : "End with a short summary of the plan; nobody can approve it in this run."
  }`

export const subagentWords = ({ path, exists, canAsk }: Phases): string =>
  `The session is in plan mode, and so are you: read and search, but change nothing; calls that could change something are refused. ${
    exists
      ? `You may keep notes in your own plan file ${path}, which exists.`
      : `You may keep notes in your own plan file ${path}.`
  } ${canAsk ? "Ask with AskUserQuestion if you cannot continue without an answer. " : ""}Answer with what you found.`

export const reentryWords = ({ path }: File): string =>
  `You are in plan mode again. An earlier plan is at ${path}. Read it first, then compare it with what the user wants now.
- The same task, or a continuation of it: build on the plan; change what is no longer true and remove what is done.
- A different task: start over and replace the old plan.
- If you cannot tell which, ask the user.
Either way, the file must contain the plan for this task before you call ExitPlanMode.`

export const exitWords = ({ path, exists }: File): string =>
  `Plan mode is off. You may edit files and run commands again, within the permissions.${
    exists ? ` The plan is at ${path} if you need it.` : ""
  }`
