/** What people choose from and look at as a whole: repositories and models of before, templates, and what sessions cost. */

import { z, type ZodType } from "zod"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok } from "#lib/result.ts"
import type { SessionTemplate } from "#fleet/store/lists.ts"
import { type Choices, type Usage, type UsageKind, usageKinds } from "./page/contract-lists.ts"
import { refusal } from "./refusal.ts"
import { done, type Route, seesAll, whoseSessions } from "./route.ts"
import { withoutPassword } from "./shown.ts"
import { usageOf } from "./usage.ts"

const text = (most: number): z.ZodString => z.string().max(most)

const template = {
  name: text(60).regex(/^[\w@-][\w.@-]*$/, { error: "has letters, digits, and any of . _ @ -" }),
  prompt: text(20_000).min(1),
  place: text(4_000).exactOptional(),
  ref: text(250).exactOptional(),
  mode: z.enum(permissionModes).exactOptional(),
  model: text(200).exactOptional(),
}

const templateBody: ZodType<SessionTemplate> = z.strictObject(template)

const usageQuery: ZodType<{ readonly by?: UsageKind | undefined; readonly days?: number | undefined }> = z.strictObject(
  {
    by: z.enum(usageKinds).optional(),
    days: z.coerce.number().int().min(1).max(90).optional(),
  },
)

const choicesAnswer: ZodType<Choices> = z.object({
  repositories: z.array(z.object({ place: z.string(), refs: z.array(z.string()) })),
  models: z.array(z.string()),
  mode: z.enum(permissionModes).exactOptional(),
  templates: z.array(z.object(template)),
  people: z.array(z.string()).describe("Whose sessions this token sees"),
})

const numbers = z.array(z.number())
const usageAnswer: ZodType<Usage> = z.object({
  days: z.array(z.string()),
  shares: z.array(
    z.object({ name: z.string(), costUsd: z.number(), sessions: z.number(), costs: numbers, counts: numbers }),
  ),
})

const usualDays = 30

export const listRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/choices",
    about: "What can be chosen for a new session: repositories and models of this user's last sessions, and templates.",
    needs: "viewer",
    answers: { status: 200, body: choicesAnswer },
    async run({ records, context, who }) {
      const chosen = await records.lists.chosen(who.name)
      const refs = new Map<string, Set<string>>()
      for (const { workspace } of chosen) {
        const place = "path" in workspace ? workspace.path : withoutPassword(workspace.git.url)
        const known = refs.get(place) ?? new Set()
        refs.set(place, known)
        if ("git" in workspace && workspace.git.ref !== undefined) known.add(workspace.git.ref)
      }
      const mode: PermissionMode | undefined = chosen[0]?.mode
      return done<Choices>({
        repositories: [...refs].slice(0, 20).map(([place, known]) => ({ place, refs: [...known] })),
        models: [...new Set(chosen.map(({ model }) => model).filter((model) => model !== ""))].slice(0, 20),
        // Nobody gets this one without choosing it.
        ...optional("mode", mode === "bypassPermissions" ? undefined : mode),
        templates: await records.lists.templates(),
        people: seesAll(who, context.visibility) ? await records.lists.people() : [who.name],
      })
    },
  },
  {
    method: "POST",
    path: "/api/templates",
    about: "Saves a template for new sessions, in place of one with the same name.",
    needs: "operator",
    body: templateBody,
    answers: { status: 204 },
    async run({ records, who, body }) {
      await records.lists.saveTemplate(templateBody.parse(body), who.name)
      return ok({ status: 204 })
    },
  },
  {
    method: "DELETE",
    path: "/api/templates/:name",
    about: "Removes a template.",
    needs: "operator",
    answers: { status: 204 },
    async run({ records, who, at: { name = "" } }) {
      if (await records.lists.removeTemplate(name, who.name)) return ok({ status: 204 })
      return failed(refusal("not_found", `There is no template named ${name}.`))
    },
  },
  {
    method: "GET",
    path: "/api/usage",
    about: "What sessions cost and how many were begun on each of the last days, by person, repository or model.",
    needs: "viewer",
    query: usageQuery,
    answers: { status: 200, body: usageAnswer },
    async run(asked) {
      const { by = "person", days = usualDays } = usageQuery.parse(asked.query)
      const sessions = await asked.records.lists.usage(days * 86_400_000, whoseSessions(asked))
      return done<Usage>(usageOf(sessions, by, days, asked.context.now()))
    },
  },
]
