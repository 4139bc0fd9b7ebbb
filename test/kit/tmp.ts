/** Folders for tests, removed afterwards. */

import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TemporaryFolder extends Disposable {
  readonly path: string
  readonly join: (...parts: string[]) => string
}

/** All that the tests of one file have made, and whether it was to be gone before their end. */
const made = new Map<string, "for one test" | "for the file">()

/** A folder for one test, among the temporary files unless another place is named. */
export function temporaryFolder(place?: string): TemporaryFolder {
  const path = make("for one test", place)
  return {
    path,
    join: (...parts) => join(path, ...parts),
    [Symbol.dispose]: () => remove(path),
  }
}

/** A folder that is there until all tests of the file are done. */
export const lastingFolder = (place?: string): string => make("for the file", place)

function make(term: "for one test" | "for the file", place: string = tmpdir()): string {
  const path = realpathSync(mkdtempSync(join(place, "codewright-")))
  made.set(path, term)
  return path
}

/** The watchdog of a session that was closed removes its own folder meanwhile, and Bun stops where something is gone already. */
function remove(path: string): void {
  for (let tries = 0; tries < 50 && existsSync(path); tries++) {
    if (tries > 0) Bun.sleepSync(10)
    rmSync(path, { recursive: true, force: true })
  }
}

/** After each test file, by `each-file.ts`: removes what is left, and fails what should have removed it. */
export function removeLeft(): void {
  const left = [...made].filter(([path]) => existsSync(path))
  made.clear()
  for (const [path] of left) remove(path)
  const forgotten = left.flatMap(([path, term]) => (term === "for one test" ? [path] : []))
  if (forgotten.length > 0)
    throw new Error(
      `Tests of ${Bun.main} left folders behind (they are removed now): ${forgotten.join(", ")}. ` +
        "Hold each with `using`, and end whatever still writes into it before that.",
    )
}
