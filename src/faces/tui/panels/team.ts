/** The panel of the team: who works on what, the tasks as a graph, and the mail. Members can be looked into, written to and stopped, tasks given to another. */

import type { Mail, Member, TeamOverview } from "#agent/words/team.ts"
import { taskGraph, type GraphRow } from "#session/slash/task-graph.ts"
import {
  doneWords,
  foldedWords,
  mailFacts,
  mailTitle,
  memberColors,
  memberFacts,
  taskFacts,
  taskTitle,
  teamTitle,
} from "#session/slash/team-words.ts"
import { noTeam } from "#session/slash/team-text.ts"
import type { Clock } from "#lib/clock.ts"
import { counted } from "#lib/figures.ts"
import { optional } from "#lib/optional.ts"
import { agentPanel, allAgents } from "./agent-view.ts"
import type { TasksPort, TeamPort } from "./extension-ports.ts"
import { liveWatch } from "./live.ts"
import type { LineDefinition, ListDefinition, PanelKey, PanelOutcome, PanelRow } from "./panel.ts"
import { allTasksPanel, assignPanel, taskPanel } from "./team-tasks.ts"
import { allMailPanel, mailPanel } from "./team-mail.ts"

const mostTasks = 16
const mostMail = 4

export interface TeamPanelPorts {
  readonly team: TeamPort
  /** For looking into members. */
  readonly agents: TasksPort
}

export function teamPanel<T>(ports: TeamPanelPorts, clock: Clock): ListDefinition<T> {
  const { team } = ports
  return {
    kind: "list",
    title: "Team",
    empty: noTeam,
    search: "none",
    enterLabel: "open",
    aligned: "by group",
    keys: teamKeys(ports),
    watch: liveWatch(team.watch, clock, async () => (await team.overview())?.members.some(isHere) ?? false),
    async load() {
      const overview = await team.overview()
      return overview ? rowsOf(overview, clock.now()) : []
    },
    async choose({ key }) {
      const overview = await team.overview()
      return overview ? opened(key, overview, ports, clock) : { kind: "stays" }
    },
  }
}

const isHere = ({ state }: Member): boolean => state !== "gone"

const memberKey = (name: string): string => `member ${name}`
const taskKey = (id: string): string => `task ${id}`
const mailKey = (seq: number): string => `mail ${seq}`

function rowsOf(overview: TeamOverview, now: number): readonly PanelRow[] {
  const { members, tasks, mail } = overview
  const colors = memberColors(overview)
  const team = teamTitle(overview)
  const newest = mail.toReversed()
  const earlier = newest.length - mostMail
  return [
    ...members.map((member): PanelRow => ({
      key: memberKey(member.name),
      text: member.name,
      facts: memberFacts(member, tasks, now),
      group: team,
      ...optional("color", isHere(member) ? colors.get(member.name) : undefined),
    })),
    ...taskGraph(tasks, mostTasks).map((row) => graphRow(row, `Tasks · ${doneWords(tasks)}`, colors)),
    ...newest.slice(0, mostMail).map((letter) => mailRow(letter, colors)),
    ...(earlier > 0 ? [{ key: "mail", text: `… ${counted(earlier, "earlier message")}`, group: "Mail" }] : []),
  ]
}

function graphRow(row: GraphRow, group: string, colors: ReadonlyMap<string, string>): PanelRow {
  if (row.kind === "folded") return { key: `tasks ${row.status}`, text: foldedWords(row), group }
  const { task, branch, waitsFor } = row
  return {
    key: taskKey(task.id),
    text: `${branch}${taskTitle(task)}`,
    facts: taskFacts(task, waitsFor),
    group,
    ...optional("color", task.status === "in_progress" ? colors.get(task.owner ?? "") : undefined),
  }
}

const mailRow = (mail: Mail, colors: ReadonlyMap<string, string>): PanelRow => ({
  key: mailKey(mail.seq),
  text: mailTitle(mail),
  facts: mailFacts(mail),
  group: "Mail",
  ...optional("color", colors.get(mail.from)),
})

async function opened<T>(
  key: string,
  overview: TeamOverview,
  ports: TeamPanelPorts,
  clock: Clock,
): Promise<PanelOutcome<T>> {
  const member = overview.members.find(({ name }) => key === memberKey(name))
  if (member) return openedMember(member, overview, ports, clock)
  const task = overview.tasks.find(({ id }) => key === taskKey(id))
  if (task) return { kind: "opens", panel: taskPanel(ports.team, task.id) }
  const letter = overview.mail.find(({ seq }) => key === mailKey(seq))
  if (letter) return { kind: "opens", panel: mailPanel(letter, clock.now()) }
  if (key === "mail") return { kind: "opens", panel: allMailPanel(ports.team, clock) }
  return { kind: "opens", panel: allTasksPanel(ports.team) }
}

async function openedMember<T>(
  { name, sessionId }: Member,
  { lead }: TeamOverview,
  { agents }: TeamPanelPorts,
  clock: Clock,
): Promise<PanelOutcome<T>> {
  if (name === lead) return { kind: "stays", note: "This is the conversation you are in." }
  const agent = allAgents(await agents.agents()).find(({ fact }) => fact.agentId === sessionId)
  if (agent) return { kind: "opens", panel: agentPanel(agents, agent, clock) }
  return { kind: "stays", note: `${name} runs in another process. Open it with: codewright --resume ${sessionId}` }
}

const teamKeys = <T>({ team }: TeamPanelPorts): readonly PanelKey<T>[] => {
  const memberOf = async (row: PanelRow | undefined): Promise<Member | undefined> =>
    (await team.overview())?.members.find(({ name }) => row?.key === memberKey(name))
  return [
    {
      name: "t",
      about: "send a message",
      of: "row",
      async run(row) {
        const member = await memberOf(row)
        if (!member) return { kind: "stays", note: "Choose a member to send a message to." }
        if (!isHere(member)) return { kind: "stays", note: `${member.name} has left.` }
        return { kind: "opens", panel: sayPanel(team, member.name) }
      },
    },
    {
      name: "x",
      about: "stop a member",
      of: "row",
      async run(row) {
        const member = await memberOf(row)
        if (!member) return { kind: "stays", note: "Choose a member to stop." }
        if (!isHere(member)) return { kind: "stays", note: `${member.name} has left.` }
        const stopped = await team.stop(member.name)
        return { kind: "stays", note: stopped.ok ? `Stopped ${member.name}.` : stopped.failure }
      },
    },
    {
      name: "a",
      about: "assign a task",
      of: "row",
      async run(row) {
        const task = (await team.overview())?.tasks.find(({ id }) => row?.key === taskKey(id))
        if (!task) return { kind: "stays", note: "Choose a task to assign." }
        if (task.status === "completed") return { kind: "stays", note: `#${task.id} is completed.` }
        return { kind: "opens", panel: assignPanel(team, task) }
      },
    },
  ]
}

const sayPanel = <T>(team: TeamPort, name: string): LineDefinition<T> => ({
  kind: "line",
  title: `Message to ${name}`,
  about: `${name} reads the message before its next step.`,
  enterLabel: "send",
  text: "",
  shown: "text",
  async submit(text) {
    const said = await team.say(name, text)
    return { kind: "goes back", to: "one below", note: said.ok ? "Sent." : said.failure }
  },
})
