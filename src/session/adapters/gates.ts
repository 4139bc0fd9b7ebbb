/** Gates over the ground: the kit, what decisions need to know of it, and the files that are reviewed. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Gates } from "#agent/words/gates.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { findRepository } from "#ground/workspace/git/git.ts"
import { type GitRefs, refsOf } from "#ground/workspace/git/git-refs.ts"
import { newFiles } from "#ground/workspace/new-files.ts"
import { type GatesKit, gatesKit, type TestEvidence } from "#kits/gates/kit.ts"
import type { ReviewFiles } from "#kits/gates/review.ts"
import { type GateRoom, isBeforeTests, isClarifying } from "#kits/gates/room.ts"
import { isTestFile, type TestChoice, testCommandTexts } from "#kits/gates/tests.ts"
import { unclearWords } from "#kits/gates/words.ts"
import { type GateStanding, isTestPath, isTestRun, testCommands, type TestPatterns } from "#kits/permissions/gates.ts"
import type { Permissions } from "#kits/permissions/kit.ts"
import { lazily } from "#lib/lazily.ts"
import { liesIn } from "#lib/lies-in.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Ground } from "./ground.ts"

/** Beyond this the files of a project are not compared around each command. */
const mostListed = 50_000

export interface GateParts extends Pick<SessionOptions, "testing"> {
  /** Those that are on now. */
  readonly gates: () => Gates
  readonly lineage: Lineage
  readonly ground: Pick<Ground, "workspace" | "folders" | "judged">
  readonly record: (body: EntryBody) => void
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  readonly permissions: () => Permissions
  readonly recordPlanMode: () => void
  /** The plan file, which is written without a review. */
  readonly planFile: () => string | undefined
}

export interface SessionGates {
  readonly kit: GatesKit
  /** The gates that are closed now, for decisions. */
  readonly standing: () => GateStanding
  /** Why no plan can be shown yet, in words for the model. */
  readonly unclear: () => string | undefined
}

export function openGates(parts: GateParts): SessionGates {
  const { lineage, record, ask } = parts
  const patterns = lazily(() => patternsOf(parts.testing ?? {}))
  const kit = gatesKit({
    agent: lineage.agent === undefined ? "main" : "sub",
    room: lineage.gates,
    gates: parts.gates,
    record,
    note: (fact) => record({ kind: "gate", ...fact }),
    ask,
    recordPlanMode: parts.recordPlanMode,
    files: reviewFiles(parts),
    refs: () => refsIn(parts),
    inspect: (call) => inspectTests(call, parts.permissions(), patterns()),
  })
  return {
    kit,
    standing: () => standingOf(kit.room, patterns),
    unclear: () => (isClarifying(kit.room) ? unclearWords : undefined),
  }
}

function standingOf(room: GateRoom, patterns: () => TestPatterns): GateStanding {
  const { clarify, git, testFirst } = room.gates
  if (!clarify && !git && !testFirst) return allOpen
  return {
    ...(isClarifying(room) && { clarifying: true }),
    ...(git && { git: true }),
    ...(isBeforeTests(room) && { tests: patterns() }),
  }
}

const allOpen: GateStanding = {}

const patternsOf = (testing: TestChoice): TestPatterns => ({
  isTest: (relative) => isTestFile(relative, testing),
  commands: testCommands(testCommandTexts(testing)),
})

async function inspectTests(call: Call, permissions: Permissions, patterns: TestPatterns): Promise<TestEvidence> {
  const judged = await permissions.judged(call)
  const isTest = (path: string): boolean => isTestPath(path, judged, patterns)
  const others = judged.writes.filter((path) => !isTest(path))
  const isRun = isTestRun(judged, patterns)
  return {
    tests: judged.writes.filter(isTest),
    // A command whose effects are not known may change anything.
    others: others.length > 0 || isRun || call.footprint.runs.length === 0 ? others : unbounded(judged),
    isTestRun: isRun,
  }
}

const unbounded = ({ commands }: Awaited<ReturnType<Permissions["judged"]>>): readonly string[] =>
  commands.flatMap(({ text, analysis }) =>
    analysis.understood && analysis.segments.every(({ verdict, unbounded: isOpen }) => verdict !== "other" && !isOpen)
      ? []
      : [text],
  )

/** The repository around the session's folder, which may have been made since. */
function refsIn({ ground }: GateParts): GitRefs | undefined {
  const found = findRepository(ground.judged.root)
  return found && refsOf(found.root)
}

function reviewFiles({ ground, planFile }: GateParts): ReviewFiles {
  const { workspace, folders, judged } = ground
  return {
    exists: newFiles.exists,
    content: newFiles.content,
    remove: newFiles.remove,
    async list(signal) {
      const paths = new Set<string>()
      for (const folder of folders.all()) {
        const found = await workspace.search.files({ folder, pattern: "**/*", most: mostListed, signal })
        if (!found.ok || found.value.paths.length >= mostListed) return undefined
        for (const path of found.value.paths) paths.add(path)
      }
      return paths
    },
    isOwn: (path) => path === planFile() || judged.own.some((folder) => liesIn(path, folder)),
    show: workspace.paths.show,
  }
}
