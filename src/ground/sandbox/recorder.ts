/**
 * Records what commands change outside the sandbox: our helper saves each state before a system call changes it. Whether
 * that is possible here is found out by recording a small command.
 */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { lazily } from "#lib/lazily.ts"
import type { Enclosable } from "./port.ts"
import { recordingFlags, type RecordingPlace } from "./recording.ts"

export interface Recorder {
  /** Whether a command can be recorded, inside the sandbox or outside. */
  readonly covers: (command: string) => Promise<boolean>
  /** Undefined where nothing can be recorded. */
  readonly wrap: <P extends Enclosable>(program: P, place: RecordingPlace) => Promise<P | undefined>
}

export interface RecorderOptions {
  readonly platform: string
  readonly confine: (() => Promise<string | undefined>) | undefined
  /** For the trial; made when needed. */
  readonly folder: string
}

export function openRecorder({ platform, confine, folder }: RecorderOptions): Recorder {
  const helper = lazily(async () => (platform === "linux" ? confine?.().catch(() => undefined) : undefined))
  const works = lazily(async () => {
    const file = await helper()
    return file !== undefined && (await tried(file, folder))
  })
  return {
    async covers(command) {
      if (platform !== "linux" || (needsPrivileges(command) && !isRoot())) return false
      return works()
    },
    async wrap(program, place) {
      const file = await helper()
      if (file === undefined) return undefined
      const argv = ["record", ...recordingFlags(place), "--", program.file, ...program.argv]
      return { ...program, file, argv }
    },
  }
}

/** Records a shell that makes a file, and looks for it in the journal. */
async function tried(helper: string, folder: string): Promise<boolean> {
  let top: string | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    top = realpathSync.native(mkdtempSync(join(folder, "trial-")))
    const [journal, root] = [join(top, "journal"), join(top, "root")]
    for (const made of [journal, root]) mkdirSync(made)
    const flags = recordingFlags({ folder: journal, roots: [root], except: [], copiedBytes: 1000 })
    const child = Bun.spawn([helper, "record", ...flags, "--", "/bin/sh", "-c", ": > made"], {
      cwd: root,
      env: {},
      stdio: ["ignore", "ignore", "ignore"],
    })
    const code = await child.exited
    return code === 0 && readFileSync(join(journal, "records"), "utf8").includes(`\na\0${root}/made\0`)
  } catch {
    return false
  } finally {
    if (top !== undefined) rmSync(top, { recursive: true, force: true })
  }
}

const isRoot = (): boolean => process.geteuid?.() === 0

/**
 * Programs that need privileges of their own. For anyone but root the kernel records only programs that promise never to
 * gain any.
 */
const privileged =
  /(?:^|[^\w-])(?:sudo|su|doas|pkexec|run0|ping6?|traceroute|mtr|mount|umount|fusermount3?|sshfs|newuidmap|newgidmap|podman|buildah|apptainer|singularity|passwd|chsh|chfn|newgrp|sg|crontab|at|batch|snap|flatpak)(?:$|[^\w-])/

const needsPrivileges = (command: string): boolean => privileged.test(command)
