/** The definition of a settings file: it validates, and the published JSON Schema is generated from it. */

import { z } from "zod"
import { permissionModes } from "#agent/words/permission.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { settingMeanings } from "./setting-meanings.ts"
import type { SettingsFile } from "./settings.ts"

// Each kind of key is made once and shared: building a schema object per key would be felt at start.
const text = z.string().exactOptional()
const flag = z.boolean().exactOptional()
const texts = z.array(z.string()).exactOptional()
/** An object that another room reads itself. */
const openObject = z.record(z.string(), z.json())
const foreign = openObject.exactOptional()

const permissions = z.strictObject({
  allow: texts,
  ask: texts,
  deny: texts,
  additionalDirectories: texts,
  defaultMode: z.enum([...permissionModes, "manual"]).exactOptional(),
  disableBypassPermissionsMode: z.literal("disable").exactOptional(),
  allowBypassAsRoot: flag,
})

const sandbox = z.strictObject({
  enabled: flag,
  autoAllowBashIfSandboxed: flag,
  excludedCommands: texts,
  allowUnsandboxedCommands: flag,
  failIfUnavailable: flag,
  hooks: flag,
  mcp: flag,
  caches: z.enum(["read-only", "private"]).exactOptional(),
  limits: z
    .strictObject({
      processes: z.number().int().min(16).exactOptional(),
      memoryMb: z.number().int().min(64).exactOptional(),
    })
    .exactOptional(),
  allowEnv: texts,
  filesystem: z
    .strictObject({ allowWrite: texts, denyWrite: texts, denyRead: texts, allowRead: texts })
    .exactOptional(),
  network: z
    .strictObject({ allowedDomains: texts, deniedDomains: texts, allowUnixSockets: texts, allowLocalBinding: flag })
    .exactOptional(),
})

const hookGroup = z.strictObject({
  matcher: text,
  hooks: z.array(z.object({ type: z.string() }).catchall(z.json())),
})

// The annotation does not compile when the definition and the hand-written type part ways.
const settingsFile: z.ZodType<SettingsFile> = z.strictObject({
  $schema: text,
  permissions: permissions.exactOptional(),
  allowManagedPermissionRulesOnly: flag,
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).exactOptional(),
  hooks: z.record(z.string(), z.array(hookGroup)).exactOptional(),
  disableAllHooks: flag,
  model: text,
  effortLevel: text,
  alwaysThinkingEnabled: flag,
  showThinkingSummaries: flag,
  budget: z
    .strictObject({ usd: z.number().min(0).exactOptional(), tokens: z.number().int().min(1).exactOptional() })
    .exactOptional(),
  statusLine: z.object({ type: z.string(), command: z.string() }).catchall(z.json()).exactOptional(),
  outputStyle: text,
  language: text,
  includeCoAuthoredBy: flag,
  attribution: z.union([z.enum(["always", "never", "by-share"]), openObject]).exactOptional(),
  cleanupPeriodDays: z.number().int().min(1).exactOptional(),
  plansDirectory: text,
  plan: z.strictObject({ enforce: z.enum(["off", "warn", "pause"]).exactOptional() }).exactOptional(),
  autoCompact: flag,
  autoCompactEnabled: flag,
  apiKeyHelper: text,
  awsAuthRefresh: text,
  otelHeadersHelper: text,
  forceLoginMethod: text,
  enabledMcpjsonServers: texts,
  disabledMcpjsonServers: texts,
  enableAllProjectMcpServers: flag,
  readOnlyMcpServers: texts,
  sandbox: sandbox.exactOptional(),
  enabledPlugins: foreign,
  extraKnownMarketplaces: foreign,
  agent: text,
  claudeMdExcludes: texts,
  respectGitignore: flag,
  fileSuggestion: foreign,
  skillListingBudgetFraction: z.number().gt(0).max(1).exactOptional(),
  skipDangerousModePermissionPrompt: flag,
  spinnerTipsEnabled: flag,
  spinnerVerbs: z.unknown().optional(),
  editorMode: text,
  vim: flag,
  theme: text,
  notifications: z.enum(["desktop", "bell", "off"]).exactOptional(),
  screenReader: flag,
  keybindings: foreign,
  detailedExitCodes: flag,
  backgroundWaitSeconds: z.number().nonnegative().exactOptional(),
  providers: z.record(z.string(), openObject).exactOptional(),
  compaction: foreign,
  memory: foreign,
  teams: foreign,
  server: foreign,
  webSearch: z.strictObject({ endpoint: text }).exactOptional(),
})

type Path = readonly (string | number)[]

/** What is wrong with a value, before it is put into words: where, and what was expected. */
export type Complaint =
  | { readonly kind: "unknown_key"; readonly path: Path; readonly known: readonly string[] }
  | { readonly kind: "wrong"; readonly path: Path; readonly wanted: string }

/** Nothing is changed or filled in: a value without complaints is a valid settings file. */
export function checkSettings(value: unknown): readonly Complaint[] {
  // Settings are read once; compiling a checker for them costs far more than it saves.
  const result = settingsFile.safeParse(value, { jitless: true })
  if (result.success) return []
  return result.error.issues.flatMap((issue): Complaint[] => {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({ kind: "unknown_key", path: [...path, key], known: keysAt(settingsFile, path) }))
    return [{ kind: "wrong", path, wanted: wantedBy(issue) }]
  })
}

/** For editors and for the reference. */
export function settingsJsonSchema(): JsonObject {
  // The schema library promises plain JSON here, and types it more loosely.
  return described(z.toJSONSchema(settingsFile, { io: "input" }) as JsonObject, "")
}

function described(schema: JsonObject, prefix: string): JsonObject {
  if (!isObject(schema.properties)) return schema
  const properties = Object.entries(schema.properties).map(([key, inner]): [string, JsonValue] => {
    const description = settingMeanings[prefix + key]
    if (!isObject(inner)) return [key, inner]
    return [key, { ...(description !== undefined && { description }), ...described(inner, `${prefix}${key}.`) }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

function wantedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeNames[issue.expected] ?? issue.expected
    case "invalid_value":
      return `${issue.values.length > 1 ? "one of " : ""}${issue.values.map((value) => JSON.stringify(value)).join(", ")}`
    case "too_small":
      return `at least ${issue.minimum}`
    case "too_big":
      return `at most ${issue.maximum}`
    case "invalid_union":
      return [...new Set(issue.errors.flat().map(wantedBy))].join(" or ")
    default:
      return `something else (${issue.message})`
  }
}

const typeNames: { readonly [expected: string]: string } = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
}

function keysAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  if (schema instanceof z.ZodExactOptional) return keysAt(schema.unwrap(), path)
  const [step, ...rest] = path
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest)
  if (schema instanceof z.ZodRecord) return keysAt(schema.valueType, rest)
  if (!(schema instanceof z.ZodObject)) return []
  if (step === undefined) return Object.keys(schema.shape)
  const inner: z.core.$ZodType | undefined = schema.shape[step]
  return inner ? keysAt(inner, rest) : []
}
