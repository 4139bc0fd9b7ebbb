/** What a call does in plain words, and its risks as short phrases: both follow from the analysis alone. */

import type { Display } from "#agent/words/display.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { fetchOf } from "#ground/workspace/shell/programs/fetching.ts"
import { programName } from "#ground/workspace/shell/programs/launchers.ts"
import { hostOf, type JudgedCall } from "./call.ts"
import { gitWorkOf } from "./git-work.ts"
import { leaving } from "./leaving.ts"
import { outgoingOf } from "./outgoing.ts"
import { isFreeToRead } from "./parts.ts"
import { isInside } from "./paths.ts"
import { protectedChange } from "./protected-changes.ts"
import { named, partWords, startsIn } from "./question-words.ts"
import { shown } from "./say.ts"

const mostParts = 5

/** What it does, part by part, and then why it is asked. */
export function explanationOf(call: JudgedCall, display: Display | undefined, why: string | undefined): string {
  return [...describeEffects(call, display), ...(why === undefined ? [] : [why])]
    .filter((sentence, i, all) => all.indexOf(sentence) === i)
    .join(" ")
}

function describeEffects(call: JudgedCall, display: Display | undefined): readonly string[] {
  const { tool, footprint, commands } = call
  if (commands.some(({ analysis }) => !analysis.understood)) return ["This command is too complex to check."]
  const segments = commands.flatMap(({ analysis }) => analysis.segments)
  if (segments.length > 0) {
    const more = segments.length - mostParts
    return [
      ...segments.slice(0, mostParts).map((segment) => {
        const started = segments.find((other) => startsIn(segment, other))
        return `${named(segment)} ${started ? `runs ${named(started)}` : describeSegment(segment, call)}.`
      }),
      ...(more > 0 ? [`${more} more ${more === 1 ? "part follows" : "parts follow"}.`] : []),
    ]
  }
  if (footprint.writes.length > 0) {
    const verb = display?.kind === "diff" && display.created ? "Creates" : "Changes"
    return [`${verb} ${footprint.writes.map((path) => shown(path, call)).join(", ")}.`]
  }
  if (footprint.reaches.length > 0)
    return [`Reaches ${footprint.reaches.map((address) => hostOf(address) ?? address).join(", ")}.`]
  const server = serverOf(tool.name)
  if (server !== undefined) return [`Calls the tool ${server.tool} of the MCP server ${server.name}.`]
  const outside = call.reads.filter((path) => !isFreeToRead(path, call))
  return outside.length > 0 ? [`Reads ${outside.join(", ")}.`] : []
}

function describeSegment(segment: Segment, call: JudgedCall): string {
  if (segment.destructive) return segment.destructive.risk
  if (deletes(segment)) return "deletes files"
  const out = outgoingOf(segment)
  if (out !== undefined) return out
  return partWords(segment, call)
}

function serverOf(name: string): { readonly name: string; readonly tool: string } | undefined {
  const [mark, server, ...tool] = name.split("__")
  return mark === "mcp" && server !== undefined ? { name: server, tool: tool.join("__") } : undefined
}

/** The phrases, gravest first. */
export function risksIn(call: JudgedCall): readonly string[] {
  const { commands, footprint, workspace, forms, writes, reads, tool } = call
  const segments = commands.flatMap(({ everything }) => everything)
  const inside = [workspace.root, ...workspace.added, ...workspace.own]
  const git = gitWorkOf(call)
  const has = (test: (segment: Segment) => boolean): boolean => segments.some(test)
  const rows: readonly (readonly [boolean, string])[] = [
    [has((segment) => outgoingOf(segment) !== undefined), "Sends something to another machine"],
    [has(deletes), "Deletes files"],
    [git?.history === true, "Rewrites history"],
    [git?.isCertain === true, "Changes the git repository"],
    [protectedChange(call, "bypassPermissions") !== undefined, "Changes a protected file"],
    [writes.some((path) => !isInside(path, inside, forms)), "Writes outside this folder"],
    [reads.some((path) => !isFreeToRead(path, call)), "Reads outside this folder"],
    [has(({ fetched }) => fetched !== undefined), "Runs downloaded code"],
    [
      has(({ argv, wrappers }) => [argv[0] ?? "", ...wrappers].some((word) => raising.has(programName(word)))),
      "Runs as another user",
    ],
    [footprint.reaches.length > 0 || git?.remote === true || has(reachesOut), "Reaches the network"],
    [leaving(call) !== undefined, "Runs outside the sandbox"],
    [commands.some(({ analysis }) => !analysis.understood), "Cannot be checked before it runs"],
    [runsUnknown(call), "Runs a program that is not known"],
    [serverOf(tool.name) !== undefined && footprint.effect !== "reads", "Only its server knows what it does"],
  ]
  return rows.flatMap(([applies, phrase]) => (applies ? [phrase] : []))
}

