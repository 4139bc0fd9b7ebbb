/** The definition of a settings file: it validates, and the published JSON Schema is generated from it. */

import { permissionModes } from "#agent/words/permission.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { credentials } from "./credentials.ts"
import {
  anything,
  byName,
  choice,
  type Complaint,
  either,
  flag,
  foreign,
  list,
  number,
  object,
  text,
  texts,
  withTexts,
} from "./kinds.ts"
import { settingMeanings } from "./setting-meanings.ts"
import type {
  BudgetSettings,
  DatabaseSettings,
  EnvironmentSettings,
  GateSettings,
  GoalSettings,
  HookGroup,
  LanguageServerSettings,
  PermissionSettings,
  RetentionSettings,
  SandboxSettings,
  ServerSettings,
  SettingsFile,
  TelemetrySettings,
  TreeSettings,
  ForgeSettings,
  StorageSettings,
  MailSettings,
  UndoSettings,
  OpenIdSettings,
  PushSettings,
  WebhookSettings,
} from "./settings.ts"

const permissions = object<PermissionSettings>({
  allow: texts,
  ask: texts,
  deny: texts,
  additionalDirectories: texts,
  defaultMode: choice(...permissionModes, "manual"),
  disableAutoMode: choice("disable"),
  disableBypassPermissionsMode: choice("disable"),
  allowBypassAsRoot: flag,
})

const sandbox = object<SandboxSettings>({
  enabled: flag,
  autoAllowBashIfSandboxed: flag,
  excludedCommands: texts,
  allowUnsandboxedCommands: flag,
  failIfUnavailable: flag,
  hooks: flag,
  mcp: flag,
  caches: choice("read-only", "private"),
  limits: object({ processes: number({ least: 16, whole: true }), memoryMb: number({ least: 64, whole: true }) }),
  allowEnv: texts,
  credentials,
  filesystem: object({ allowWrite: texts, denyWrite: texts, denyRead: texts, allowRead: texts }),
  network: object({ allowedDomains: texts, deniedDomains: texts, allowUnixSockets: texts, allowLocalBinding: flag }),
})

const server = object<ServerSettings>({
  pushBranches: flag,
  approvalHours: number({ least: 0 }),
  workplaces: text,
  trees: object<TreeSettings>({
    large: choice("database", "source"),
    smallMb: number({ least: 0 }),
    mostMb: number({ least: 0 }),
    days: number({ least: 0 }),
    diskGb: number({ least: 0 }),
  }),
  workspaces: list(text),
  visibility: choice("own", "read", "viewers", "all"),
  sharedFolders: choice("tell", "refuse"),
  allowOperatorsOutsideSandbox: flag,
  trustedProxies: list(text),
  retention: object<RetentionSettings>({ sessionDays: number({ least: 0 }), auditDays: number({ least: 0 }) }),
  budgets: object<BudgetSettings>({
    userUsdPerDay: number({ least: 0 }),
    userUsdPerMonth: number({ least: 0 }),
    repositoryUsdPerDay: number({ least: 0 }),
    repositoryUsdPerMonth: number({ least: 0 }),
    fleetUsdPerDay: number({ least: 0 }),
    fleetUsdPerMonth: number({ least: 0 }),
  }),
  limits: object({
    cpus: number({ least: 0.05 }),
    memoryMb: number({ least: 64 }),
    processes: number({ least: 16, whole: true }),
    diskMbPerSecond: number({ least: 1 }),
  }),
  quotas: object({
    userSessions: number({ least: 1, whole: true }),
    repositorySessions: number({ least: 1, whole: true }),
  }),
  url: text,
  webhooks: list(
    object<WebhookSettings>({
      url: text,
      urlEnv: text,
      urlFile: text,
      urlHelper: text,
      mail: text,
      format: choice("json", "slack", "discord", "ntfy"),
      for: text,
      secretEnv: text,
      secretFile: text,
      secretHelper: text,
      allowPrivate: flag,
    }),
  ),
  push: object<PushSettings>({ contact: text, keyEnv: text, keyFile: text, keyHelper: text, allowPrivate: flag }),
  mail: object<MailSettings>({ from: text, command: texts }, ["from"]),
  forges: list(
    object<ForgeSettings>(
      {
        host: text,
        kind: choice("github", "gitlab", "gitea"),
        api: text,
        tokenEnv: text,
        tokenFile: text,
        tokenHelper: text,
      },
      ["host"],
    ),
  ),
  environments: list(
    object<EnvironmentSettings>(
      {
        repository: text,
        setup: text,
        fromRepository: flag,
        files: texts,
        hosts: texts,
        minutes: number({ least: 0.1 }),
        image: text,
      },
      ["repository"],
    ),
  ),
  openid: object<OpenIdSettings>(
    {
      issuer: text,
      clientId: text,
      clientSecretEnv: text,
      clientSecretFile: text,
      clientSecretHelper: text,
      scopes: texts,
      nameClaim: text,
      groupsClaim: text,
      roles: object<OpenIdSettings["roles"]>({ admin: texts, operator: texts, viewer: texts }),
      hours: number({ least: 0.1 }),
      title: text,
    },
    ["issuer", "clientId", "roles"],
  ),
  database: object<DatabaseSettings>({ url: text, passwordEnv: text, passwordFile: text, passwordHelper: text }),
})

