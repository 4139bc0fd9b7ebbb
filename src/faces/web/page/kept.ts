/** A choice that this browser remembers. */

import { useEffect, useState } from "react"

/** The first one until somebody chose. */
export function useKept<Choice extends string>(
  key: string,
  choices: readonly [Choice, ...Choice[]],
): readonly [Choice, (choice: Choice) => void] {
  const [choice, setChoice] = useState(() => choices.find((each) => each === kept(key)) ?? choices[0])
  useEffect(() => keep(key, choice), [key, choice])
  return [choice, setChoice]
}

/** Browsers may forbid to keep anything. */
function kept(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // Then it holds until the page is closed.
  }
}
