/** What clients get, as schemas: the document of the API is made of them. */

import type { AskingAgent } from "#agent/words/child.ts"
import type { Display, FileDiff } from "#agent/words/display.ts"
import { gateNames } from "#agent/words/gates.ts"
import { grantDestinations } from "#agent/words/permission.ts"
import { stages } from "#agent/words/stage.ts"
import { mailTypes, memberStates, taskStatuses } from "#agent/words/team.ts"
import { type FleetEvent, roles } from "#fleet/records.ts"
import { approvalKinds, approvalStates, type ShownApproval } from "#session/port/approval.ts"
import { z, type ZodType } from "zod"
import { time, mode, json, any } from "./field-schemas.ts"
import type {
  AuditPage,
  Inbox,
  LatestEvents,
  SessionPage,
  ShownSession,
  ShownTeam,
  SignedIn,
  WorkerList,
} from "./page/contract.ts"

const approvalState = z.enum(approvalStates)

/** What a display, a difference and the parts of a command are made of is in the log of the session too. */
const approvalDetails = z
  .object({
    question: z.string().exactOptional(),
    cwd: z.string().exactOptional(),
    display: any<Display>()
      .exactOptional()
      .describe(
        "What it would do, such as a difference; left out if it is large and the input says it too. In a review, files are cut, and unshown says how many lines are missing",
      ),
    change: any<FileDiff>().exactOptional().describe("How the tool differs from the one that was allowed before"),
    parts: z
      .array(
        z.object({
          text: z.string(),
          needsConsent: z.boolean(),
          why: z.string(),
          leaves: z.literal(true).exactOptional().describe("It sends something to another machine, as why says"),
          rule: z.string().exactOptional(),
        }),
      )
      .exactOptional(),
    undo: z.enum(["rewind", "never"]).exactOptional(),
    rules: z.array(z.string()).exactOptional().describe("What remember would save"),
    destinations: z.array(z.enum(grantDestinations)).exactOptional().describe("Where this token may save it"),
    folder: z.enum(["own", "shared"]).exactOptional().describe("Whether others use the working folder too"),
    mode: mode.exactOptional().describe("To switch to, so that edits like this are not asked about"),
    folders: z.array(z.string()).exactOptional().describe("Folders that it needs; only the command line can add them"),
    review: z
      .literal(true)
      .exactOptional()
      .describe("It was done, and created files; a no removes them, unless keep is true"),
    agent: any<AskingAgent>().exactOptional().describe("Who asks, if it is not the main agent"),
  })
  .meta({ id: "ApprovalDetails" })

export const approvalAnswer: ZodType<ShownApproval> = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    sessionTitle: z.string().exactOptional().describe("In the inbox"),
    sessionBy: z.string().exactOptional().describe("In the inbox: whose session it is"),
    kind: z.enum(approvalKinds),
    title: z.string(),
    action: z.object({ tool: z.string(), input: json }),
    explanation: z.string(),
    risks: z.array(z.string()),
    details: approvalDetails
      .exactOptional()
      .describe("What a terminal shows besides; not in lists of sessions and events"),
    digest: z.string(),
    state: approvalState,
    effective: z.boolean().describe("Whether the decision just made is the one that counts"),
    expiresAt: time.exactOptional(),
    createdAt: time,
    decidedAt: time.exactOptional(),
    decidedBy: z.string().exactOptional(),
  })
  .meta({ id: "Approval" })

/** What each kind of event in the stream of a session says. */
export const eventData: { readonly [event in FleetEvent["type"]]: ZodType } = {
  entry: json.describe("A line of the session's log"),
  moment: json.describe("What passes, such as a piece of text"),
  stage: z.object({ stage: z.enum(stages) }),
  approval: approvalAnswer,
}

export const latestAnswer: ZodType<LatestEvents> = z.object({
  events: z.array(z.object({ id: z.number(), type: z.string(), data: z.string().describe("JSON, as in /events") })),
  total: z.number(),
})

const gates = z.array(
  z.object({
    gate: z.enum(gateNames),
    on: z.boolean(),
    source: z.enum(["policy", "settings", "project", "session"]).exactOptional().describe("Who asks for it"),
    by: z.string().exactOptional().describe("Who switched it last"),
    kept: z.enum(["admin", "policy"]).exactOptional().describe("Present if not every operator can switch it off"),
  }),
)
export const gatesAnswer: ZodType = z.object({ gates })

