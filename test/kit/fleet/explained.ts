/** A database that explains every statement before it runs it: which tables it walks through, past how many rows, and how many blocks it touches. */

import type { Database, Sql, SqlValue } from "#lib/database.ts"

export interface Explained {
  readonly database: Database
  /** What was explained since the last time. */
  readonly drain: () => readonly Statement[]
}

export interface Statement {
  readonly text: string
  readonly scans: readonly Scan[]
  /** Of 8 kB, those of indexes included: what it costs, however busy the machine is. */
  readonly blocks: number
}

export interface Scan {
  /** As the plan names it: `Seq Scan`, `Index Scan`. */
  readonly kind: string
  readonly table: string
  /** Rows that were read, those that did not fit included. */
  readonly rows: number
}

class Undo extends Error {}

export function explained(real: Database): Explained {
  let statements: Statement[] = []
  let isOn = true

  async function explain(sql: Pick<Sql, "rows">, text: string, values: readonly SqlValue[]): Promise<void> {
    const [row] = await sql.rows<{ "QUERY PLAN": string | readonly unknown[] }>(
      `explain (analyze, buffers, timing off, format json) ${text}`,
      values,
    )
    const plan = row?.["QUERY PLAN"]
    const read: unknown = typeof plan === "string" ? JSON.parse(plan) : plan
    statements.push({ text: text.replace(/\s+/g, " ").trim(), scans: scansIn(read), blocks: blocksOf(read) })
  }

  const within = (sql: Sql): Sql => ({
    ...sql,
    async rows<Row extends object>(text: string, values: readonly SqlValue[] = []) {
      if (isOn) {
        await sql.rows("savepoint before_explain")
        await explain(sql, text, values)
        await sql.rows("rollback to savepoint before_explain")
      }
      return sql.rows<Row>(text, values)
    },
  })

  return {
    database: {
      ...real,
      async rows<Row extends object>(text: string, values: readonly SqlValue[] = []) {
        if (isOn)
          await real
            .transaction(
              async (sql) => {
                await explain(sql, text, values)
                throw new Undo()
              },
              { locks: "its own" },
            )
            .catch((error: unknown) => {
              if (!(error instanceof Undo)) throw error
            })
        return real.rows<Row>(text, values)
      },
      transaction: (work, how) => real.transaction((sql) => work(within(sql)), how),
      async migrate(schema) {
        isOn = false
        const done = await real.migrate(schema)
        isOn = true
        return done
      },
    },
    drain() {
      const all = statements
      statements = []
      return all
    },
  }
}

/** Each node has those of the nodes below it. */
function blocksOf(plans: unknown): number {
  const [{ Plan: root = {} } = {}] = plans as readonly { readonly Plan?: { readonly [name: string]: unknown } }[]
  return Number(root["Shared Hit Blocks"] ?? 0) + Number(root["Shared Read Blocks"] ?? 0)
}

/** Every node of a plan that reads a table. */
function scansIn(value: unknown): readonly Scan[] {
  if (Array.isArray(value)) return value.flatMap(scansIn)
  if (typeof value !== "object" || value === null) return []
  const node = value as { readonly [name: string]: unknown }
  const number = (name: string): number => Number(node[name] ?? 0)
  const table = node["Relation Name"]
  const own: readonly Scan[] =
    typeof table === "string" && String(node["Node Type"]).includes("Scan")
      ? [
          {
            kind: String(node["Node Type"]),
            table,
            rows:
              (number("Actual Rows") + number("Rows Removed by Filter") + number("Rows Removed by Index Recheck")) *
              number("Actual Loops"),
          },
        ]
      : []
  return [...own, ...Object.values(node).flatMap(scansIn)]
}
