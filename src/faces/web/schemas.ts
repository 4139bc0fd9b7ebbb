/** What clients send and get, as schemas: they judge what comes in, and the document of the API is made of them. */

import { z, type ZodType } from "zod"
import { type GateName, gateNames } from "#agent/words/gates.ts"
import { posix } from "node:path"
import { type AuditFormat, auditFormats } from "./audit-file.ts"
import { grantDestinations, type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import { stages } from "#agent/words/stage.ts"
import { mailTypes, memberStates, taskStatuses } from "#agent/words/team.ts"
import type { AskingAgent } from "#agent/words/child.ts"
import type { Display, FileDiff } from "#agent/words/display.ts"
import { approvalKinds, approvalStates, type ShownApproval } from "#session/port/approval.ts"
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
import { imageTypes } from "#fleet/ops.ts"
import { imageSize } from "#lib/image-size.ts"
import { type FleetEvent, roles, type SessionGates, type UserRole, type WorkspaceSource } from "#fleet/records.ts"

export interface NewSessionBody {
  readonly prompt: string
  readonly workspace: WorkspaceSource
  readonly mode?: PermissionMode | undefined
  readonly model?: string | undefined
  readonly budgetUsd?: number | undefined
  readonly title?: string | undefined
  readonly gates?: SessionGates | undefined
  readonly labels?: readonly string[] | undefined
  readonly images?: readonly GivenImage[] | undefined
}

export interface GivenImage {
  readonly mediaType: (typeof imageTypes)[number]
  readonly data: string
}

export interface PlanApproveBody {
  readonly digest: string
  readonly plan?: string | undefined
  readonly mode?: PermissionMode | undefined
  readonly wishes?: readonly string[] | undefined
  readonly fresh?: boolean | undefined
  readonly feedback?: string | undefined
}

/** The link says what it is about, so there is no digest. */
export type LinkUse = { readonly link: string } & (
  | { readonly to?: "decide" | undefined }
  | ({ readonly to: "plan/approve" } & Omit<PlanApproveBody, "digest">)
  | { readonly to: "plan/reject"; readonly feedback: string; readonly plan?: string | undefined }
  | { readonly to: "answer"; readonly answers: { readonly [question: string]: string } }
  | { readonly to: "approval"; readonly decision: "deny"; readonly message?: string | undefined }
)

export interface GateBody {
  readonly gate: GateName
  readonly on: boolean
}

/** Ops as they are: the fleet knows more of them, which have routes of their own. */
export type OpBody =
  | { readonly type: "rename"; readonly title: string }
  | { readonly type: "set_mode"; readonly mode: PermissionMode }
  | { readonly type: "set_model"; readonly model: string }
  | { readonly type: "set_budget"; readonly budget: { readonly usd: number } }

export interface RewindBody {
  readonly to: string
  readonly files: boolean
  readonly conversation: boolean
  readonly dryRun?: boolean | undefined
}

export interface NewTokenBody {
  readonly name: string
  readonly role: UserRole
  readonly expiresAt?: string | undefined
}

const text = (most: number): z.ZodString => z.string().max(most)
const time = z.iso.datetime().describe("ISO 8601, UTC")
const mode = z.enum(permissionModes)
const digest = text(200).min(1).describe("Of exactly what was shown")
const json = z.record(z.string(), z.json())

/** A URL or a place that git reads as one: never an option, and never a helper program of git's. */
const gitUrl = text(2000)
  .regex(/^(?:(?:https?|ssh|git|file):\/\/[^\s-]\S*|[\w.-]+@[\w.-]+:[^\s-]\S*|\/\S+)$/, {
    error: "must be an https, ssh, git or file URL, user@host:path, or an absolute path",
  })
  .refine((url) => !/^(?:https?|git|file):\/\/[^/]*@|^ssh:\/\/[^/]*:[^/]*@/.test(url), {
    error:
      "must not have a password or token in it, which others would see; set up a credential helper where workers run",
  })

/** As git takes it for a name: nothing that means several commits, or one by where it was. */
export const isRefName = (ref: string): boolean => !/\.\.|@\{|\/\/|^@$|^\/|[/.]$|\.lock(?:\/|$)|(?:^|\/)\./.test(ref)

/** In base64; what it is is judged by what is in it, not by what somebody says. */
const images: ZodType<readonly GivenImage[]> = z
  .array(
    z
      .strictObject({ mediaType: z.enum(imageTypes), data: text(5_000_000).regex(/^[A-Za-z0-9+/]+={0,2}$/) })
      .refine(({ data }) => imageSize(data) !== undefined, { error: "is not a PNG, JPEG, GIF or WebP picture" }),
  )
  .max(8)

export const newSessionBody: ZodType<NewSessionBody> = z.strictObject({
  prompt: text(200_000).min(1),
  workspace: z.union([
    z.strictObject({
      path: text(4000)
        .regex(/^\//, { error: "must be an absolute path" })
        .refine((path) => !/^\/(?:(?:proc|sys|dev)(?:\/|$))?$|^\/(?:proc|sys|dev)\//.test(posix.normalize(path)), {
          error: "is not the folder of a project",
        }),
    }),
    z.strictObject({
      git: z.strictObject({
        url: gitUrl,
        ref: text(250)
          .regex(/^[^\s~^:?*[\\-][^\s~^:?*[\\]*$/)
          .refine(isRefName, { error: "is not the name of a branch, a tag or a commit" })
          .optional(),
      }),
    }),
  ]),
  mode: mode.optional(),
  model: text(200).min(1).optional(),
  budgetUsd: z.number().positive().max(1_000_000).optional(),
  title: text(200).min(1).optional(),
  gates: z
    .strictObject({
      clarify: z.boolean().optional(),
      plan: z.boolean().optional(),
      files: z.boolean().optional(),
      git: z.boolean().optional(),
      testFirst: z.boolean().optional(),
    })
    .optional()
    .describe(
      "true adds a gate to those in the worker's settings; false leaves one of them out, and needs the role admin",
    ),
  labels: z.array(text(100).min(1)).max(20).optional(),
  images: images.optional().describe("Pictures that go with the prompt"),
})

export const messageBody: ZodType<{ readonly text: string; readonly images?: readonly GivenImage[] | undefined }> =
  z.strictObject({ text: text(200_000).min(1), images: images.optional() })
export const emptyBody: ZodType = z.strictObject({})
/** Answers without what they are about: links that decide say that in another way. */
const planApproval = {
  plan: text(200_000).min(1).optional(),
  mode: mode.optional(),
  wishes: z.array(text(2000)).max(50).optional().describe("Which of the plan's wishes are granted; none if left out"),
  fresh: z.boolean().optional().describe("Continue with only the plan in context"),
  feedback: text(20_000).optional().describe("What the model is to know besides"),
}
const planRejection = {
  feedback: text(20_000),
  plan: text(200_000).min(1).optional().describe("The plan as it was edited"),
}
const saidToModel = { message: text(20_000).optional() }
const givenAnswers = { answers: z.record(z.string(), text(20_000)) }
export const planApproveBody: ZodType<PlanApproveBody> = z.strictObject({ digest, ...planApproval })
export const planRejectBody: ZodType = z.strictObject({ digest, ...planRejection })
/** Each is judged before it is saved. */
const writtenRules = z
  .array(text(500).min(1))
  .max(10)
  .describe(
    "With remember: rules of your own in place of those offered, which are then saved only if rules names them. They are about the same tool and cover the action.",
  )
export const decisionBody: ZodType = z.strictObject({
  decision: z.enum(["allow", "deny"]),
  digest,
  remember: z.enum(["session", "project", "user"]).optional(),
  rules: z.array(text(2000)).max(50).optional().describe("With remember: which of the offered rules; all if left out"),
  written: writtenRules.optional(),
  mode: mode.optional().describe("The mode that is offered with an edit, to switch to"),
  input: json.optional(),
  ...saidToModel,
  keep: z.boolean().optional().describe("With deny, in a review of new files: they stay"),
})
export const answersBody: ZodType = z.strictObject({ digest, ...givenAnswers })

const link = z.string().min(16).max(200)

export const linkBody: ZodType<{ readonly link: string }> = z.strictObject({ link })

export const linkUseBody: ZodType<LinkUse> = z.discriminatedUnion("to", [
  z.strictObject({ link, to: z.literal("decide").optional() }).describe("For a link that allows or denies an action"),
  z.strictObject({ link, to: z.literal("plan/approve"), ...planApproval }),
  z.strictObject({ link, to: z.literal("plan/reject"), ...planRejection }),
  z.strictObject({ link, to: z.literal("answer"), ...givenAnswers }),
  z
    .strictObject({ link, to: z.literal("approval"), decision: z.literal("deny"), ...saidToModel })
    .describe("Declines to answer a question"),
])

export const gateBody: ZodType<GateBody> = z.strictObject({ gate: z.enum(gateNames), on: z.boolean() })
export const opBody: ZodType<OpBody> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("rename"), title: text(200).trim().min(1) }),
  z.strictObject({ type: z.literal("set_mode"), mode }),
  z.strictObject({ type: z.literal("set_model"), model: text(200).min(1) }),
  z.strictObject({
    type: z.literal("set_budget"),
    budget: z.strictObject({ usd: z.number().positive().max(1_000_000) }),
  }),
])
export const rewindBody: ZodType<RewindBody> = z.strictObject({
  to: text(200).min(1),
  files: z.boolean(),
  conversation: z.boolean(),
  dryRun: z.boolean().optional(),
})

