/** The task list as the model works with it: create, change, look. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import {
  type Board,
  type Roster,
  type TaskChange,
  type TaskFailure,
  taskStatuses,
  type TeamTask,
} from "#agent/words/team.ts"
import { type AnyTool, answered, type Outcome, refused } from "#agent/words/tool.ts"
import { given } from "#lib/given.ts"
import type { Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import type { Holding } from "./holding.ts"
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

/** `roster`: of a team. In a list without one nobody knows who may come. */
export function taskTools(board: Board, holding: Holding, roster?: Pick<Roster, "members">): readonly AnyTool[] {
  const withOwner = ownerNotes(roster)
  // Calls about the same list, side by side, would leave open which came first.
  const footprint = () => ({ ...touchesNothing(), alone: true })
  const shown = (result: Result<TeamTask, TaskFailure>, said: (task: TeamTask) => string): Outcome =>
    result.ok
      ? answered(said(result.value), {
          data: dataOf(result.value),
          display: { kind: "text", text: said(result.value) },
        })
      : refused(taskFailureWords(result.failure))
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
      footprint,
      run: async ({ subject, description, activeForm, owner, blockedBy, blocks }) => {
        const created = shown(
          await board.create({
            subject,
            description,
            ...given("activeForm", activeForm),
            ...given("owner", owner),
            ...given("blockedBy", blockedBy),
            ...given("blocks", blocks),
          }),
          ({ id }) => `Created #${id}: ${subject}`,
        )
        return withOwner(created, owner)
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
      footprint,
      async run({ taskId: id, status, owner, note, ...rest }) {
        const change: TaskChange = {
          ...given("subject", rest.subject),
          ...given("description", rest.description),
          ...given("activeForm", rest.activeForm),
          ...given("addBlocks", rest.addBlocks),
          ...given("addBlockedBy", rest.addBlockedBy),
          ...given("removeBlocks", rest.removeBlocks),
          ...given("removeBlockedBy", rest.removeBlockedBy),
          ...(owner !== undefined && { owner: owner === "" ? null : owner }),
          ...(status === "deleted" && { status }),
        }
        if (Object.keys(change).length > 0) {
          const changed = await board.change(id, change)
          if (!changed.ok) return refused(taskFailureWords(changed.failure))
        }
        if (status === "in_progress") return shown(await holding.begin(id), (task) => `Yours now:\n${taskText(task)}`)
        if (status === "completed")
          return shown(await holding.finish(id), (task) => `Completed #${id}: ${task.subject}`)
        if (status === "pending")
          return shown(await holding.giveBack(id, note ?? "Given back without a note."), () => `Gave #${id} back.`)
        if (status === "deleted") return answered(`Deleted #${id}.`)
        const now = await board.get(id)
        return now
          ? withOwner(
              shown({ ok: true, value: now }, (task) => `Changed #${id}: ${task.subject}`),
              owner,
            )
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

const dataOf = ({ notes, metadata, ...task }: TeamTask) => ({ ...task, notes: [...notes], metadata })

/** Adds to an answer that nobody would ever take the task. */
const ownerNotes =
  (roster: Pick<Roster, "members"> | undefined) =>
  async (outcome: Outcome, owner: string | undefined): Promise<Outcome> => {
    if (!roster || !owner || outcome.isError || typeof outcome.content !== "string") return outcome
    if ((await roster.members()).some(({ name, state }) => name === owner && state !== "gone")) return outcome
    const note = `${owner} is not in the team: nobody takes this task until a member of that name is started, or the owner is changed.`
    return { ...outcome, content: `${outcome.content}\n${note}` }
  }