const removers: ReadonlySet<string> = new Set("rm rmdir unlink shred srm wipe trash".split(" "))

function deletes({ argv, destructive }: Segment): boolean {
  const [name = "", verb = ""] = argv
  const program = programName(name)
  if (removers.has(program)) return true
  if (program === "find") return argv.includes("-delete")
  if (program === "git") return verb === "clean" || verb === "rm"
  return destructive?.loses === "files" && program !== "chmod" && program !== "chown" && program !== "chgrp"
}

const raising: ReadonlySet<string> = new Set("sudo doas su pkexec runuser".split(" "))

const connecting: ReadonlySet<string> = new Set(
  "ssh scp sftp rsync nc ncat netcat telnet dig nslookup host ping docker podman kubectl helm terraform aws gcloud az gh glab hub brew apt apt-get dnf yum pacman apk npx pipx uvx".split(
    " ",
  ),
)
/** Package managers reach out with these verbs, or with none. */
const packagers: { readonly [program: string]: RegExp } = {
  npm: /^(?:i|install|ci|add|update|up|publish|exec|create|init|audit|view|info)$/,
  pnpm: /^(?:i|install|add|update|up|publish|dlx|create)$/,
  yarn: /^(?:|install|add|up|upgrade|publish|dlx|create)$/,
  bun: /^(?:i|install|add|update|x|create|publish)$/,
  pip: /^(?:install|download)$/,
  pip3: /^(?:install|download)$/,
  uv: /^(?:sync|add|pip|tool|run)$/,
  poetry: /^(?:install|add|update|publish)$/,
  cargo: /^(?:install|add|publish|fetch|update)$/,
  go: /^(?:get|install|mod)$/,
  gem: /^(?:install|push|update)$/,
  bundle: /^(?:|install|update)$/,
  composer: /^(?:install|require|update)$/,
}

function reachesOut({ argv }: Segment): boolean {
  const [name = "", ...rest] = argv
  const program = programName(name)
  if (fetchOf(argv) || connecting.has(program)) return true
  const verb = rest.find((word) => !word.startsWith("-")) ?? ""
  return Object.hasOwn(packagers, program) && packagers[program]?.test(verb) === true
}

/** What people who write programs have on their machines. */
const usual: ReadonlySet<string> = new Set(
  "ant awk bash biome black bundle bun cargo chmod chown clang cmake composer cp ctest dart deno docker dotnet echo elixir env eslint flutter g++ gcc gem gh git go gofmt gradle gradlew helm java javac jest jq kill kubectl ln make mix mkdir mocha mv mvn mvnw mypy ninja node npm npx nx oxlint perl phpunit php pip pip3 playwright pnpm podman poetry prettier psql pytest python python3 rake rm rsync ruby ruff rustc rustfmt sed sh sleep sqlite3 swift tar tee terraform timeout touch truncate tsc tsx turbo unzip uv vite vitest webpack wget curl xargs yarn zig zip find export cd set unset test true false".split(
    " ",
  ),
)

/** What is behind a launcher is partly guessed, and does not count. */
const runsUnknown = ({ commands }: JudgedCall): boolean =>
  commands.every(({ analysis }) => analysis.understood) &&
  commands.some(({ analysis }) => analysis.segments.some(isUnknown))

function isUnknown({ argv, verdict, text }: Segment): boolean {
  const [name = ""] = argv
  if (verdict !== "other" || text === "") return false
  return name !== "" && (name.includes("/") || !(usual.has(name) || connecting.has(name) || raising.has(name)))
}
