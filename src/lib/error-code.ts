/** The code of a system error, such as `ENOENT`; empty if it is none. */
export const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")
