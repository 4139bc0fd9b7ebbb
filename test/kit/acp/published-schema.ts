/** The protocol's published schema, held against every message that we send. */

import { readFileSync } from "node:fs"
import Ajv, { type ValidateFunction } from "ajv/dist/2020"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"

const file = Bun.resolveSync("@agentclientprotocol/sdk/schema/v1/schema.json", import.meta.dir)

export interface SchemaWatch {
  /** What the client sent, so that answers are known by their request. */
  readonly heard: (message: JsonObject) => void
  /** Throws for a message of ours that the schema does not allow. */
  readonly said: (message: JsonObject) => void
  /** How many messages of which method were looked at. */
  readonly seen: ReadonlyMap<string, number>
}

export function watchSchema(): SchemaWatch {
  const { validatorOf } = schema()
  const asked = new Map<JsonValue, string>()
  const seen = new Map<string, number>()

  function check(kind: "Request" | "Response" | "Notification", method: string, value: JsonValue): void {
    seen.set(method, (seen.get(method) ?? 0) + 1)
    const validate = validatorOf(kind, method)
    if (!validate) throw new Error(`The schema has no ${kind} for ${method}.`)
    if (!validate(value))
      throw new Error(
        `${kind} ${method} is not valid: ${JSON.stringify(validate.errors?.slice(0, 5))}\n${JSON.stringify(value)}`,
      )
  }

  return {
    seen,
    heard({ id, method }) {
      if (typeof method === "string" && id !== undefined) asked.set(id, method)
    },
    said(message) {
      const { jsonrpc, id, method, params, result, error } = message
      if (jsonrpc !== "2.0") throw new Error(`Not JSON-RPC 2.0: ${JSON.stringify(message)}`)
      if (typeof method === "string") return check(id === undefined ? "Notification" : "Request", method, params ?? {})
      const answered = asked.get(id ?? null)
      if (error !== undefined) {
        if (!isObject(error) || !Number.isInteger(error.code) || typeof error.message !== "string")
          throw new Error(`Not an error: ${JSON.stringify(message)}`)
        return
      }
      if (answered === undefined) throw new Error(`Nobody asked for this: ${JSON.stringify(message)}`)
      // Only in the unstable schema; its answer is that of a new session.
      check("Response", answered === "session/fork" ? "session/new" : answered, result ?? null)
    },
  }
}

let read: { readonly validatorOf: (kind: string, method: string) => ValidateFunction | undefined } | undefined

function schema(): NonNullable<typeof read> {
  if (read) return read
  const whole = JSON.parse(readFileSync(file, "utf8")) as JsonObject
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema({ $id: "acp", $defs: whole["$defs"] })
  const known = new Map<string, ValidateFunction>()
  const named = new Map<string, string>()
  for (const [name, definition] of Object.entries(isObject(whole["$defs"]) ? whole["$defs"] : {})) {
    const kind = /(Request|Response|Notification)$/.exec(name)?.[1]
    const method = isObject(definition) ? definition["x-method"] : undefined
    if (kind !== undefined && typeof method === "string") named.set(`${kind} ${method}`, name)
  }
  read = {
    validatorOf(kind, method) {
      const name = named.get(`${kind} ${method}`)
      if (name === undefined) return undefined
      const validate = known.get(name) ?? ajv.compile({ $ref: `acp#/$defs/${name}` })
      known.set(name, validate)
      return validate
    },
  }
  return read
}