const hookGroup = object<HookGroup>({ matcher: text, hooks: list(withTexts("type")) }, ["hooks"])

// It does not compile when the definition and the hand-written type part ways.
const settingsFile = object<SettingsFile>({
  $schema: text,
  permissions,
  allowManagedPermissionRulesOnly: flag,
  env: byName(either(either(text, number()), flag)),
  hooks: byName(list(hookGroup)),
  disableAllHooks: flag,
  model: text,
  planModel: text,
  smallModel: text,
  subagentModel: text,
  fallbackModel: either(text, texts),
  effortLevel: text,
  alwaysThinkingEnabled: flag,
  showThinkingSummaries: flag,
  budget: object({ usd: number({ least: 0 }), tokens: number({ least: 1, whole: true }) }),
  statusLine: withTexts("type", "command"),
  outputStyle: text,
  language: text,
  includeCoAuthoredBy: flag,
  attribution: either(choice("always", "never", "by-share"), foreign),
  cleanupPeriodDays: number({ least: 1, whole: true }),
  storage: object<StorageSettings>({
    commandOutputMb: number({ least: 0 }),
    sessionOutputMb: number({ least: 0 }),
    totalMb: number({ least: 0 }),
  }),
  plansDirectory: text,
  plan: object({ enforce: choice("off", "warn", "pause") }),
  goal: object<GoalSettings>({
    maxChecks: number({ least: 1, whole: true }),
    maxSteps: number({ least: 1, whole: true }),
    maxMinutes: number({ least: 1 }),
    maxBudgetUsd: number({ least: 0 }),
  }),
  gates: object<GateSettings>({
    clarify: flag,
    plan: flag,
    files: flag,
    git: flag,
    testFirst: flag,
    testFiles: texts,
    testCommands: texts,
  }),
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
  lsp: byName(
    object<LanguageServerSettings>({
      command: text,
      args: texts,
      extensionToLanguage: byName(text),
      env: byName(text),
      initializationOptions: anything,
      settings: foreign,
      disabled: flag,
    }),
  ),
  languageServers: choice("auto", "configured", "off"),
  sandbox,
  undo: object<UndoSettings>({ exclude: texts }),
  enabledPlugins: foreign,
  extraKnownMarketplaces: foreign,
  strictKnownMarketplaces: list(anything),
  blockedMarketplaces: list(anything),
  agent: text,
  claudeMdExcludes: texts,
  respectGitignore: flag,
  fileSuggestion: foreign,
  skillListingBudgetFraction: number({ above: 0, most: 1 }),
  skipDangerousModePermissionPrompt: flag,
  backgroundAgents: flag,
  mouse: flag,
  promptSuggestions: flag,
  sideColumn: flag,
  backgroundWorktrees: flag,
  sessionMessages: choice("wake", "wait", "off"),
  spinnerTipsEnabled: flag,
  spinnerVerbs: anything,
  editorMode: text,
  autoConnectIde: flag,
  diffTool: choice("auto", "terminal"),
  vim: flag,
  theme: text,
  notifications: choice("desktop", "bell", "off"),
  screenReader: flag,
  keybindings: foreign,
  detailedExitCodes: flag,
  backgroundWaitSeconds: number({ least: 0 }),
  providers: byName(foreign),
  compaction: foreign,
  memory: foreign,
  teams: foreign,
  teammateMode: choice("auto", "in-process", "tmux", "process", "fleet"),
  teammateIsolation: choice("worktree", "shared"),
  server,
  webSearch: object({ endpoint: text }),
  offline: flag,
  updates: object({ source: text, key: text }),
  network: object({ proxy: text, noProxy: texts, caFile: text }),
  telemetry: object<TelemetrySettings>({
    enabled: flag,
    endpoint: text,
    exporters: list(choice("otlp", "file", "console", "none")),
    file: text,
    prompts: flag,
    toolInput: flag,
    toolOutput: flag,
  }),
})

/** Nothing is changed or filled in: a value without complaints is a valid settings file. */
export const checkSettings = (value: unknown): readonly Complaint[] => settingsFile.check(value, [])

/** For editors and for the reference. */
export const settingsJsonSchema = (): JsonObject => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  ...described(settingsFile.json, ""),
})

function described(schema: JsonObject, prefix: string): JsonObject {
  if (!isObject(schema.properties)) return schema
  const properties = Object.entries(schema.properties).map(([key, inner]): [string, JsonValue] => {
    const description = settingMeanings[prefix + key]
    if (!isObject(inner)) return [key, inner]
    return [key, { ...(description !== undefined && { description }), ...described(inner, `${prefix}${key}.`) }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}
