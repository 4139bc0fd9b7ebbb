import { expect, test } from "bun:test"
import { looksLikePrompt } from "#kits/background/waiting.ts"

test.each([
  "Continue? [y/N] ",
  "Overwrite the file (yes/no)?\n",
  "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
  "[sudo] password for me: ",
  "Enter passphrase for key '/home/me/.ssh/id': ",
  "Password:",
  "Username for 'https://example.org': ",
  "? Which template would you like to use\n❯ ",
  ">>> ",
  "mysql> ",
  "done.\nproject name: (app) Is this OK?\n",
  "Press ENTER to continue\n",
  "\u001b[32mProceed\u001b[0m (Y/n) \u001b[0m",
  "package name:",
])("waits: %j", (recent) => {
  expect(looksLikePrompt(recent)).toBe(true)
})

test.each([
  "",
  "\n\n",
  "Listening on http://localhost:3000\n",
  "Compiled with warnings:\n",
  "  ➜  press h + enter to show help\n",
  "Resetting the password table\n",
  "Building 45%",
  "<html>\n",
  "What now? Nothing.\n",
  "tests: 4 passed\n",
])("does not wait: %j", (recent) => {
  expect(looksLikePrompt(recent)).toBe(false)
})
