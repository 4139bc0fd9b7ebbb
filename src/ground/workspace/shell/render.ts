/** The parts of a command as a person reads them in a question: what runs, what each part does, what is at risk. */

import { revealed } from "#lib/printable.ts"
import type { Analysis, Segment } from "./analysis.ts"

/** One line of a question. */
export interface SegmentLine {
  /** As written, with invisible characters shown. */
  readonly text: string
  /** What is to be known about it, as the end of a sentence. */
  readonly note: string
  /** `free` needs no consent of its own, `consent` does, `danger` could not be taken back. */
  readonly weight: "free" | "consent" | "danger"
}

export function segmentLines(analysis: Analysis): readonly SegmentLine[] {
  return analysis.segments.filter(({ text }, i, all) => all.findIndex((each) => each.text === text) === i).map(lineOf)
}

function lineOf(segment: Segment): SegmentLine {
  const text = revealed(segment.text)
  if (segment.critical !== undefined) return { text, note: lowered(segment.critical), weight: "danger" }
  if (segment.destructive) return { text, note: segment.destructive.risk, weight: "danger" }
  if (segment.verdict === "read_only")
    return {
      text,
      note: segment.unbounded ? "it reads files that cannot be told before" : "it only reads",
      weight: segment.unbounded ? "consent" : "free",
    }
  return { text, note: segment.why ?? "it is not on the list of commands that only read", weight: "consent" }
}

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "")