export const sessionAnswer: ZodType<ShownSession> = z
  .object({
    id: z.string(),
    title: z.string(),
    stage: z.enum(stages),
    mode,
    model: z.string(),
    query: z.string(),
    clarifiedQuery: z.string().exactOptional(),
    plan: z
      .object({
        markdown: z.string(),
        digest: z.string(),
        filesToCreate: z.array(z.string()),
        filesToModify: z.array(z.string()),
        commands: z.array(z.string()),
        tests: z.array(z.string()),
        details: z
          .object({
            create: z.array(z.object({ path: z.string(), purpose: z.string().exactOptional() })),
            modify: z.array(z.object({ path: z.string(), changes: z.string().exactOptional() })),
            tests: z.array(z.object({ path: z.string(), coverage: z.string().exactOptional() })),
          })
          .exactOptional()
          .describe("What the plan says about each of them"),
      })
      .exactOptional(),
    gates: gates.exactOptional().describe("Absent until a worker has opened the session"),
    pending: z.array(approvalAnswer),
    completed: z.array(
      z.object({ approvalId: z.string(), title: z.string(), state: approvalState, by: z.string(), at: time }),
    ),
    costUsd: z.number(),
    worker: z.object({ id: z.string(), pid: z.number(), host: z.string() }).nullable(),
    needs: z
      .string()
      .exactOptional()
      .describe("Present if it waits for a worker with this --workplaces folder, and none that lives has it."),
    stuck: z
      .string()
      .exactOptional()
      .describe("Present if it waits for a worker, and none that lives can take it: why, and what to do."),
    queued: z
      .string()
      .exactOptional()
      .describe(
        "Present if it waits because as many sessions are at work as may be for its user or repository: a sentence.",
      ),
    workspace: z
      .union([
        z.object({ path: z.string() }),
        z.object({ git: z.object({ url: z.string(), ref: z.string().exactOptional() }) }),
      ])
      .describe("Without the name and password of a URL"),
    createdBy: z.string(),
    mayChange: z.boolean().describe("Whether this token may decide, steer and cancel it"),
    sharedWith: z
      .object({ count: z.number(), sessions: z.array(z.object({ id: z.string(), title: z.string() })) })
      .exactOptional()
      .describe(
        "Not in lists. Present if other sessions that are not over work in the same folder, one above it or one below it: how many, and those that this token sees",
      ),
    lead: z.string().exactOptional().describe("The session that leads the team it is a member of"),
    createdAt: time,
    updatedAt: time,
    result: z.object({ ok: z.boolean(), text: z.string() }).exactOptional(),
  })
  .meta({ id: "Session" })

export const errorAnswer: ZodType = z
  .object({ error: z.object({ code: z.string(), message: z.string() }) })
  .meta({ id: "Error" })

export const sessionsAnswer: ZodType<SessionPage> = z.object({
  sessions: z.array(sessionAnswer),
  next: z.string().exactOptional(),
})
export const approvalsAnswer: ZodType<Inbox> = z.object({
  approvals: z.array(approvalAnswer),
  next: z.string().exactOptional(),
  total: z.number().exactOptional().describe("Of a page: how many wait in all"),
})
export const queuedAnswer: ZodType = z.object({ queued: z.string().describe("The id of what was queued") })
export const rewindAnswer: ZodType = json
export const meAnswer: ZodType<SignedIn> = z.object({ name: z.string(), role: z.enum(roles) })
export const workersAnswer: ZodType<WorkerList> = z.object({
  workers: z.array(
    z.object({
      id: z.string(),
      pid: z.number(),
      host: z.string(),
      slots: z.number(),
      busy: z.number(),
      labels: z.array(z.string()),
      seenAt: time,
    }),
  ),
})
export const teamAnswer: ZodType<ShownTeam> = z.object({
  name: z.string(),
  lead: z.string().nullable(),
  members: z.array(
    z.object({
      name: z.string(),
      state: z.enum(memberStates),
      sessionId: z.string(),
      taskId: z.string().exactOptional(),
      pid: z.number(),
    }),
  ),
  tasks: z.array(
    z.object({
      id: z.string(),
      subject: z.string(),
      status: z.enum(taskStatuses),
      owner: z.string().exactOptional(),
      blocks: z.array(z.string()),
      blockedBy: z.array(z.string()),
      attempts: z.number(),
    }),
  ),
  mail: z.array(
    z.object({
      seq: z.number(),
      from: z.string(),
      to: z.string(),
      type: z.enum(mailTypes),
      summary: z.string().exactOptional(),
      deliveredAt: time.exactOptional(),
    }),
  ),
})
const auditDetails = z
  .object({
    kind: z.enum(approvalKinds).exactOptional(),
    title: z.string().exactOptional(),
    tool: z.string().exactOptional(),
    command: z.string().exactOptional(),
    files: z.array(z.string()).exactOptional(),
    digest: z.string().exactOptional().describe("Of everything that was shown; the decision named it."),
    shown: z.string().exactOptional().describe("Digest of the tool and its input as shown."),
    allowed: z.string().exactOptional().describe("The same of what was allowed: another one if it was edited."),
    ran: z.string().exactOptional().describe("The same of what ran."),
    before: json.exactOptional().describe("What was edited, as shown."),
    after: json.exactOptional().describe("What was edited, as allowed or run."),
    answers: json.exactOptional(),
    message: z.string().exactOptional(),
    address: z.string().exactOptional(),
    reason: z.string().exactOptional(),
  })
  .describe("What was decided about, or ran. Texts over 20,000 characters are cut; digests are of all of them.")

export const auditAnswer: ZodType<AuditPage> = z.object({
  entries: z.array(
    z.object({
      at: time,
      who: z.string(),
      what: z.string(),
      sessionId: z.string().exactOptional(),
      sessionTitle: z.string().exactOptional().describe("As the session was called then."),
      approvalId: z.string().exactOptional(),
      details: auditDetails.exactOptional(),
    }),
  ),
  next: z.string().exactOptional(),
})
export const tokenAnswer: ZodType = z.object({ token: z.string() })
export const tokensAnswer: ZodType = z.object({
  tokens: z.array(z.object({ name: z.string(), role: z.enum(roles), expiresAt: time.exactOptional() })),
})
export const waysToSignIn: ZodType = z.object({ openId: z.object({ title: z.string() }).optional() })

export const healthAnswer: ZodType = z.object({ ok: z.literal(true) })
