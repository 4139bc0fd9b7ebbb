/** Skills that the model loads on its own when they fit the task. */

import type { BundledCommand } from "./bundled.ts"

const debugging: BundledCommand = {
  name: "debugging",
  description: "Find the cause of a bug, a failing test or a crash that is not obvious",
  whenToUse: "Use it when a first look did not explain the failure, or a repair did not help.",
  body: `Find the cause before you change anything.

1. Make it happen. Get the smallest command that shows the failure, and note exactly what it prints. If it comes and goes, run it often enough to know how often, and look for time, order, chance, or state left by other runs.
2. Write down what is known: what happens, what should, since when (\`git log\`, \`git bisect\`), where it works and where not.
3. State one cause that would explain all of it, and what else would then be true. Test that, with a print, an assertion, a debugger, a smaller input; change one thing at a time. If it is not true, say so and take the next.
4. Halve the distance: find the last place where everything is still right and the first where it is not. Read the code in between line by line; do not read what is not there into it.
5. When you know the cause, explain every symptom with it. What it does not explain is a second bug.
6. Write a test that fails for this reason. Repair the cause, not the place where it showed. Look for the same mistake elsewhere.
7. Run the test, then the whole suite. Take out everything you put in to look.

After three suspicions that were wrong, stop and list what you know, what you ruled out, and what you would look at with more access; ask the user.
Never make a failure go away with a wait, a retry, a wider tolerance or a skipped test unless that is the cause.
`,
}

const writingASkill: BundledCommand = {
  name: "writing-a-skill",
  description: "Write or improve a skill, a slash command or an output style for this program",
  body: `A skill is a folder with a SKILL.md; its name is the folder's. For one project: .codewright/skills/<name>/ (or .claude/skills). For the user everywhere: ~/.codewright/skills/<name>/. A slash command is one file, .codewright/commands/<name>.md; a sub-folder becomes a prefix, \`sub:name\`. An output style is .codewright/output-styles/<name>.md.

The head, between two lines of dashes:
- description: what it is for and when it is wanted, in words the user would use. It is all that is seen until it is loaded, so it decides whether it is ever used. One or two sentences.
- when_to_use, argument-hint, arguments (names for the words behind it), paths (globs: named only when such files are touched).
- allowed-tools: rules such as Bash(git add:*), which hold for that turn only. As few and as narrow as will do.
- model; context: fork with agent, for work whose details should not fill the conversation.
- disable-model-invocation: true, where only the user may start it. user-invocable: false, where only the model may.

The text:
- Instructions to someone able who does not know this project: the steps, what is decided and must not be asked again, how to check the result, when to stop. Say why where it is not plain. No motivation, no repetition of what every agent does anyway.
- Under 200 lines. Long tables, examples and scripts go into files beside it; name each with when to read it. They are loaded only then.
- $ARGUMENTS is what was typed behind the name, $1, $2 its words. \`!\` before a command in backquotes runs it first and puts its output there; @path brings in a file.

Then try it: start it on a real case, see where the result differs from what was meant, and change the words there. Remove every sentence without which the result is the same.
`,
}

const webAppTesting: BundledCommand = {
  name: "web-app-testing",
  description: "Test a web app in a real browser",
  whenToUse: "Use it to see a page, check a change in the interface, or reproduce a bug that shows only in a browser.",
  body: `See the application work; do not conclude from the code that it does.

1. Find out how it is started (manifest, README) and whether it runs already. If not, start it in the background, and wait until its address answers before you go on. Note the port.
2. Take the browser that is there, in this order: the project's own tests (Playwright, Cypress); tools of a browser server, if some are offered; Playwright by a script of your own. Ask before you install anything.
3. Write the script to a temporary folder, not into the project: open the page, collect console messages, failed requests and exceptions from the beginning, and wait for what should appear, never for a time.
   \`page.on("console", ...)\`, \`page.on("pageerror", ...)\`, \`page.on("requestfailed", ...)\`, \`await expect(page.getByRole(...)).toBeVisible()\`.
4. Look first: take a picture (\`page.screenshot\`) and read it, and print the accessible tree or the text of the part in question. Find elements by role and name, as a person does, not by the classes of the style sheet.
5. Go through what the task is about as a user would, step by step; check after each step what should have changed, on the page and behind it (the request, the database, the file).
6. Try what people do: an empty field, a wrong value, a double click, going back, a narrow window, the keyboard alone.
7. Report what you did, what you saw, with pictures where they help, and every error of the console even where the page looked fine. Write a test in the project's own manner when the task asks for one.

Stop what you started, and remove your temporary files.
`,
}

export const craft: readonly BundledCommand[] = [debugging, writingASkill, webAppTesting]
