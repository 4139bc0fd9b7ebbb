/** The task list as the model works with it: create, change, look. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { type Board, type TaskChange, type TaskFailure, taskStatuses, type TeamTask } from "#agent/words/team.ts"
import { type AnyTool, answered, type Outcome, refused } from "#agent/words/tool.ts"
import { optional } from "#lib/optional.ts"
import type { Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import type { Claims } from "./claims.ts"
import { taskFailureWords, taskLines, taskText } from "./task-words.ts"

const ids = () => shape.array(shape.string().trim().min(1))
const words = () => shape.string().trim().min(1, "must not be empty")

const createDescription = `Adds a task to the shared list, for you or for whoever works on the list with you.
Write it so that someone who knows nothing of this conversation can do it: what is wanted, where, and how to see that it is done.
Say with blockedBy which tasks must be completed before it can begin.`

const updateDescription = `Changes a task of the shared list.
- status in_progress takes the task for you, if nobody has it and nothing blocks it. completed finishes a task that is yours; only when it is really done. pending gives it back; say why in note. deleted removes it.
- owner gives it to someone; an empty owner to whoever comes first.
- addBlockedBy, addBlocks, removeBlockedBy, removeBlocks change what waits for what.`

export function taskTools(board: Board, claims: Claims): readonly AnyTool[] {
  // Calls about the same list, side by side, would leave open which came first.
  const footprint = () => ({ ...touchesNothing(), alone: true })
  const shown = (result: Result<TeamTask, TaskFailure>, said: (task: TeamTask) => string): Outcome =>
    result.ok ? taskOutcome(said(result.value), result.value) : refused(taskFailureWords(result.failure))
  return [
    defineTool({
      name: "TaskCreate",
      independent: true,
      description: createDescription,
      input: shape.object({
        subject: words().describe("What to do, in a few words: Add the login route"),
        description: shape.string().describe("Everything that is needed to do it"),
        activeForm: words().optional().describe("The same while doing it: Adding the login route"),
        owner: words().optional(),
        blockedBy: ids().optional().describe("Ids of tasks that must be completed first"),
        blocks: ids().optional().describe("Ids of tasks that wait for this one"),
      }),
      title: ({ subject }) => `Create task: ${subject}`,
      keyed: true,
      footprint,
      async run({ subject, description, activeForm, owner, blockedBy, blocks }, { callId }) {
        const task = {
          subject,
          description,
          ...optional("activeForm", activeForm),
          ...optional("owner", owner),
          ...optional("blockedBy", blockedBy),
          ...optional("blocks", blocks),
        }
        const created = await board.create(task, { caller: claims.name, id: callId })
        return withStranger(board, shown(created, createdWords), owner)
      },
    }),
    defineTool({
      name: "TaskUpdate",
      independent: true,
      description: updateDescription,
      input: shape.object({
        taskId: words(),
        status: shape.choice(taskStatuses).optional(),
        subject: words().optional(),
        description: shape.string().optional(),
        activeForm: words().optional(),
        owner: shape.string().trim().optional(),
        note: words().optional().describe("For whoever takes it next"),
        addBlocks: ids().optional(),
        addBlockedBy: ids().optional(),
        removeBlocks: ids().optional(),
        removeBlockedBy: ids().optional(),
      }),
      title: ({ taskId, status }) => `Update task #${taskId}${status === undefined ? "" : `: ${status}`}`,
      keyed: true,
      footprint,
      async run({ taskId: id, status, owner, note, ...rest }, { callId }) {
        const call = { caller: claims.name, id: callId }
        const change: TaskChange = {
          ...optional("subject", rest.subject),
          ...optional("description", rest.description),
          ...optional("activeForm", rest.activeForm),
          ...optional("addBlocks", rest.addBlocks),
          ...optional("addBlockedBy", rest.addBlockedBy),
          ...optional("removeBlocks", rest.removeBlocks),
          ...optional("removeBlockedBy", rest.removeBlockedBy),
          ...(owner !== undefined && { owner: owner === "" ? null : owner }),
          ...(status === "deleted" && { status }),
        }
        if (Object.keys(change).length > 0) {
          const changed = await board.change(id, change, call)
          if (!changed.ok) return refused(taskFailureWords(changed.failure))
        }
        if (status === "in_progress") return shown(await claims.begin(id, call), updatedWords(status))
        if (status === "completed") return shown(await claims.finish(id, call), updatedWords(status))
        if (status === "pending")
          return shown(await claims.giveBack(id, note ?? "Given back without a note.", call), updatedWords(status))
        if (status === "deleted") return answered(deletedWords(id))
        const now = await board.get(id)
        return now
          ? withStranger(board, shown({ ok: true, value: now }, updatedWords(undefined)), owner)
          : refused(taskFailureWords({ kind: "no_such_task", id }))
      },
    }),
    defineTool({
      name: "TaskGet",
      description: "Gives one task of the shared list whole, with its description and the notes of those who had it.",
      input: shape.object({ taskId: words() }),
      title: ({ taskId }) => `Read task #${taskId}`,
      footprint: touchesNothing,
      async run({ taskId: id }) {
        const task = await board.get(id)
        return task
          ? answered(taskText(task), { data: dataOf(task), display: { kind: "text", text: taskText(task) } })
          : refused(taskFailureWords({ kind: "no_such_task", id }))
      },
    }),
    defineTool({
      name: "TaskList",
      description: "Lists all tasks of the shared list: their states, who has them, and what they wait for.",
      input: shape.object({}),
      title: () => "List the tasks",
      footprint: touchesNothing,
      async run() {
        const tasks = await board.list()
        const text = tasks.length === 0 ? "The list is empty." : taskLines(tasks)
        return answered(text, { data: { tasks: tasks.map(dataOf) }, display: { kind: "text", text } })
      },
    }),
  ]
}

/** An owner who is not there may still come; but whoever wrote a wrong name should know. */
export async function withStranger(
  { othersThan }: Pick<Board, "othersThan">,
  outcome: Outcome,
  owner: unknown,
): Promise<Outcome> {
  if (typeof owner !== "string" || owner === "" || outcome.isError) return outcome
  const there = await othersThan(owner)
  if (!there) return outcome
  const note = `Nobody in the team is called ${owner}, and nobody else takes the task. In the team: ${there.join(", ")}. Start ${owner}, or give the task to one of them.`
  return { ...outcome, content: `${String(outcome.content)}\n${note}` }
}

export const taskOutcome = (text: string, task: TeamTask): Outcome =>
  answered(text, { data: dataOf(task), display: { kind: "text", text } })

export const createdWords = ({ id, subject }: TeamTask): string => `Created #${id}: ${subject}`
export const deletedWords = (id: string): string => `Deleted #${id}.`

export const updatedWords =
  (status: "in_progress" | "completed" | "pending" | undefined) =>
  (task: TeamTask): string => {
    if (status === "in_progress") return `Yours now:\n${taskText(task)}`
    if (status === "completed") return `Completed #${task.id}: ${task.subject}`
    return status === "pending" ? `Gave #${task.id} back.` : `Changed #${task.id}: ${task.subject}`
  }

const dataOf = ({ notes, metadata, ...task }: TeamTask) => ({ ...task, notes: [...notes], metadata })
