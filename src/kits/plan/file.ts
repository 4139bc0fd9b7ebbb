/** The plan file: where it is, its name, its content, and its extract. */

import { isAbsolute, join, resolve } from "node:path"
import type { EntryBody } from "#agent/words/entry.ts"
import type { PlanFiles } from "#ground/transcript/plan-files.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { extractPlan, planDetails, type PlanExtract } from "#agent/words/plan-extract.ts"
import type { NamedPlan } from "./phase.ts"
import { freeSlug } from "./slug.ts"

export function plansFolder(place: {
  readonly stateFolder: string
  readonly root: string
  readonly home: string
  readonly setting?: string | undefined
}): string {
  const own = join(place.stateFolder, "plans")
  const wanted = place.setting?.trim() ?? ""
  if (wanted === "" || wanted.includes("\0")) return own
  if (wanted === "~" || wanted.startsWith("~/")) return fit(join(place.home, wanted.slice(1)), own)
  if (isAbsolute(wanted)) return fit(resolve(wanted), own)
  const folder = resolve(place.root, wanted)
  return folder === place.root || folder.startsWith(`${place.root}/`) ? fit(folder, own) : own
}

/** Plans may be written without asking, so they must not be where a file is more than text. */
function fit(folder: string, otherwise: string): string {
  const names = folder.split("/")
  const isUnfit = names.some(
    (name, i) =>
      [".git", ".ssh", ".vscode", ".idea"].includes(name) ||
      ([".claude", ".codewright"].includes(name) && names[i + 1] !== "plans"),
  )
  return isUnfit ? otherwise : folder
}

/** A new plan with an unused name. */
export function namePlan({
  folder,
  files,
  ids,
}: {
  readonly folder: string
  readonly files: PlanFiles
  readonly ids: Ids
}): NamedPlan {
  const pathOf = (slug: string): string => join(folder, `${slug}.md`)
  const slug = freeSlug(ids, (candidate) => files.exists(pathOf(candidate)))
  return { slug, path: pathOf(slug) }
}

/** Whether a plan is in this folder, under its own name. */
export const isPlanOf = (folder: string, { slug, path }: NamedPlan): boolean =>
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug) && path === join(folder, `${slug}.md`)

/** A subagent's plan lies beside its session's. */
export function agentPlan(folder: string, slug: string, agentId: string): NamedPlan {
  const id = agentId.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 80)
  return { slug, path: join(folder, `${slug}-agent-${id}.md`) }
}

/** A fork continues with its own plan: a copy under a new name, and the entry that says so. */
export function forkPlan(
  plan: NamedPlan,
  parts: { readonly folder: string; readonly files: PlanFiles; readonly ids: Ids },
): Result<EntryBody & { kind: "plan" }, string> {
  const copy = namePlan(parts)
  const text = parts.files.read(plan.path)
  if (!text.ok) return text
  if (text.value !== undefined) {
    const written = parts.files.write(copy.path, text.value)
    if (!written.ok) return written
  }
  return ok({ kind: "plan", change: "named", ...copy })
}

export const digestOf = (plan: string): string => new Bun.CryptoHasher("sha256").update(plan).digest("hex")

const extractPath = (planPath: string): string => planPath.replace(/(?:\.md)?$/, ".json")

/** Stores what a plan says it will touch beside it, with the digest of its text. */
export function keepExtract(files: PlanFiles, { slug, path }: NamedPlan, plan: string): Result<void, string> {
  const extract = extractPlan(plan)
  if (!extract) return ok(undefined)
  const kept = { slug, digest: digestOf(plan), ...extract, details: planDetails(plan) }
  return files.write(extractPath(path), `${JSON.stringify(kept, undefined, 2)}\n`)
}

/** The extract of the text with this digest: from the plan if unchanged, otherwise as stored. */
export function extractOf(files: PlanFiles, path: string, digest: string): Result<PlanExtract | undefined, string> {
  const plan = files.read(path)
  if (plan.ok && plan.value !== undefined && digestOf(plan.value) === digest) return ok(extractPlan(plan.value))
  const kept = files.read(extractPath(path))
  if (!kept.ok || kept.value === undefined) return failed("the approved plan is not there any more")
  return keptExtract(kept.value, digest)
}

function keptExtract(text: string, digest: string): Result<PlanExtract, string> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null || !("digest" in value) || value.digest !== digest)
      return failed("what was extracted from the plan is of another text")
    const listOf = (name: string): readonly string[] => {
      const list: unknown = (value as { readonly [field: string]: unknown })[name]
      return Array.isArray(list) ? list.filter((one) => typeof one === "string") : []
    }
    return ok({
      create: listOf("create"),
      modify: listOf("modify"),
      commands: listOf("commands"),
      tests: listOf("tests"),
    })
  } catch {
    return failed("what was extracted from the plan cannot be read")
  }
}
