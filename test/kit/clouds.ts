/** Clouds with their simulated addresses, each with credentials that it takes. */

import { newestModels } from "#ground/models/anthropic/releases.ts"
import { type BedrockChoice, bedrockProblem, openBedrock } from "#ground/models/clouds/bedrock.ts"
import { type FoundryChoice, foundryProblem, openFoundry } from "#ground/models/clouds/foundry.ts"
import { type CloudChoice, type CloudProvider, cloudProvider } from "#ground/models/clouds/provider.ts"
import { openVertex, type VertexChoice, vertexProblem } from "#ground/models/clouds/vertex.ts"
import { exampleCredentials } from "#sim/clouds/aws-signature.ts"

/** No tool and no server of this machine is asked for credentials. */
export const nowhere = {
  AWS_EC2_METADATA_DISABLED: "true",
  GCE_METADATA_HOST: "127.0.0.1:1",
  PATH: "/nonexistent",
} as const

export const exampleKeys: { readonly [name: string]: string } = {
  AWS_ACCESS_KEY_ID: exampleCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: exampleCredentials.secretAccessKey,
}

const usual = { home: "/nonexistent", commandEnv: () => ({ PATH: "/nonexistent" }), skipAuth: false }

export function bedrockAt(
  url: string,
  more: Partial<BedrockChoice> = {},
  cloud: Partial<CloudChoice> = {},
): CloudProvider {
  const env = { ...nowhere, ...exampleKeys, AWS_REGION: "us-east-1" }
  const choice: BedrockChoice = { ...usual, env, baseUrl: url, ...more }
  return cloudProvider({
    name: "bedrock",
    selected: false,
    shortNames: newestModels,
    hasOtherKey: true,
    problem: () => Promise.resolve(bedrockProblem(choice)),
    open: (dialect, parts) => Promise.resolve(openBedrock(choice, dialect, parts)),
    ...cloud,
  })
}

export function vertexAt(
  url: string,
  more: Partial<VertexChoice> = {},
  cloud: Partial<CloudChoice> = {},
): CloudProvider {
  const way = { baseUrl: `${url}/v1`, project: "some-project", region: "us-east5" }
  const gateway = { skipAuth: true, headers: { authorization: "Bearer of-a-gateway" } }
  const choice: VertexChoice = { ...usual, env: nowhere, ...way, ...gateway, ...more }
  return cloudProvider({
    name: "vertex",
    selected: false,
    shortNames: newestModels,
    hasOtherKey: !choice.skipAuth,
    problem: () => Promise.resolve(vertexProblem(choice)),
    open: (dialect, parts) => Promise.resolve(openVertex(choice, dialect, parts)),
    ...cloud,
  })
}

export function foundryAt(
  url: string,
  more: Partial<FoundryChoice> = {},
  cloud: Partial<CloudChoice> = {},
): CloudProvider {
  const choice: FoundryChoice = { ...usual, env: nowhere, baseUrl: `${url}/anthropic`, apiKey: "test", ...more }
  return cloudProvider({
    name: "foundry",
    selected: false,
    shortNames: newestModels,
    hasOtherKey: choice.apiKey === undefined,
    problem: () => Promise.resolve(foundryProblem(choice)),
    open: (dialect, parts) => Promise.resolve(openFoundry(choice, dialect, parts)),
    ...cloud,
  })
}
