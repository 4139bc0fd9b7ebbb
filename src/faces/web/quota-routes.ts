/** What may be spent and how many sessions may be at work, with what is used of it: what this user sees of it. */

import { z, type ZodType } from "zod"
import { type BudgetUse, budgetUses } from "#fleet/budgets.ts"
import type { AtWork } from "#fleet/store/people.ts"
import { type Quota, type Quotas, quotaOwners, quotaKinds } from "./page/contract-lists.ts"
import { done, type Route, seesAll } from "./route.ts"

const quotasAnswer: ZodType<Quotas> = z.object({
  quotas: z.array(
    z.object({
      of: z.enum(quotaOwners),
      name: z.string(),
      what: z.enum(quotaKinds).describe("Sessions at work at a time, or dollars in a day or month (UTC)"),
      used: z.number(),
      most: z.number(),
      queued: z.number().exactOptional().describe("Sessions that wait until there are fewer at work"),
      setting: z.string(),
    }),
  ),
})

/** Nobody reads a list of more. */
const mostShown = 100

export const quotaRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/quotas",
    about:
      "What may be spent and how many sessions may be at work, and what is used of it: for this user and, for those who see all sessions, for repositories and everybody.",
    needs: "viewer",
    answers: { status: 200, body: quotasAnswer },
    async run({ records, context, who }) {
      const { budgets, quotas } = context
      const limits = [...Object.values(budgets), ...Object.values(quotas)]
      if (limits.every((limit) => limit === undefined)) return done<Quotas>({ quotas: [] })
      const [spent, atWork] = await Promise.all([records.spending.spent(), records.spending.atWork()])
      const isAll = seesAll(who, context.visibility)
      const users = who.role === "admin" ? [...spent.users.keys(), ...atWork.users.keys()] : []
      const repositories = isAll ? [...spent.repositories.keys(), ...atWork.repositories.keys()] : []
      const all = [
        ...(isAll ? moneyOf(budgetUses(spent, budgets, nobody), "fleet") : []),
        ...[...new Set([who.name, ...users])].flatMap((user) => [
          ...sessionsOf("user", user, atWork.users.get(user), quotas.userSessions),
          ...moneyOf(budgetUses(spent, budgets, { ...nobody, user }), "user"),
        ]),
        ...[...new Set(repositories)].flatMap((repository) => [
          ...sessionsOf("repository", repository, atWork.repositories.get(repository), quotas.repositorySessions),
          ...moneyOf(budgetUses(spent, budgets, { ...nobody, repository }), "repository"),
        ]),
      ]
      const isOwn = ({ of, name }: Quota): boolean => of === "fleet" || (of === "user" && name === who.name)
      const byUse = all.toSorted(
        (a, b) =>
          Number(isOwn(b)) - Number(isOwn(a)) || b.used / b.most - a.used / a.most || (a.name < b.name ? -1 : 1),
      )
      return done<Quotas>({ quotas: byUse.slice(0, mostShown) })
    },
  },
]

const nobody = { user: "", repository: "" }

const moneyOf = (uses: readonly BudgetUse[], owner: BudgetUse["of"]): readonly Quota[] =>
  uses
    .filter(({ of }) => of === owner)
    .map(({ of, name, per, usd, mostUsd, setting }) => ({
      of,
      name,
      what: per === "day" ? "usd_per_day" : "usd_per_month",
      used: usd,
      most: mostUsd,
      setting: `server.budgets.${setting}`,
    }))

function sessionsOf(
  of: "user" | "repository",
  name: string,
  { held, queued }: AtWork = { held: 0, queued: 0 },
  most: number | undefined,
): readonly Quota[] {
  if (most === undefined) return []
  const waits = queued === 0 ? {} : { queued }
  return [{ of, name, what: "sessions", used: held, most, ...waits, setting: `server.quotas.${of}Sessions` }]
}
