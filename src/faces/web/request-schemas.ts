/** What clients send, as schemas: they judge what comes in, and the document of the API is made of them. */

import { type GateName, gateNames } from "#agent/words/gates.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { stages } from "#agent/words/stage.ts"
import { imageTypes } from "#fleet/ops.ts"
import { roles, type SessionGates, type UserRole, type WorkspaceSource } from "#fleet/records.ts"
import { imageSize } from "#lib/image-size.ts"
import { posix } from "node:path"
import { z, type ZodType } from "zod"
import { type AuditFormat, auditFormats } from "./audit-file.ts"
import { text, time, mode, digest, json } from "./field-schemas.ts"

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

const link = z.string().min(1).max(200)

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
    .refine((stageList) => stageList.split(",").every((each) => stages.some((stage) => stage === each)), {
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
const auditPlace = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
export const auditQuery: ZodType = z
  .strictObject({
    after: auditPlace.optional(),
    order: z.enum(["oldest", "newest"]).optional(),
    before: auditPlace.optional(),
    who: text(300).min(1).optional(),
  })
  .refine(({ order, before, who }) => order === "newest" || (before === undefined && who === undefined), {
    error: "before and who need order=newest",
  })
  .refine(({ order, after }) => order !== "newest" || after === undefined, {
    error: "with order=newest, pages continue with before instead of after",
  })
export const auditFileQuery: ZodType<{ readonly format: AuditFormat }> = z.strictObject({
  format: z.enum(auditFormats),
})
export const eventsQuery: ZodType = z.strictObject({
  after: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
})
