/** `--profile-startup`: where the time of a start went. */

export interface StartupProfile {
  readonly mark: (stage: string) => void
  /** One line for each stage so far. */
  readonly lines: () => readonly string[]
}

/** `sinceStart`: milliseconds since the process began. */
export function openStartupProfile(sinceStart: () => number): StartupProfile {
  const marks: { readonly stage: string; readonly at: number }[] = []
  return {
    mark: (stage) => void marks.push({ stage, at: sinceStart() }),
    lines() {
      const rows = marks.map(({ stage, at }, i) => [`${Math.round(at - (marks[i - 1]?.at ?? 0))} ms`, stage] as const)
      const wide = Math.max(...rows.map(([took]) => took.length))
      return [
        `Startup: ${Math.round(marks.at(-1)?.at ?? 0)} ms`,
        ...rows.map(([took, stage]) => `  ${took.padStart(wide)}  ${stage}`),
      ]
    },
  }
}
