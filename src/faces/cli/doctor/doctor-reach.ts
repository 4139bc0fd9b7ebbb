/** Whether what a session would talk to answers: the model, and the MCP servers. */

import { resolveModel } from "#ground/models/aliases.ts"
import { clientCertificate } from "#ground/settings/client-certificate.ts"
import { checkAnthropicKey } from "#ground/models/anthropic/check-key.ts"
import { anthropicAddress } from "#ground/models/anthropic/provider.ts"
import { checkKey, type KeyVerdict } from "#ground/models/ask-server.ts"
import type { KeyHeaders } from "#ground/models/credential.ts"
import { isSimulated } from "#ground/models/model-id.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { keptKey } from "#ground/settings/kept-key.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import type { McpServerState } from "#kits/mcp/ports.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { cloudTitles } from "#faces/cli/models/cloud-names.ts"
import { cloudProviders } from "#faces/cli/models/clouds.ts"
import { aliasesOf } from "#faces/cli/models/connect.ts"
import { type DoctorCheck, good, odd, wrong } from "./doctor-check.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { askedServer, inTime } from "#faces/cli/models/found-providers.ts"
import { providerRequests } from "#faces/cli/models/provider-requests.ts"
import { keyAdvice, keyInUse } from "#faces/cli/models/key-in-use.ts"
import { checkServers, statusText } from "#faces/cli/extensions/mcp-check.ts"
import { missingKey, type ServerHere, serversHere } from "#faces/cli/models/providers.ts"
import { keyWhere } from "#faces/cli/fleet/server-key.ts"
import { foundServers } from "#faces/cli/extensions/mcp-servers.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { startedAs } from "#faces/cli/started-as.ts"

const patienceMs = 5_000

export async function modelCheck(setting: StartupContext): Promise<DoctorCheck> {
  const { environment, loaded } = setting
  const id = resolveModel(loaded.settings.model ?? "default", aliasesOf(setting))
  if (isSimulated(id)) return good("model", `${id}, the built-in simulator`)
  const servers = serversHere(setting, "headless")
  if (!servers.ok) return wrong("model", servers.failure)
  const server = servers.value.find(({ choice }) => id.toLowerCase().startsWith(`${choice.name}/`))
  if (server) return serverCheck(id, server, setting)
  const cloud = cloudProviders(setting, aliasesOf(setting), {}).find(({ owns }) => owns(id))
  if (cloud) {
    const problem = await cloud.problem()
    return problem === undefined ? good("model", `${id}, at ${cloudTitles.get(cloud.name)}`) : wrong("model", problem)
  }
  const key = keyInUse(setting)
  if (key.source === "none" && environment.baseUrl === undefined)
    return odd("model", `no key. Add one with: ${startedAs(setting.home)} login`)
  const headers = await keyHeaders(setting)
  if (!headers.ok) return wrong("model", headers.failure)
  const certificate = clientCertificate(environment)
  if (!certificate.ok) return wrong("model", certificate.failure)
  const address = environment.baseUrl ?? anthropicAddress
  setting.network.permit([address])
  const late = new AbortController()
  const cancel = systemClock.after(patienceMs, () => late.abort())
  const verdict = await checkAnthropicKey(headers.value, late.signal, providerRequests(setting), address)
  cancel()
  const named = key.source === "none" ? id : `${id}, with ${key.which.charAt(0).toLowerCase()}${key.which.slice(1)}`
  switch (verdict.kind) {
    case "accepted":
      return good("model", `${named}; ${address} accepts it`)
    case "rejected":
      return wrong("model", `${key.which} was rejected. ${keyAdvice(key, "codewright login")}`)
    case "no_credit":
      return wrong("model", verdict.message)
    case "unknown":
    case "wrong_address":
      return good("model", `${named}; ${address} answers`)
    case "unreachable":
      return wrong("model", `${verdict.message} Check the network, the proxy and the address.`)
  }
}

async function serverCheck(id: string, server: ServerHere, setting: StartupContext): Promise<DoctorCheck> {
  const { choice, known, key, isReady } = server
  const login = `${startedAs(setting.home)} login`
  if (!isReady()) return odd("model", missingKey(id, login) ?? "no key")
  const where = keyWhere(key(), setting)
  const verdict = await inTime(patienceMs, new AbortController().signal, async (stop): Promise<KeyVerdict> => {
    const asked = await askedServer(server, setting, choice, known?.keyPath ?? "/models", stop)
    return asked.ok ? checkKey(asked.value, stop) : { kind: "rejected", message: `${asked.failure}.` }
  })
  const named = where === undefined ? id : `${id}, with the ${where}`
  switch (verdict.kind) {
    case "accepted":
      return good("model", `${named}; ${choice.baseUrl} accepts it`)
    case "unknown":
      return good("model", `${named}; ${choice.baseUrl} answers`)
    case "unreachable":
      return wrong("model", `${verdict.message} Check the network, the proxy and the address.`)
    case "rejected":
    case "no_credit":
    case "wrong_address":
      return wrong("model", `${verdict.message} ${choice.keyWords().advice}`)
  }
}

async function keyHeaders(setting: StartupContext): Promise<Result<KeyHeaders, string>> {
  const { environment, loaded, state } = setting
  const helper = loaded.settings.apiKeyHelper
  if (helper) {
    const key = await runKeyHelper(helper, childEnvironment(loaded.env))
    return key.ok ? ok({ "x-api-key": key.value, authorization: `Bearer ${key.value}` }) : failed(key.failure)
  }
  const apiKey = environment.apiKey ?? (keyInUse(setting).source === "key.json" ? keptKey(state) : undefined)
  return ok({
    ...(apiKey && { "x-api-key": apiKey }),
    ...(environment.authToken && { authorization: `Bearer ${environment.authToken}` }),
  })
}

/** `known`: as a running session has them; otherwise each is started, asked and closed. */
export async function serverChecks(
  args: Arguments<FlagName>,
  setting: StartupContext,
  known: readonly McpServerState[] | undefined,
): Promise<readonly DoctorCheck[]> {
  const states = known ?? (await tried(args, setting))
  return states.map((state) => {
    const name = `MCP server ${state.name}`
    switch (state.status) {
      case "connected":
      case "disabled":
        return good(name, statusText(state))
      case "connecting":
      case "needs_approval":
      case "needs_login":
        return odd(name, statusText(state))
      case "failed":
        return wrong(name, statusText(state))
    }
  })
}

async function tried(args: Arguments<FlagName>, setting: StartupContext): Promise<readonly McpServerState[]> {
  const found = await foundServers(args, setting)
  return found.ok ? checkServers(found.value.servers, setting) : []
}
