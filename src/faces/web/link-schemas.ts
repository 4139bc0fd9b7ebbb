/** Where decision links are asked about and used, and what is sent there. */

import { z, type ZodType } from "zod"
import { linkDecisions, type LinkedDecision, linkStates } from "./page/contract-lists.ts"
import { approvalAnswer } from "./answer-schemas.ts"

export const linkPaths = { look: "/api/decide/look", use: "/api/decide" } as const

export const linkAnswer: ZodType<LinkedDecision> = z.object({
  who: z.string().describe("In whose name it decides."),
  decision: z
    .enum(linkDecisions)
    .describe("answer: a plan or a question, and what is decided is said when it is used."),
  state: z.enum(linkStates).describe("Anything but open: it decides nothing."),
  sessionTitle: z.string(),
  decided: z.object({ state: z.enum(["allowed", "denied"]), by: z.string() }).exactOptional(),
  approval: approvalAnswer.exactOptional(),
})
