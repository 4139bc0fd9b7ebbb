/** A team at work: who does what, and what waits for what. */

import { type ReactNode, useEffect } from "react"
import type { TaskStatus } from "#agent/words/team.ts"
import { forConsent } from "#lib/printable.ts"
import { at } from "./api.ts"
import type { ShownTask, ShownTeam } from "./contract.ts"
import { placed, type PlacedTask } from "./graph.ts"
import { Loading } from "./loading.tsx"
import { usePolled } from "./polled.ts"
import { toSession } from "./route.ts"

export function TeamScreen({
  id,
  onName,
}: {
  readonly id: string
  readonly onName: (name: string) => void
}): ReactNode {
  const { value: team, failure } = usePolled<ShownTeam>(`/api/sessions/${at(id)}/team`, {
    everyMs: 2_000,
    on: ["teams"],
  })
  const name = team ? `Team ${forConsent(team.name)}` : ""
  useEffect(() => onName(name), [name, onName])
  if (!team && failure?.kind === "refused" && failure.status === 404)
    return (
      <div className="empty">
        <h1>No team</h1>
        <p>
          This session has no team. Go back to the <a href={toSession(id)}>session</a>.
        </p>
      </div>
    )
  if (!team) return <Loading failure={failure} what="the team" />
  return (
    <div className="screen broad">
      <p>
        <a href={toSession(id)}>Back to the session</a>
      </p>
      <h1>{name}</h1>
      <Members team={team} />
      <h2>
        Tasks <span className="dim">{team.tasks.length}</span>
      </h2>
      {team.tasks.length === 0 ? <p className="dim">No tasks yet.</p> : <Graph tasks={team.tasks} />}
      {team.mail.length > 0 && <MailList team={team} />}
    </div>
  )
}

function Members({ team: { members, lead, tasks } }: { readonly team: ShownTeam }): ReactNode {
  return (
    <ul className="members" aria-label="Members">
      {members.map(({ name, state, taskId }) => (
        <li key={name} className={state}>
          <strong>{forConsent(name)}</strong>
          {name === lead && name !== "lead" && <span className="pill">lead</span>}
          <span className={`pill ${state === "working" ? "works" : "quiet"}`}>{state}</span>
          <span className="dim">
            {taskId !== undefined &&
              `#${taskId} ${forConsent(tasks.find((task) => task.id === taskId)?.subject ?? "")}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

const statusWords: { readonly [status in TaskStatus]: readonly [name: string, tone: string] } = {
  pending: ["to do", "quiet"],
  in_progress: ["in progress", "works"],
  completed: ["done", "done"],
  deleted: ["deleted", "quiet"],
}

const [boxWidth, boxHeight, gapX, gapY] = [220, 84, 56, 16]
const xOf = (column: number): number => column * (boxWidth + gapX)
const yOf = (row: number): number => row * (boxHeight + gapY)

function Graph({ tasks }: { readonly tasks: readonly ShownTask[] }): ReactNode {
  const all = placed(tasks)
  const byId = new Map(all.map((each) => [each.task.id, each]))
  const width = Math.max(...all.map(({ column }) => xOf(column))) + boxWidth
  const height = Math.max(...all.map(({ row }) => yOf(row))) + boxHeight
  const edges = all.flatMap((to) => to.task.blockedBy.flatMap((id) => edge(byId.get(id), to)))
  return (
    <div className="wide graph" tabIndex={0} role="region" aria-label="Graph of tasks">
      <div style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {edges.map(({ path, isDone }) => (
            <path key={path} d={path} className={isDone ? "done" : ""} />
          ))}
        </svg>
        <ol>
          {all.map((each) => (
            <TaskBox key={each.task.id} placed={each} />
          ))}
        </ol>
      </div>
    </div>
  )
}

function edge(from: PlacedTask | undefined, to: PlacedTask): readonly { path: string; isDone: boolean }[] {
  if (!from) return []
  const [x1, y1] = [xOf(from.column) + boxWidth, yOf(from.row) + boxHeight / 2]
  const [x2, y2] = [xOf(to.column), yOf(to.row) + boxHeight / 2]
  const bend = Math.max(20, (x2 - x1) / 2)
  return [
    {
      path: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
      isDone: from.task.status === "completed",
    },
  ]
}

function TaskBox({ placed: { task, column, row } }: { readonly placed: PlacedTask }): ReactNode {
  const { id, subject, status, owner, blockedBy, attempts } = task
  const [name, tone] = statusWords[status]
  return (
    <li
      className={`task-box ${tone}`}
      style={{ left: xOf(column), top: yOf(row), width: boxWidth, height: boxHeight }}
      title={forConsent(subject)}
    >
      <span className="subject">
        <span className="dim">#{forConsent(id)}</span> {forConsent(subject)}
      </span>
      <span className="dim">
        <span className={`pill ${tone}`}>{name}</span> {owner !== undefined && forConsent(owner)}
        {attempts > 1 && ` · attempt ${attempts}`}
      </span>
      {blockedBy.length > 0 && (
        <span className="hidden">waits for {blockedBy.map((each) => `#${each}`).join(", ")}</span>
      )}
    </li>
  )
}

function MailList({ team: { mail } }: { readonly team: ShownTeam }): ReactNode {
  return (
    <section>
      <h2>Messages</h2>
      <ul className="mail">
        {mail
          .slice(-30)
          .toReversed()
          .map(({ seq, from, to, type, summary, deliveredAt }) => (
            <li key={seq}>
              <strong>{forConsent(from)}</strong> to {to === "*" ? "everybody" : forConsent(to)}:{" "}
              {forConsent(summary ?? type.replaceAll("_", " "))}
              {deliveredAt === undefined && <span className="dim"> unread</span>}
            </li>
          ))}
      </ul>
    </section>
  )
}
