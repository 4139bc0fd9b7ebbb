/** What the model is told after presenting its plan: the result, then what to do. */

export const notPlanningWords =
  "Plan mode is not on, so there is nothing to leave. If the plan was approved already, implement it."

/** For the user, in place of what the model is told. */
export const notPlanningShown = "Not in plan mode."
export const missingShown = "There is no plan yet."

export const missingWords = (path: string): string =>
  `There is no plan at ${path} yet. Write it to that file with Write, then call ExitPlanMode again.`

export const tooLongWords = (path: string, length: number, limit: number): string =>
  `The plan in ${path} has ${length} characters; at most ${limit} can be presented. Cut it to what is needed to carry it out, then call ExitPlanMode again.`

export const unwrittenWords = (why: string): string =>
  `The user approved the plan, but the text they approved could not be kept: ${why} Plan mode is still on. Tell the user.`

export const unansweredWords = (path: string, why: string): string =>
  `Nobody approved the plan${why === "" ? "" : ` (${why})`}. Plan mode is still on, and nothing may be changed. Do not call ExitPlanMode again now; end with a short summary of the plan, and say that it is at ${path}.`

export const subApprovedWords =
  "The plan is approved. There is nothing left for you to do: answer with the path of your plan and a short summary of it."

export const freshWords =
  "The user approved the plan and starts the work in a new conversation with nothing but the plan. Do nothing more and call no tools: answer with one short sentence."

export function declinedWords(
  said: string | undefined,
  plan: { readonly path: string; readonly edited: boolean },
): string {
  const edited = plan.edited ? ` They edited the text in ${plan.path}: read it before you continue.` : ""
  if (said)
    return `The user did not approve the plan and says: ${said}\nPlan mode is still on.${edited} Change the plan in ${plan.path} accordingly, then call ExitPlanMode again.`
  return `The user did not approve the plan. Plan mode is still on.${edited} Wait for what they say next.`
}

export function approvedWords({
  text,
  path,
  edited,
  granted,
}: {
  readonly text: string
  readonly path: string
  readonly edited: boolean
  /** Kinds of commands that no longer need to be asked about. */
  readonly granted: readonly string[]
}): string {
  const allowed = granted.length === 0 ? "" : ` You may now do this without asking: ${granted.join("; ")}.`
  if (text.trim() === "") return `The user approved. Plan mode is off; continue with the task.${allowed}`
  const changed = edited ? " They changed it first: what counts is the text below." : ""
  return `The user approved the plan. Plan mode is off, and you may implement it now. Start by bringing your todo list up to date with TodoWrite.${changed}${allowed}
The plan is at ${path}, if you need it again.

## Approved plan
${text}`
}
