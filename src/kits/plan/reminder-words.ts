/** The text of the reminders: what plan mode allows, how to plan, and how a turn ends. */

interface File {
  readonly path: string
  readonly exists: boolean
}

interface Phases extends File {
  readonly agents: { readonly explore: number; readonly plan: number } | undefined
  readonly canAsk: boolean
}

const fileLine = ({ path, exists }: File): string =>
  exists
    ? `Your plan file is ${path}. It exists: read it, and change it with Edit.`
    : `Your plan file is ${path}. It does not exist yet: make it with Write.`

const endings = (canAsk: boolean): string =>
  canAsk
    ? "A planning turn ends in one of two ways: with AskUserQuestion when something must be decided, or with ExitPlanMode when the plan is ready. Never ask in plain text whether the plan is all right; ExitPlanMode is that question."
    : "Nobody can approve a plan in this run: write the plan to its file, and end with a short account of it."

export function fullWords(facts: Phases): string {
  return `Plan mode is on. You explore and design; nothing is changed yet. Every call that would change something is refused, whatever rules allow otherwise: edits, commands that are not certain to only read, installs, commits, settings. The one file you may write is the plan.
${fileLine(facts)} Build it up as you learn.

1. Understand. Read the request and the code it is about.${exploring(facts)} Look for what exists and can be used again. Then ask the user what the code cannot tell you.
2. Design. ${designing(facts)}
3. Review. Read the files that matter most yourself, check the design against the request, and ask what is still open.
4. Write the final plan to the plan file: why, then only the approach you recommend. Short enough to scan, exact enough to carry out: the paths to create and to modify, what is used again and where it stands, the commands, and how to verify the result from end to end. Headings such as "Files to create", "Files to modify", "Commands" and "Tests" let the work be checked against it.
5. Call ExitPlanMode.

${endings(facts.canAsk)}`
}

const exploring = ({ agents }: Phases): string =>
  agents === undefined
    ? ""
    : ` For anything beyond a few known files, start Explore agents: one is usually enough, up to ${agents.explore} in one answer when separate areas matter, each with a question of its own.`

const designing = ({ agents }: Phases): string =>
  agents === undefined
    ? "Weigh the approaches that make sense against what you found: files, how things are called, constraints. Settle on one."
    : `Unless the task is trivial, let at least one Plan agent work out the approach${agents.plan > 1 ? `; up to ${agents.plan} when different views help` : ""}. Hand it what you found: files, how things are called, constraints.`

export const sparseWords = (facts: Phases): string =>
  `Plan mode is still on: everything is read-only but the plan file ${facts.path}. ${
    facts.canAsk
      ? "End the turn with AskUserQuestion (something must be decided) or ExitPlanMode (the plan is ready), never by asking for approval in text."
      : "End with a short account of the plan; nobody can approve it in this run."
  }`

export const subagentWords = ({ path, exists, canAsk }: Phases): string =>
  `The session is in plan mode, and so are you: read and search, but change nothing; calls that would are refused. ${
    exists ? `Notes may go to your own plan file ${path}, which exists.` : `Notes may go to your own plan file ${path}.`
  } ${canAsk ? "Ask with AskUserQuestion if you cannot continue without an answer. " : ""}Answer with what you found.`

export const reentryWords = ({ path }: File): string =>
  `You are in plan mode again. A plan from before is at ${path}. Read it first, then compare it with what the user wants now.
- The same task, or a continuation of it: build on the plan; change what no longer holds and drop what is done.
- Another task: start over and replace the old plan.
- If you cannot tell which, ask the user.
Either way the file must hold the plan for this task before you call ExitPlanMode.`

export const exitWords = ({ path, exists }: File): string =>
  `Plan mode is off. You may edit files and run commands again, as far as the permissions allow.${
    exists ? ` The plan is at ${path} if you need it.` : ""
  }`
