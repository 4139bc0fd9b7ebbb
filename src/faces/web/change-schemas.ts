/** What clients send and get about changes and comments, as schemas. */

import { z, type ZodType } from "zod"
import { reviewActs, type ReviewAct } from "#agent/words/entry.ts"
import { isRefName } from "./request-schemas.ts"
import type { LinePlace } from "#fleet/changes.ts"
import type { ChangedFilePage, ChangesPage, CommentList, ReviewOutcome, ShownComment } from "./page/contract-changes.ts"

const count = (most: number): ZodType<number> => z.coerce.number().int().min(0).max(most)
const text = (most: number): z.ZodString => z.string().max(most)

export interface ReviewBody {
  readonly act: ReviewAct
  readonly parts: readonly string[]
}

export interface CommentBody {
  readonly text: string
  readonly place?: LinePlace | undefined
}

export interface SendBody {
  readonly comments: readonly string[]
  readonly note?: string | undefined
}

export const changesQuery: ZodType = z.strictObject({
  after: count(1_000_000).optional(),
  limit: count(5_000).optional(),
  since: text(19).regex(/^\d+$/).optional().describe("A revision: only files that have changed after it"),
})
export const changedFileQuery: ZodType = z.strictObject({ from: count(10_000_000).optional() })

export const reviewBody: ZodType<ReviewBody> = z.strictObject({
  act: z.enum(reviewActs),
  parts: z.array(text(64).min(1)).min(1).max(20_000).describe("Ids of parts"),
})

export const commentBody: ZodType<CommentBody> = z.strictObject({
  text: text(20_000).trim().min(1),
  place: z
    .strictObject({
      path: text(4_000).min(1),
      side: z.enum(["old", "new"]),
      line: z.number().int().min(0).max(100_000_000),
      quote: text(4_000),
    })
    .optional()
    .describe("The line that it is about, and how it looked"),
})

export const sendBody: ZodType<SendBody> = z.strictObject({
  comments: z.array(text(100).min(1)).min(1).max(1_000),
  note: text(20_000).optional().describe("What the model is told first"),
})

export interface PublishBody {
  readonly message: string
  readonly branch: string
  readonly pull?: { readonly title: string; readonly body: string; readonly into?: string | undefined } | undefined
}

/** As git takes it for a branch that can be pushed: nothing in it is an option or means something else. */
const branchName = text(200)
  .regex(/^[A-Za-z0-9_][\w./+-]*$/, { error: "has letters, digits, and any of . _ / + -" })
  .refine((name) => isRefName(name) && !/^(?:HEAD|refs)(?:\/|$)/.test(name), { error: "is not the name of a branch" })

export const publishBody: ZodType<PublishBody> = z.strictObject({
  message: text(20_000).trim().min(1).describe("Of the commit"),
  branch: branchName,
  pull: z
    .strictObject({
      title: text(250).trim().min(1),
      body: text(60_000),
      into: branchName.optional().describe("The default branch when left out"),
    })
    .optional()
    .describe("Opens a pull request for the branch, unless there is one"),
})

const pull = { url: z.string(), number: z.number() }

export const publishAnswer: ZodType = z.object({
  branch: z.string(),
  commit: z.string(),
  committed: z.boolean().describe("False if everything was committed already"),
  pull: z.object({ ...pull, existed: z.boolean() }).exactOptional(),
})

const summary = { files: z.number(), added: z.number(), removed: z.number() }

const changedFile = z.object({
  id: z.string(),
  version: z.string().describe("Another one when anything in it has changed"),
  path: z.string(),
  change: z.enum(["created", "modified", "removed", "mode"]),
  added: z.number(),
  removed: z.number(),
  binary: z.boolean(),
  parts: z.array(
    z.object({ id: z.string(), state: z.enum(["new", "kept", "undone"]), line: z.number().exactOptional() }),
  ),
  lines: z.number().describe("Of its hunks"),
  hunks: z.number(),
  unshown: z.number().exactOptional().describe("Lines that are too many to be kept"),
})

export const changesAnswer: ZodType<ChangesPage> = z.object({
  at: z.iso.datetime().exactOptional().describe("When they were read; absent if nobody asked yet"),
  revision: z.string().exactOptional().describe("Another one each time they are read"),
  isStale: z.boolean().describe("The session has done something since"),
  total: z.object(summary),
  files: z.array(changedFile),
  published: z.array(
    z.object({ branch: z.string(), commit: z.string(), at: z.iso.datetime(), pull: z.object(pull).exactOptional() }),
  ),
  next: z.number().exactOptional(),
})

export const changedFileAnswer: ZodType<ChangedFilePage> = z.object({
  file: changedFile,
  hunks: z.array(
    z.object({
      part: z.string(),
      oldStart: z.number(),
      oldLines: z.number(),
      newStart: z.number(),
      newLines: z.number(),
      lines: z.array(z.string()).describe("Each begins with a space, - or +"),
    }),
  ),
  next: z.number().exactOptional(),
})

export const refreshAnswer: ZodType = z.object(summary)

export const reviewAnswer: ZodType<ReviewOutcome> = z.object({
  done: z.number(),
  left: z
    .array(z.object({ path: z.string(), line: z.number().exactOptional(), why: z.string() }))
    .describe("What could not be undone or restored, and why"),
})

export const commentAnswer: ZodType<ShownComment> = z.object({
  id: z.string(),
  by: z.string(),
  at: z.iso.datetime(),
  text: z.string(),
  place: z
    .object({ path: z.string(), side: z.enum(["old", "new"]), line: z.number(), quote: z.string() })
    .exactOptional(),
  sentAt: z.iso.datetime().exactOptional().describe("When the model got it"),
  mayRemove: z.boolean(),
})

export const commentsAnswer: ZodType<CommentList> = z.object({ comments: z.array(commentAnswer) })
export const sentAnswer: ZodType = z.object({ sent: z.number() })
