/** Teams for the panel to show: a small one with everything in it, and one with very many tasks; some of their text means no good. */

import type { Mail, Member, TeamOverview, TeamTask } from "#agent/words/team.ts"
import type { TeamPort } from "#faces/tui/panels/extension-ports.ts"
import { failed, ok } from "#lib/result.ts"
import { extensionPorts } from "./extension-scenes.ts"
import type { PanelScene } from "./panel-scenes.ts"
import { taskOf } from "../../kit/team/task.ts"

/** What the paper's clock says at the beginning. */
const now = 1_000_000
const down = "\u001b[B"

const task = (id: number, subject: string, more: Partial<TeamTask> = {}): TeamTask => taskOf(id, { subject, ...more })

const member = (name: string, more: Partial<Member> = {}): Member => ({
  name,
  sessionId: `session-of-${name}`,
  pid: 1,
  start: "",
  host: "here",
  state: "working",
  tokens: 0,
  costUsd: 0,
  joinedAt: now - 192_000,
  ...more,
})

/** All but the last have been read. */
const mail = (seq: number, from: string, to: string, text: string, more: Partial<Mail> = {}): Mail => ({
  seq,
  from,
  to,
  type: "message",
  text,
  sentAt: now - 60_000,
  ...(seq < 6 && { deliveredAt: now - 50_000 }),
  ...more,
})

const crew: TeamOverview = {
  name: "login",
  lead: "lead",
  members: [
    member("lead", { tokens: 31_000, costUsd: 0.21, activity: "Waiting for the team" }),
    member("api", {
      sessionId: "aaaaaaaa",
      color: "blue",
      tokens: 12_400,
      costUsd: 0.08,
      activity: "Bash bun test test/routes/login.test.ts",
    }),
    member("client", { color: "green", tokens: 8_100, costUsd: 0.05, state: "idle" }),
    member("tests\u001b[2J", { color: "magenta", tokens: 900, state: "gone" }),
  ],
  tasks: [
    task(1, "Agree on the shape of the login request", { status: "completed", owner: "lead", blocks: ["2", "3"] }),
    task(2, "Add the login route", {
      status: "in_progress",
      activeForm: "Adding the login route",
      owner: "api",
      blockedBy: ["1"],
      blocks: ["4"],
      attempts: 1,
      description: "POST /login takes a name and a password.\n\nAnswers 401 where they do not fit.",
      notes: ["tests stopped without finishing it. Its branch is codewright/tests."],
    }),
    task(3, "Call it from the form", { status: "completed", owner: "client", blockedBy: ["1"], blocks: ["4", "6"] }),
    task(4, "Test both ends together, with a wrong password, an empty one, and one that is far too long", {
      blockedBy: ["2", "3"],
      blocks: ["5"],
    }),
    task(5, "Merge the branches", { owner: "lead", blockedBy: ["4"] }),
    task(6, "Describe it in the README", { blockedBy: ["3"] }),
    task(7, "Find out why\u202e the old tests are slow"),
  ],
  mail: [
    mail(1, "lead", "api", "Begin with the route.", { summary: "begin with the route" }),
    mail(2, "lead", "client", "The form first."),
    mail(3, "client", "lead", "The form calls /login now.\nIt shows what the server says.", { answers: 2 }),
    mail(4, "api", "lead", "May I stop?", { type: "shutdown_request" }),
    mail(5, "client", "lead", "The tests \u001b]0;gone\u0007left.", { meantFor: "tests" }),
    mail(6, "lead", "api", "Please finish the route first.", { summary: "finish first" }),
  ],
}

const large: TeamOverview = {
  ...crew,
  tasks: Array.from({ length: 400 }, (_, i) => {
    const id = i + 1
    const blockedBy = id <= 3 ? [] : [`${id - 3}`, `${id - 1}`].slice(0, 1 + (id % 2))
    if (id <= 300) return task(id, `Convert module ${id}`, { status: "completed", owner: "api", blockedBy })
    if (id <= 303) return task(id, `Convert module ${id}`, { status: "in_progress", owner: "api", blockedBy })
    return task(id, `Convert module ${id}`, { blockedBy })
  }),
}

const portOf = (look: TeamOverview | null): TeamPort => ({
  overview: async () => look,
  watch: () => () => {},
  say: async () => ok(undefined),
  stop: async () => failed("api cannot be stopped now."),
  assign: async () => ok(undefined),
})

const panel = (look: TeamOverview | null, ...keys: readonly string[]): PanelScene => ({
  options: { panels: { ...extensionPorts, team: portOf(look) } },
  async play(paper) {
    await paper.type("/teams\r")
    await paper.pass(400)
    for (const key of keys) {
      await paper.type(key)
      await paper.pass(400)
    }
  },
})

/** The rows above the prompt, once something in the team has changed. */
const above = (look: TeamOverview): PanelScene => ({
  options: { answers: { team: () => look } },
  async play(paper) {
    paper.moment({ type: "team_change" })
    await paper.pass(400)
  },
})

const resting: TeamOverview = { ...crew, members: crew.members.map((each) => ({ ...each, state: "idle" })) }
const crowded: TeamOverview = {
  ...crew,
  members: Array.from({ length: 9 }, (_, i) => member(`worker-${i + 1}`, { tokens: 1_000 * i, costUsd: 0.01 * i })),
}

export const teamScenes: { readonly [name: string]: PanelScene } = {
  "team above the prompt": above(crew),
  "team above the prompt, nobody works": above(resting),
  "team above the prompt, a large one": above(crowded),
  "panel of the team": panel(crew),
  "panel of the team, where there is none": panel(null),
  "panel of the team, a member": panel(crew, down, "\r"),
  "panel of the team, a message to a member": panel(crew, down, "t", "use the old table"),
  "panel of the team, a member that cannot be stopped": panel(crew, down, "x"),
  "panel of the team, a task": panel(crew, down.repeat(5), "\r"),
  "panel of the team, a task for somebody else": panel(crew, down.repeat(5), "a"),
  "panel of the team, a task assigned": panel(crew, down.repeat(5), "a", down, "\r"),
  "panel of the team, a message": panel(crew, down.repeat(12), "\r"),
  "panel of the team, all messages": panel(crew, down.repeat(15), "\r"),
  "panel of the team, very many tasks": panel(large),
  "panel of the team, all of very many tasks": panel(large, down.repeat(4), "\r", "39"),
}
