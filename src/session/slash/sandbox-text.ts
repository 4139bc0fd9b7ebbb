/** The sandbox as text: its state, its policy line by line, and how to change it. */

import type { NetworkPolicy, Policy, PolicyLine } from "#ground/sandbox/policy.ts"
import { counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { aligned } from "#lib/rows.ts"
import { tilde } from "#lib/tilde.ts"
import type { SandboxOverview } from "#session/port/sandbox-overview.ts"

export const sandboxText = (overview: SandboxOverview): string =>
  [...sandboxSections(overview), [changeLine(overview)]].map((part) => part.join("\n")).join("\n\n")

/** The state, then one part for each thing that is enforced, with its title in the first line. */
export function sandboxSections(overview: SandboxOverview): readonly (readonly string[])[] {
  const { policy, hiddenHere, notes, home } = overview
  const missing = policy.hidden.length - hiddenHere.length
  const rows = (lines: readonly PolicyLine[]): readonly string[] =>
    aligned(lines.map(({ path, because }) => [forConsent(tilde(path, home)), forConsent(because)]))
  const temp: PolicyLine = { path: policy.temp.folder, because: tempWords(policy.temp.asTmp) }
  return [
    [stateLine(overview), ...programsLine(overview)],
    section("Writable", rows([...policy.writes, temp])),
    section("Read-only inside", rows(policy.held)),
    section("Replaced by a private folder", rows(policy.replaced ?? [])),
    section("Hidden", [
      ...rows(hiddenHere),
      ...(missing > 0 ? [`${counted(missing, "more secret location")}, not present here`] : []),
    ]),
    section("Readable inside what is hidden", rows(policy.shown ?? [])),
    section("Removed from the environment", removedLines(policy)),
    section("Usable without being seen, at these hosts", credentialRows(policy, home)),
    section("Network", networkLines(policy.network)),
    section("Limits", [
      `${policy.limits.processes} processes, ${(policy.limits.memoryBytes / 2 ** 30).toFixed(1)} GiB of memory`,
    ]),
    section("Not enforced", notes.map(forConsent)),
  ].filter((part) => part.length > 0)
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function stateLine({ enabled, autoAllow, works, backend, why, fix }: SandboxOverview): string {
  const state = enabled ? (autoAllow ? "on, with auto-allow" : "on") : "off"
  if (!works) return forConsent(`Sandbox: ${state}. It ${enabled ? "does" : "would"} not work here: ${why}. ${fix}`)
  const reads = enabled ? "" : " Commands that only read are confined anyway."
  return `Sandbox: ${state}. ${backend === "seatbelt" ? "Seatbelt" : "bubblewrap"} works here.${reads}`
}

function programsLine({ hooks, mcp }: SandboxOverview): readonly string[] {
  const confined = [...(hooks ? ["command hooks"] : []), ...(mcp ? ["MCP servers over stdio"] : [])]
  return confined.length === 0 ? [] : [`Also confined: ${confined.join(" and ")}.`]
}

function removedLines({ withoutVariables, credentials = [] }: Policy): readonly string[] {
  const usable = new Set(credentials.flatMap(({ from }) => (from.kind === "variable" ? [from.name] : [])))
  const { names: all, except } = withoutVariables ?? { names: [], except: [] }
  const names = all.filter((name) => !usable.has(name))
  if (names.length === 0) return []
  const kept = except.length === 0 ? "" : `, but not ${except.map(forConsent).join(", ")}`
  return [`${names.length} known credentials, such as AWS_ACCESS_KEY_ID and VAULT_TOKEN${kept}`]
}

/** Known variables are many, and most of them are not set: they make one line. */
function credentialRows({ credentials = [] }: Policy, home: string): readonly string[] {
  const [known, others] = [true, false].map((isKnown) =>
    credentials.filter(
      ({ from, because }) => (from.kind === "variable" && because === "a known credential") === isKnown,
    ),
  )
  return [
    ...aligned(
      (others ?? []).map(({ from, hosts, because }) => [
        forConsent(from.kind === "variable" ? from.name : tilde(from.path, home)),
        forConsent(hosts?.join(", ") ?? "the hosts that it names"),
        forConsent(because),
      ]),
    ),
    ...(known && known.length > 0
      ? [`${known.length} known credentials, each at its own hosts, such as GITHUB_TOKEN at github.com`]
      : []),
  ]
}

const tempWords = (asTmp: boolean): string =>
  asTmp ? "temporary files of the session; /tmp and /var/tmp inside" : "temporary files of the session"

function networkLines(network: NetworkPolicy): readonly string[] {
  if (network.mode === "off") return [forConsent(`off: ${network.because}`)]
  const hosts = (word: string, lines: typeof network.allowed): readonly (readonly string[])[] =>
    lines.map(({ host, because }) => [word, forConsent(host), forConsent(because)])
  return [
    ...aligned([
      ...hosts("allowed", network.allowed),
      ...hosts("denied", network.denied),
      ...network.unixSockets.map(({ path, because }) => ["socket", forConsent(path), forConsent(because)]),
    ]),
    otherHosts(network.others, network.allowed.length + network.denied.length > 0),
  ]
}

const otherHosts = (others: "ask" | "deny", areSomeNamed: boolean): string =>
  others === "ask"
    ? `You are asked about ${areSomeNamed ? "other hosts" : "each host"}.`
    : `${areSomeNamed ? "Other" : "All"} hosts are denied.`

const changeLine = ({ enabled }: SandboxOverview): string =>
  `To turn it ${enabled ? "off" : "on"} for new sessions: /config sandbox, or codewright config set sandbox.enabled ${!enabled}`
