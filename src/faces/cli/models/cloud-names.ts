/** The clouds that offer Anthropic's models, and whether there is any sign of them here. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import type { StartupContext } from "#faces/cli/startup-context.ts"

/** By the names of providers, for people. */
export const cloudTitles: ReadonlyMap<string, string> = new Map([
  ["bedrock", "Amazon Bedrock"],
  ["vertex", "Google Vertex AI"],
  ["foundry", "Microsoft Foundry"],
])

/** Whether models without a provider in their name are those of a cloud. */
export const usesCloud = ({ environment }: StartupContext): boolean =>
  environment.useBedrock || environment.useVertex || environment.useFoundry

/** Whether a request to a cloud could be sent, or is wanted. Otherwise what it takes is not loaded. */
export function mayUseClouds(setting: StartupContext, models: readonly string[]): boolean {
  const { environment, loaded, home } = setting
  return (
    usesCloud(setting) ||
    models.some((model) => cloudTitles.has(model.slice(0, Math.max(model.indexOf("/"), 0)).toLowerCase())) ||
    [
      ...regionVariables.map((name) => loaded.env[name]),
      environment.bedrockBaseUrl,
      environment.vertexProject,
      environment.foundryResource,
      environment.foundryBaseUrl,
    ].some((value) => value) ||
    existsSync(join(home, ".aws"))
  )
}

/** Without a region there is no address of Bedrock. */
const regionVariables = ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]