/** Names stand in paths and in the audit. */
const tokenName = text(100).regex(/^[\w@-][\w.@-]*$/, { error: "has letters, digits, and any of . _ @ -" })
export const newTokenBody: ZodType<NewTokenBody> = z.strictObject({
  name: tokenName,
  role: z.enum(roles),
  expiresAt: time.optional(),
})

export const signInBody: ZodType = z.strictObject({ token: text(200).min(1) })

const count = (most: number): ZodType => z.coerce.number().int().min(1).max(most)
export const sessionsQuery: ZodType = z.strictObject({
  stage: text(500)
    .refine((given) => given.split(",").every((each) => stages.some((stage) => stage === each)), {
      error: `must be one or more of ${stages.join(", ")}, separated by commas`,
    })
    .optional()
    .describe("One or more, separated by commas"),
  search: text(500).optional().describe("Words, or beginnings of words, of the title or the first prompt"),
  by: text(100).optional().describe("Who created it"),
  place: text(4000).optional().describe("Its folder, or the address of its repository"),
  model: text(200).optional(),
  limit: count(200).optional(),
  after: text(100).optional(),
})
export const latestQuery: ZodType = z.strictObject({ limit: count(500).optional() })
export const approvalsQuery: ZodType = z.strictObject({
  state: z.literal("open").optional(),
  all: z.enum(["true", "false"]).optional(),
  limit: count(200).optional(),
  after: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
})
export const eraseQuery: ZodType = z.strictObject({ erase: z.enum(["true", "false"]).optional() })
export const auditQuery: ZodType = z.strictObject({ after: z.coerce.number().int().min(0).optional() })
export const auditFileQuery: ZodType<{ readonly format: AuditFormat }> = z.strictObject({
  format: z.enum(auditFormats),
})
export const eventsQuery: ZodType = z.strictObject({
  after: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
})

const approvalState = z.enum(approvalStates)

/** Any object in the document; what it is made of, the program says. */
const any = <T>(): ZodType<T> => json as unknown as ZodType<T>

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
