/** `codewright serve`: sessions that run without a terminal and wait for answers, over HTTP. */

import { isIPv6 } from "node:net"
import { hostname, networkInterfaces } from "node:os"
import { systemClock } from "#lib/clock.ts"
import { isHostName, isLoopbackName } from "#lib/host-names.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import type { WebhookSettings } from "#ground/settings/settings.ts"
import { keepOwner, type OwnerRecord, ownerNow, replaceToken } from "#ground/settings/server-token.ts"
import { watchBudgets } from "#fleet/budgets.ts"
import type { FleetStore } from "#fleet/store.ts"
import { tokenDigest } from "#fleet/database/tokens.ts"
import { pruneNowAndThen } from "#fleet/retention.ts"
import { openPushMessages } from "#fleet/push-messages.ts"
import { openWebhooks, type Webhook } from "#fleet/webhooks.ts"
import { type ClientAddress, openClientAddress } from "#faces/web/client-address.ts"
import type { OpenIdSignIn } from "#faces/web/openid.ts"
import { openPageFiles } from "#faces/web/page-files.ts"
import { openWebServer, type WebServer, type WebServerParts } from "#faces/web/server.ts"
import { usualVisibility } from "#faces/web/route.ts"
import { decidableBy } from "#faces/web/told.ts"
import { type Arguments, parseArguments } from "#faces/cli/flags/argv.ts"
import { type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { databaseHere, openFleetHere } from "./fleet-here.ts"
import type { Io } from "#faces/cli/io.ts"
import { openIdHere } from "./openid-here.ts"
import { fleetConfinement, confinementWarning } from "./fleet-confinement.ts"
import { hideVariables, ownEnvironment, secretsFlag, warnOfPassword } from "./own-environment.ts"
import { modelWarning } from "./model-warning.ts"
import { type PushHere, pushHere } from "./push-here.ts"
import { logFlag, withLog } from "./server-log.ts"
import { secretVariablesOf } from "./server-secrets.ts"
import { readNumber } from "#faces/cli/flags/numbers.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { sendMeasured } from "#faces/cli/telemetry/measured-here.ts"
import { settingHere } from "#faces/cli/startup-context-here.ts"
import { webhooksHere } from "./webhooks-here.ts"
import { startWorkerHere } from "./worker-here.ts"

type ServeFlag =
  | "port"
  | "host"
  | "unencrypted"
  | "allow-host"
  | "database"
  | "secrets"
  | "slots"
  | "workplaces"
  | "days"
  | "experimental-ahp"
  | "log-format"
  | "json"
  | "help"

/** Where people look for the server; a free one is taken if this is not. */
const usualPort = 4711

const table: readonly Flag<ServeFlag>[] = [
  {
    name: "port",
    kind: "value",
    takes: "n",
    about: `The port to listen on; 0 picks a free one. Default: ${usualPort}, or a free one if it is taken.`,
  },
  {
    name: "host",
    kind: "value",
    takes: "address",
    about: "The address to listen on (default: 127.0.0.1). Any other one needs --unencrypted.",
  },
  {
    name: "unencrypted",
    kind: "switch",
    about: "Let other machines reach the server although it does not encrypt: a proxy with TLS must be in front of it.",
  },
  {
    name: "allow-host",
    kind: "list",
    takes: "names",
    about: "More names under which the server may be reached, such as that of a proxy in front of it.",
  },
  {
    name: "database",
    kind: "value",
    takes: "postgres://…",
    about: "Keep sessions in this Postgres database, which machines can share. Default: one in the state folder.",
  },
  secretsFlag,
  {
    name: "slots",
    kind: "value",
    takes: "n",
    about: "How many sessions run inside the server at a time (default: 4); 0 leaves all to codewright worker.",
  },
  {
    name: "workplaces",
    kind: "value",
    takes: "folder",
    about:
      "Where sessions have their folders, the same on every machine (default: server.workplaces of the settings, else ~/.local/share/codewright/fleet).",
  },
  {
    name: "days",
    kind: "value",
    takes: "n",
    about: "prune: erase sessions that have been over for so many days, instead of what the settings say.",
  },
  {
    name: "experimental-ahp",
    kind: "switch",
    about:
      "Also be a host of the Agent Host Protocol at /ahp, for editors that speak it. An experiment: it may change or go.",
  },
  logFlag,
  { name: "json", kind: "switch", about: "Print one line of JSON when the server is ready, and nothing else." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export const help: CommandHelp = {
  usage: ["codewright serve [options]", "codewright serve token", "codewright serve prune [--days n]"],
  about:
    "Serves sessions over HTTP until Ctrl+C. Everything but /healthz and /readyz needs a token; the link that is printed at the start signs a browser in, once.",
  verbs: [
    ["token", "Print a new token for programs. Only a digest of it is kept."],
    ["prune [--days <n>]", "Erase sessions that are older than server.retention in the settings, or than --days."],
  ],
  table,
  examples: ["codewright serve", "codewright serve --port 8080 --database postgres://db.example/codewright"],
}

export async function serveCommand(argv: readonly string[], plainIo: Io): Promise<number> {
  const parsed = parseArguments(argv, table)
  if (!parsed.ok) return plainIo.fail(`serve: ${parsed.failure.message}`)
  const args = parsed.value
  const io = withLog(plainIo, { format: args.value("log-format"), program: "serve", clock: systemClock })
  if (args.has("help") || args.rest[0] === "help") {
    io.write(commandHelp(help))
    return 0
  }
  if (args.rest[0] === "token" && args.rest.length === 1) return makeToken(io)
  if (args.rest[0] === "prune" && args.rest.length === 1)
    return (await import("./serve-prune.ts")).pruneCommand(args, io)
  if (args.rest.length > 0)
    return io.fail(`serve takes only options, not '${args.rest[0]}'. See codewright serve --help.`)
  const port = readNumber("--port", args.value("port") ?? String(usualPort), { least: 0, most: 65_535, whole: true })
  if (!port.ok) return io.fail(port.failure)
  const slots = readNumber("--slots", args.value("slots") ?? "4", { least: 0, most: 1000, whole: true })
  if (!slots.ok) return io.fail(slots.failure)
  const host = args.value("host") ?? "127.0.0.1"
  if (!isLoopback(host) && !args.has("unencrypted"))
    return io.fail(
      `--host ${host} lets other machines reach the server, and it does not encrypt: tokens could be read on the way. Leave --host out and put a proxy with TLS in front of 127.0.0.1. If the proxy is on another machine or outside of this container, add --unencrypted.`,
    )
  const names = args.list("allow-host").map((name) => name.toLowerCase())
  const wrongName = names.find((name) => !isHostName(name) && !isIPv6(name.replace(/^\[(.*)\]$/, "$1")))
  if (wrongName !== undefined)
    return io.fail(
      `--allow-host takes names such as fleet.example.com, without https:// and without a port, not '${wrongName}'.`,
    )
  const own = ownEnvironment(args.value("secrets"), io)
  if (!own.ok) return io.fail(own.failure)
  const { env, secretFiles } = own.value
  warnOfPassword(args.value("database"), io)
  const setting = await settingHere(io, env)
  if (!setting) return 1
  hideVariables(secretVariablesOf(setting.loaded.settings.server ?? {}))
  const hooks = await webhooksHere(setting, io.warn)
  if (!hooks.ok) return io.fail(hooks.failure)
  const push = await pushHere(setting)
  if (!push.ok) return io.fail(push.failure)
  const openId = await openIdHere(setting)
  if (!openId.ok) return io.fail(openId.failure)
  const clientAddress = openClientAddress(setting.loaded.settings.server?.trustedProxies ?? [])
  if (!clientAddress.ok)
    return io.fail(
      `server.trustedProxies takes addresses such as 10.0.0.5 or 10.0.0.0/8, not '${clientAddress.failure}'.`,
    )
  const owner = keepOwner(setting.state, newSecret(), tokenDigest)
  if (!owner.ok) return io.fail(owner.failure)
  const database = await databaseHere(args.value("database"), env, setting)
  if (!database.ok) return io.fail(database.failure)
  if (!database.value && slots.value === 0)
    return io.fail(
      "--slots 0 leaves all sessions to codewright worker, which cannot use the embedded database. Set CODEWRIGHT_DATABASE to the address of a Postgres database, or leave --slots out.",
    )
  const fleet = await openFleetHere(setting.state, database.value, io.warn)
  if (!fleet.ok) return io.fail(fleet.failure)
  const stopped = io.untilStopped()
  const { store } = fleet.value
  const wish: ServeWish = {
    args,
    setting,
    store,
    owner: owner.value,
    env,
    secretFiles,
    port: port.value,
    slots: slots.value,
    names,
    hooks: hooks.value,
    push: push.value,
    clientAddress: clientAddress.value,
    openId: openId.value,
  }
  const served = await serve(wish, io)
  const code = served ? await stopped : 1
  await served?.close()
  await fleet.value.close()
  return code
}

/** The server that runs takes it at once: it looks at the file again. */
async function makeToken(io: Io): Promise<number> {
  const setting = await settingHere(io)
  if (!setting) return 1
  const token = newSecret()
  const kept = replaceToken(setting.state, newSecret(), tokenDigest(token))
  if (!kept.ok) return io.fail(kept.failure)
  io.warn(
    `Keep this token: it is not shown again, and the one before it is not valid any more. It is for servers whose state folder is ${setting.state}.`,
  )
  io.write(`${token}\n`)
  return 0
}

interface ServeWish {
  readonly args: Arguments<ServeFlag>
  readonly setting: StartupContext
  readonly store: FleetStore
  readonly owner: OwnerRecord
  readonly env: RawEnvironment
  readonly secretFiles: readonly string[]
  readonly port: number
  readonly slots: number
  readonly names: readonly string[]
  readonly hooks: readonly Webhook[]
  readonly push: PushHere
  readonly clientAddress: ClientAddress
  readonly openId: OpenIdSignIn | undefined
}

async function serve(wish: ServeWish, io: Io): Promise<{ readonly close: () => Promise<void> } | undefined> {
  const { args, setting, store, owner, env, slots, hooks } = wish
  // For programs that start the server and need it at once; nothing on disk knows it.
  const token = newSecret()
  const {
    visibility,
    allowOperatorsOutsideSandbox,
    retention,
    sharedFolders,
    workspaces,
    budgets = {},
    quotas,
  } = setting.loaded.settings.server ?? {}
  const host = args.value("host") ?? "127.0.0.1"
  const deciding = {
    owner: userName(env),
    visibility: visibility === "viewers" ? "read" : (visibility ?? usualVisibility),
    operatorsMayLeave: allowOperatorsOutsideSandbox === true,
  } as const
  const server = listen(
    {
      ...deciding,
      clientAddress: wish.clientAddress,
      openId: wish.openId,
      store,
      host,
      port: wish.port,
      addresses: host === "0.0.0.0" || host === "::" ? ownAddresses() : [],
      names: wish.names,
      own: {
        name: deciding.owner,
        role: "admin",
        secret: token,
        id: owner.owner,
        token: () => ownerNow(setting.state)?.token,
      },
      machine: { host: hostname(), home: setting.home },
      sharedFolders,
      ...optional("workspaces", workspaces),
      budgets,
      quotas,
      push: wish.push,
      channelsOf: channelsIn(setting.loaded.settings.server?.webhooks ?? []),
      page: openPageFiles(),
      ...(args.has("experimental-ahp") && { openAhp: (await import("#faces/web/ahp/host.ts")).openAhpHost }),
      newId: systemIds.uuid,
      newSecret,
      clock: systemClock,
      report: io.warn,
    },
    args.value("port") === undefined,
  )
  if (!server.ok) {
    io.fail(server.failure)
    return undefined
  }
  const ports = { store, clock: systemClock, report: io.warn }
  const confinement = await fleetConfinement(setting, wish.secretFiles)
  const warning = confinementWarning(confinement)
  if (warning !== undefined && slots > 0) io.warn(warning)
  const worker =
    slots > 0
      ? await startWorkerHere({
          ...ports,
          where: setting,
          slots,
          labels: [],
          settings: setting.loaded.settings.server ?? {},
          workplaces: args.value("workplaces"),
          env,
          confinement,
          network: setting.network,
        })
      : undefined
  const modelless = slots > 0 ? modelWarning(setting) : undefined
  if (modelless !== undefined) io.warn(modelless)
  const mayDecide = async (name: string, sessionId: string): Promise<boolean> =>
    (await decidableBy(store, deciding, { name, sessionId })) !== undefined
  const { url } = setting.loaded.settings.server ?? {}
  const stopHooks =
    hooks.length > 0
      ? await openWebhooks({ ...ports, hooks, mayDecide, newSecret: url === undefined ? undefined : newSecret })
      : undefined
  const stopPushes = openPushMessages({ ...ports, ...wish.push, mayDecide })
  const stopPruning = retention && pruneNowAndThen({ ...ports, retention })
  const stopBudgets = watchBudgets({ ...ports, budgets })
  const stopMeasuring = sendMeasured(setting, server.value.measure, io.warn)
  sayReady(server.value, { args, token, host }, io)
  return {
    async close() {
      await worker?.close()
      await stopHooks?.()
      await stopPushes()
      await stopBudgets()
      await stopPruning?.()
      await stopMeasuring?.()
      await server.value.close()
    },
  }
}

/** Which of them are for somebody, as the page names them. */
const channelsIn =
  (webhooks: readonly WebhookSettings[]) =>
  (who: string): readonly string[] =>
    webhooks
      .filter(({ for: reader }) => reader === who)
      .map(({ mail, format = "json" }) => (mail === undefined ? channelNames[format] : `Mail to ${mail}`))

const channelNames = { json: "Webhook", slack: "Slack", discord: "Discord", ntfy: "ntfy" } as const

function sayReady(
  server: WebServer,
  ready: {
    readonly args: Arguments<ServeFlag>
    readonly token: string
    readonly host: string
  },
  io: Io,
): void {
  if (!isLoopback(ready.host))
    io.warn(
      `warning: other machines can reach ${ready.host}, and the connection is not encrypted. Only a proxy with TLS should be able to reach it.`,
    )
  if (ready.args.has("json")) {
    io.write(`${JSON.stringify({ type: "ready", url: server.url, token: ready.token, pid: process.pid })}\n`)
    return
  }
  const ahp = ready.args.has("experimental-ahp")
    ? `Agent Host Protocol (experimental): ${server.url.replace(/^http/, "ws")}/ahp?token=<token>\n`
    : ""
  io.write(
    `Codewright is listening at ${server.url}\n` +
      `Sign in (works once, for 10 minutes): ${server.signInLink()}\n` +
      `Token for programs: codewright serve token\n${ahp}`,
  )
}

/** The usual port may be taken by another server of ours; a port that was asked for may not. */
function listen(parts: WebServerParts, isUsual: boolean): Result<WebServer, string> {
  const first = openWebServer(parts)
  const server =
    !first.ok && isUsual && first.failure.code === "EADDRINUSE" ? openWebServer({ ...parts, port: 0 }) : first
  if (server.ok) return ok(server.value)
  const { code } = server.failure
  return failed(
    code === "EADDRINUSE"
      ? `Port ${parts.port} is in use. Choose another with --port, or --port 0 for a free one.`
      : `The server cannot listen on ${parts.host}:${parts.port} (${code}). Check --host and --port.`,
  )
}

/** 244 random bits. */
const newSecret = (): string => `${systemIds.uuid()}${systemIds.uuid()}`.replaceAll("-", "")

const isLoopback = (host: string): boolean => isLoopbackName(host) || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))

/** Whose sessions they are that are made with the server's own token. */
function userName({ USER, LOGNAME }: RawEnvironment): string {
  return [USER, LOGNAME].find((name) => name !== undefined && /^[\w.@-]{1,100}$/.test(name)) ?? "admin"
}
