/** The control endpoint under `/__sim/`: inspect requests, order faults, start over. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { jsonAnswer, type Answer } from "./answer.ts"
import { faultNames, isFaultName, type Fault, type FaultName } from "./faults.ts"
import type { FaultSource } from "./fault-source.ts"
import type { Ledger } from "./ledger.ts"
import { isList } from "./request.ts"

export const controlPrefix = "/__sim/"

export interface Controlled {
  readonly ledger: Ledger
  readonly faults: FaultSource
  readonly reset: () => void
}

interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly text: string
}

export function control({ method, path, host, text }: ControlRequest, controlled: Controlled): Answer {
  // A web page may reach loopback under its own host name; it must not read what was asked of the model.
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host))
    return jsonAnswer(403, { error: "Reach the control endpoint as 127.0.0.1 or localhost." })
  const { ledger, faults, reset } = controlled
  switch (`${method} ${path.slice(controlPrefix.length)}`) {
    case "GET requests":
      return jsonAnswer(200, { requests: toJson(ledger.requests.map(({ request: _read, ...sent }) => sent)) })
    case "GET stats":
      return jsonAnswer(200, toJson({ ...ledger.stats(), pendingFaults: faults.pending() }))
    case "POST faults":
      return withBody(text, (body) => addFaults(body, faults))
    case "POST rate":
      return withBody(text, (body) => setRate(body, faults))
    case "POST reset":
      reset()
      return jsonAnswer(200, { reset: true })
    default:
      return jsonAnswer(404, {
        error: `Unknown: ${method} ${path}. There are GET requests, GET stats, POST faults, POST rate, POST reset.`,
      })
  }
}

function addFaults(body: JsonObject, faults: FaultSource): Answer {
  const { fault: name, ...rest } = body
  if (!isFaultName(name)) return refuse(`fault: must be one of ${faultNames.join(", ")}.`)
  const wrong = Object.entries(rest).find(([field, value]) => !isSetting(field, value))
  if (wrong !== undefined) return refuse(`${wrong[0]}: must be one of ${settings.join(", ")}, a number of at least 0.`)
  if (rest.times !== undefined && (!Number.isInteger(rest.times) || rest.times === 0))
    return refuse("times: must be a whole number of at least 1.")
  // Every field was looked at above.
  const fault = { ...rest, name } as Fault
  faults.add([fault])
  return jsonAnswer(200, { added: toJson(fault) })
}

const settings: readonly string[] = ["times", "retryAfterSeconds", "afterEvents", "afterBytes", "everyMs", "bytes"]
const isSetting = (field: string, value: JsonValue): boolean =>
  settings.includes(field) && typeof value === "number" && value >= 0

function setRate({ rate, seed, faults: names }: JsonObject, faults: FaultSource): Answer {
  if (typeof rate !== "number" || rate < 0 || rate > 1) return refuse("rate: must be a number from 0 to 1.")
  if (seed !== undefined && typeof seed !== "number") return refuse("seed: must be a number.")
  const chosen = names === undefined ? undefined : namesIn(names)
  if (names !== undefined && chosen === undefined)
    return refuse(`faults: must be a list of names from ${faultNames.join(", ")}.`)
  faults.setRate({ rate, ...(seed !== undefined && { seed }), ...(chosen && { names: chosen }) })
  return jsonAnswer(200, { rate })
}

function namesIn(value: JsonValue): readonly FaultName[] | undefined {
  if (!isList(value) || value.length === 0) return undefined
  const names = value.filter(isFaultName)
  return names.length === value.length ? names : undefined
}

function withBody(text: string, use: (body: JsonObject) => Answer): Answer {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? use(body) : refuse("The body must be a JSON object.")
  } catch {
    return refuse("The body is not valid JSON.")
  }
}

const refuse = (error: string): Answer => jsonAnswer(400, { error })

/** What we keep is plain data, so a round trip through JSON only changes the type. */
const toJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue
