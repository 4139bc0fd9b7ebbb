/** The code of a system error, such as `ENOENT`; empty if it is none. */
export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")

/** Nothing is there, or a file is in place of its folder. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error))
