/** What a user is told about a log that is not whole. */

export const damagedNote = (line: number, isPartlyKept: boolean): string =>
  `Line ${line} of the session ${isPartlyKept ? "is damaged; what is whole in it was kept" : "is damaged and was skipped"}.`

export const missingNote = (line: number): string =>
  `Entries are missing before line ${line} of the session. The conversation continues after them.`
