/** The files in which AWS keeps profiles: credentials, and everything else about them. */

import { join } from "node:path"
import { textOfFile } from "#lib/quietly.ts"

export type CloudEnvironment = { readonly [name: string]: string | undefined }

export type AwsProfile = { readonly [key: string]: string }

export interface AwsPlaces {
  readonly env: CloudEnvironment
  readonly home: string
}

export const profileName = ({ env }: AwsPlaces): string => env["AWS_PROFILE"] || env["AWS_DEFAULT_PROFILE"] || "default"

/** Undefined if neither file has it. */
export function readProfile(places: AwsPlaces): AwsProfile | undefined {
  const { env, home } = places
  const name = profileName(places)
  const config = sectionsOf(env["AWS_CONFIG_FILE"] || join(home, ".aws/config"))
  const credentials = sectionsOf(env["AWS_SHARED_CREDENTIALS_FILE"] || join(home, ".aws/credentials"))
  const written = config.get(`profile ${name}`) ?? (name === "default" ? config.get(name) : undefined)
  const keys = credentials.get(name)
  return written || keys ? { ...written, ...keys } : undefined
}

/** For requests and for the names of models. */
export const readRegion = (places: AwsPlaces): string | undefined =>
  places.env["AWS_REGION"] || places.env["AWS_DEFAULT_REGION"] || readProfile(places)?.["region"]

function sectionsOf(path: string): ReadonlyMap<string, AwsProfile> {
  const sections = new Map<string, { [key: string]: string }>()
  let section: { [key: string]: string } = {}
  for (const line of (textOfFile(path) ?? "").split("\n")) {
    const name = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1]?.replaceAll(/\s+/g, " ").replaceAll(/["']/g, "")
    if (name !== undefined) {
      section = sections.get(name) ?? {}
      sections.set(name, section)
      continue
    }
    // An indented line belongs to the one before: settings inside a setting, which nothing here needs.
    const [, key, value] = /^([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) section[key.toLowerCase()] = value
  }
  return sections
}
