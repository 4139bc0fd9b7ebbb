/** Clouds that offer Anthropic's models, by their variables: Amazon Bedrock, Google Vertex AI and Microsoft Foundry. */

import type { Aliases } from "#ground/models/aliases.ts"
import type { AnthropicChoice } from "#ground/models/anthropic/provider.ts"
import { areaOf, priceFactor } from "#ground/models/clouds/model-ids.ts"
import { type CloudChoice, type CloudProvider, cloudProvider } from "#ground/models/clouds/provider.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import { optional } from "#lib/optional.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

/** What holds for requests to Anthropic holds for those to a cloud, except for the key. */
export type SharedChoice = Pick<AnthropicChoice, "headers" | "secrets" | "soon"> &
  Pick<CloudChoice, "betas" | "caching" | "extraBody" | "deferral">

export function cloudProviders(
  setting: StartupContext,
  { opus, sonnet, haiku }: Aliases,
  shared: SharedChoice,
): readonly CloudProvider[] {
  const { betas, caching, extraBody, deferral, ...way } = shared
  const every = {
    ...optional("betas", betas),
    ...optional("caching", caching),
    ...optional("extraBody", extraBody),
    ...optional("deferral", deferral),
  }
  const { loaded, home } = setting
  const common = { ...way, env: loaded.env, home, commandEnv: () => childEnvironment(loaded.env) }
  return [bedrock(setting, common), vertex(setting, common), foundry(setting, common)].map((choice) =>
    cloudProvider({ ...every, ...choice, shortNames: { opus, sonnet, haiku } }),
  )
}

interface Common extends Omit<SharedChoice, "betas" | "caching" | "extraBody" | "deferral"> {
  readonly env: StartupContext["loaded"]["env"]
  readonly home: string
  readonly commandEnv: () => { readonly [name: string]: string }
}

function bedrock({ environment, loaded }: StartupContext, common: Common): Omit<CloudChoice, "shortNames"> {
  const { awsAuthRefresh } = loaded.settings
  const choice = {
    ...common,
    skipAuth: environment.skipBedrockAuth,
    ...optional("baseUrl", environment.bedrockBaseUrl),
    ...optional("bearer", environment.bedrockToken),
    ...(awsAuthRefresh !== undefined && {
      renew: () => runKeyHelper(awsAuthRefresh, common.commandEnv(), "awsAuthRefresh", "may print nothing"),
    }),
  }
  return {
    name: "bedrock",
    selected: environment.useBedrock,
    hasOtherKey: !environment.skipBedrockAuth && environment.bedrockToken === undefined,
    priceFactor(id) {
      const written = /^([a-z-]+)\.anthropic\./.exec(id)?.[1]
      return priceFactor(id, written ?? areaOf(environment.awsRegion ?? ""))
    },
    problem: async () => (await import("#ground/models/clouds/bedrock.ts")).bedrockProblem(choice),
    open: async (dialect, parts) =>
      (await import("#ground/models/clouds/bedrock.ts")).openBedrock(choice, dialect, parts),
  }
}

function vertex({ environment }: StartupContext, common: Common): Omit<CloudChoice, "shortNames"> {
  const choice = {
    ...common,
    skipAuth: environment.skipVertexAuth,
    ...optional("project", environment.vertexProject),
    ...optional("region", environment.vertexRegion),
    ...optional("baseUrl", environment.vertexBaseUrl),
  }
  return {
    name: "vertex",
    selected: environment.useVertex,
    hasOtherKey: !environment.skipVertexAuth,
    priceFactor: (id) => priceFactor(id, environment.vertexRegion === "global" ? "global" : "region"),
    problem: async () => (await import("#ground/models/clouds/vertex.ts")).vertexProblem(choice),
    open: async (dialect, parts) =>
      (await import("#ground/models/clouds/vertex.ts")).openVertex(choice, dialect, parts),
  }
}

function foundry({ environment }: StartupContext, common: Common): Omit<CloudChoice, "shortNames"> {
  const choice = {
    ...common,
    skipAuth: environment.skipFoundryAuth,
    ...optional("resource", environment.foundryResource),
    ...optional("baseUrl", environment.foundryBaseUrl),
    ...optional("apiKey", environment.foundryKey),
  }
  return {
    name: "foundry",
    selected: environment.useFoundry,
    hasOtherKey: !environment.skipFoundryAuth && environment.foundryKey === undefined,
    problem: async () => (await import("#ground/models/clouds/foundry.ts")).foundryProblem(choice),
    open: async (dialect, parts) =>
      (await import("#ground/models/clouds/foundry.ts")).openFoundry(choice, dialect, parts),
  }
}
