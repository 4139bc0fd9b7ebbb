/** The system's C library, for the few calls the runtime lacks; not known on every system. */
export function systemLibrary(): string | undefined {
  return libraries[process.platform]
}

const libraries: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib",
}
