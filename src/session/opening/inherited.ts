/** What an agent inherits from its parent's session, as plain JSON for members that run in another process. */

import type { Budget } from "#agent/words/budget.ts"
import { type Gates, gateNames, testStates } from "#agent/words/gates.ts"
import {
  type GrantDestination,
  grantDestinations,
  type PermissionMode,
  permissionModes,
} from "#agent/words/permission.ts"
import { effortLevels, type Thinking } from "#agent/words/thinking.ts"
import { beginning, type GateProgress } from "#kits/gates/progress.ts"
import type { RuleText } from "#kits/permissions/rules/rule.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { array, boolean, choice, type FieldsOf, number, object, omittable, type Readable, string } from "#lib/shape.ts"

/** What is in force in the lead's session now. A member reads it for every call. */
export interface Inherited {
  readonly mode: PermissionMode
  readonly rules: readonly RuleText[]
  readonly denials: readonly string[]
  readonly destinations: readonly GrantDestination[]
  readonly budget: Budget
  readonly model: string
  readonly thinking: Thinking
  readonly planSlug: string
  readonly gates: Gates
  readonly progress: GateProgress
}

const ruleSources = [
  "managed",
  "command line",
  "local settings",
  "project settings",
  "user settings",
  "session",
  "command",
] as const

const gateShape = omittable(boolean())

/** JSON leaves out what is undefined. */
type WrittenInherited = Omit<Inherited, "progress"> & { readonly progress: Partial<GateProgress> }

const inheritedShape: Readable<WrittenInherited> = object({
  mode: choice(permissionModes),
  rules: array(
    object({
      behavior: choice(["allow", "ask", "deny"]),
      text: string(),
      source: choice(ruleSources),
      base: omittable(string()),
      where: omittable(string()),
    } satisfies FieldsOf<RuleText>),
  ),
  denials: array(string()),
  destinations: array(choice(grantDestinations)),
  budget: object({ usd: omittable(number()), tokens: omittable(number()) } satisfies FieldsOf<Budget>),
  model: string(),
  thinking: object({
    type: choice(["off", "auto", "on"]),
    effort: omittable(choice(effortLevels)),
    tokens: omittable(number()),
    summaries: omittable(choice(["hidden"])),
  } satisfies FieldsOf<Thinking>),
  planSlug: string(),
  gates: object({
    clarify: gateShape,
    plan: gateShape,
    files: gateShape,
    git: gateShape,
    testFirst: gateShape,
  } satisfies FieldsOf<Gates>),
  progress: object({
    clarified: omittable(string()),
    asked: choice(["never", "open", "answered"]),
    tests: omittable(choice(testStates)),
    told: array(string()),
    introduced: omittable(array(choice(gateNames))),
    turn: omittable(string()),
    open: array(string()),
  } satisfies FieldsOf<GateProgress>),
} satisfies FieldsOf<WrittenInherited>)

/** Undefined for anything else than a lead of this version would send. */
export function readInherited(value: JsonValue | undefined): Inherited | undefined {
  const read = isObject(value) ? inheritedShape.read(value, "") : undefined
  return read?.ok ? { ...read.value, progress: { ...beginning, ...read.value.progress } } : undefined
}
