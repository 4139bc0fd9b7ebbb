/** How executables are built: the program itself, and those that tests make of parts of it. */

export const howToBuild: readonly string[] = [
  "build",
  "--compile",
  "--bytecode",
  "--minify",
  "--splitting",
  "--format=esm",
  // The page of `serve` would otherwise bring the development version of its library along.
  '--define=process.env.NODE_ENV="production"',
  // What only runs while a session opens is not worth compiling: see src/faces/cli/start.ts.
  "--compile-jit-policy=4",
  // A repository one works in must not be able to change the program by a file in it.
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
]
