/** Beside a conversation: what is to do, who works, what it costs, what was decided, and the way back. */

import { type ReactNode, useState } from "react"
import type { ChildEnd } from "#agent/words/child.ts"
import { costText, counted, tokensText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { CommentsBox } from "./review/comments-box.tsx"
import { ContextChart } from "./context-chart.tsx"
import type { ShownSession, SignedIn } from "./contract.ts"
import type { Facts } from "./facts.ts"
import type { LiveSession } from "./follow.ts"
import { GatesForm } from "./gates-form.tsx"
import { LongText } from "./long-text.tsx"
import { Markdown } from "./markdown.tsx"
import { PlanLists } from "./plan-form.tsx"
import { RewindForm } from "./rewind-form.tsx"
import { toTeam } from "./route.ts"
import { mayShare, ShareBox } from "./share-box.tsx"
import { Todos } from "./todos.tsx"
import { readOnlyReason, stateWords } from "./words.ts"

interface SessionRailProps {
  readonly session: ShownSession
  readonly followed: LiveSession
  readonly me: SignedIn | undefined
  readonly onChange: () => void
}

export function SessionRail({ session, followed, me, onChange }: SessionRailProps): ReactNode {
  const { facts, view } = followed
  // It stays where the last prompt was rewound, and says so.
  const [isSharing, setSharing] = useState(false)
  const [hasPrompts, setHasPrompts] = useState(false)
  if (!hasPrompts && facts.prompts.length > 0) setHasPrompts(true)
  const { plan, gates, completed, clarifiedQuery } = session
  return (
    <aside className="rail" aria-label="Details">
      {clarifiedQuery !== undefined && (
        <Box title="Task, as clarified">
          <p className="whole">
            <LongText text={clarifiedQuery} />
          </p>
        </Box>
      )}
      {view.todos.length > 0 && (
        <Box title="To do">
          <Todos todos={view.todos} />
        </Box>
      )}
      {facts.agents.length > 0 && (
        <Box title="Agents">
          <Agents agents={facts.agents} />
        </Box>
      )}
      {facts.team !== undefined && (
        <Box title="Team">
          <p>
            <a href={toTeam(session.id)}>{forConsent(facts.team)}: tasks and members</a>
          </p>
        </Box>
      )}
      {facts.context.length > 0 && (
        <Box title="Context">
          <ContextChart points={facts.context} />
        </Box>
      )}
      <Cost session={session} facts={facts} />
      {/* What waits is in its card. */}
      {plan && !session.pending.some(({ kind }) => kind === "plan") && (
        <Box title="Plan">
          <PlanLists scope={plan} />
          <details>
            <summary>Read the plan</summary>
            <Markdown text={plan.markdown} under={2} />
          </details>
        </Box>
      )}
      {gates && (
        <Box title="Gates">
          <GatesForm
            sessionId={session.id}
            gates={gates}
            me={me}
            readOnly={readOnlyReason(session, me)}
            onChange={onChange}
          />
        </Box>
      )}
      {completed.length > 0 && (
        <Box title="Decisions">
          <ul className="decisions">
            {completed
              .toReversed()
              .slice(0, 20)
              .map(({ approvalId, title, state, by }, i) => (
                <li key={i} data-decided={approvalId}>
                  <span className={state === "allowed" ? "good" : state === "denied" ? "bad" : "dim"}>
                    {stateWords[state]}
                  </span>
                  {by !== "" && ` by ${forConsent(by)}`} <span className="dim">{forConsent(title)}</span>
                </li>
              ))}
          </ul>
        </Box>
      )}
      <Box title="Comments">
        <CommentsBox sessionId={session.id} />
      </Box>
      {mayShare(session, me) && (
        <Box title="Share">
          {isSharing ? (
            <ShareBox session={session} onChange={onChange} />
          ) : (
            <button type="button" className="quiet" onClick={() => setSharing(true)}>
              Share or hand over
            </button>
          )}
        </Box>
      )}
      {hasPrompts && session.mayChange && (
        <Box title="Rewind">
          <RewindForm sessionId={session.id} prompts={facts.prompts} onChange={onChange} />
        </Box>
      )}
    </aside>
  )
}

const Box = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <section className="box" aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
)

const ends: { readonly [end in ChildEnd]: string } = {
  completed: "done",
  failed: "failed",
  stopped: "stopped",
  lost: "lost",
}

function Agents({ agents }: Pick<Facts, "agents">): ReactNode {
  return (
    <ul className="agents">
      {agents.map(({ agentId, agentType, member, description, state, end, usage }) => (
        <li key={agentId}>
          <span className={`pill ${state === "ended" ? (end === "completed" ? "done" : "quiet") : "works"}`}>
            {state === "ended" ? ends[end ?? "lost"] : "working"}
          </span>{" "}
          <strong>{forConsent(member ?? agentType)}</strong> {forConsent(description)}
          {usage && (
            <span className="dim">
              {" "}
              {counted(usage.toolUses, "call")}, {tokensText(usage.tokens)}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

function Cost({ session, facts }: { readonly session: ShownSession; readonly facts: Facts }): ReactNode {
  const total = Math.max(session.costUsd, facts.costUsd)
  const shares = Object.entries(facts.spending)
  if (total === 0) return null
  return (
    <Box title="Cost">
      <p>{costText(total)}</p>
      {shares.length > 1 && (
        <ul className="spending">
          {shares.map(([who, { costUsd, tokens }]) => (
            <li key={who}>
              {forConsent(who)}{" "}
              <span className="dim">
                {costText(costUsd)}, {tokensText(tokens)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Box>
  )
}
