/** Tasks of a team: one in full, all of them, and who one is given to. */

import type { TeamTask } from "#agent/words/team.ts"
import { idList, taskFacts, taskTitle } from "#session/slash/team-words.ts"
import { counted } from "#lib/figures.ts"
import type { TeamPort } from "./extension-ports.ts"
import type { ListDefinition, PanelRow, TextDefinition } from "./panel.ts"
import { factRows, passage, textRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

const gone = "This task has been deleted."

const statusWords: { readonly [status in TeamTask["status"]]: string } = {
  pending: "pending",
  in_progress: "in progress",
  completed: "completed",
  deleted: "deleted",
}

export const taskPanel = <T>(team: TeamPort, id: string): TextDefinition<T> => ({
  kind: "text",
  title: `Task #${id}`,
  begins: "top",
  watch: team.watch,
  async load() {
    const task = (await team.overview())?.tasks.find((each) => each.id === id)
    if (!task) return { draw: () => [gone], keys: [] }
    const { subject, description, status, owner, blocks, blockedBy, attempts, notes } = task
    const facts = factRows([
      ["Status", statusWords[status]],
      ["Owner", owner],
      ["Waits for", idList(blockedBy)],
      ["Blocks", idList(blocks)],
      ["Attempts", attempts === 0 ? undefined : counted(attempts, "failed attempt")],
    ])
    return {
      about: subject,
      draw: drawnOnce(passage(facts, textRows("Description", description), textRows("Notes", notes.join("\n\n")))),
      keys:
        status === "completed"
          ? []
          : [{ name: "a", about: "assign", run: async () => ({ kind: "opens", panel: assignPanel(team, task) }) }],
    }
  },
})

export const allTasksPanel = <T>(team: TeamPort): ListDefinition<T> => ({
  kind: "list",
  title: "All tasks",
  empty: "No tasks.",
  search: "rows",
  enterLabel: "open",
  watch: team.watch,
  async load() {
    const tasks = (await team.overview())?.tasks ?? []
    const open = new Set(tasks.filter(({ status }) => status !== "completed").map(({ id }) => id))
    return tasks.map((task): PanelRow => ({
      key: task.id,
      text: taskTitle(task),
      facts: taskFacts(
        task,
        task.blockedBy.filter((id) => open.has(id)),
      ),
    }))
  },
  choose: async ({ key }) => ({ kind: "opens", panel: taskPanel(team, key) }),
})

const anyone = "anyone"

export const assignPanel = <T>(team: TeamPort, { id, subject, owner, status }: TeamTask): ListDefinition<T> => ({
  kind: "list",
  title: `Assign #${id} ${subject}`,
  ...(status === "in_progress" && owner !== undefined && { about: `${owner} is working on it and will lose it.` }),
  empty: "No members.",
  search: "none",
  enterLabel: "assign",
  async load() {
    const members = (await team.overview())?.members ?? []
    return [
      { key: anyone, text: "Anyone", facts: "the first member that is free" },
      ...members.flatMap(({ name, state, color }): readonly PanelRow[] =>
        state === "gone"
          ? []
          : [{ key: `member ${name}`, text: name, facts: state, ...(color !== undefined && { color }) }],
      ),
    ]
  },
  async choose({ key, text }) {
    const assigned = await team.assign(id, key === anyone ? null : text)
    if (!assigned.ok) return { kind: "stays", note: assigned.failure }
    return {
      kind: "goes back",
      to: "one below",
      note: key === anyone ? `#${id} is free.` : `Assigned #${id} to ${text}.`,
    }
  },
})
