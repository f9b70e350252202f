// Written by `holdfast install`.
// Runs `holdfast hook` at the events of a session and passes its text on to the model. Whatever goes wrong, the
// session goes on as if this plugin were not there.
import { spawn } from "node:child_process"

const PROGRAM = "holdfast"
const MILLISECONDS = 15000

function hook(event, payload) {
  return new Promise((resolve) => {
    const child = spawn(PROGRAM, ["hook", event, "--client", "opencode"], {
      cwd: payload.directory,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: MILLISECONDS,
    })
    let text = ""
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (text += data))
    child.on("close", () => resolve(text.trim()))
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Holdfast = async ({ client, worktree, directory }) => {
  const root = worktree && worktree !== "/" ? worktree : directory
  const tell = async (event, sessionID, more = {}) => {
    const text = await hook(event, { sessionID, directory: root, ...more })
    if (text) {
      const body = { noReply: true, parts: [{ type: "text", text }] }
      await client.session.prompt({ path: { id: sessionID }, body }).catch(() => {})
    }
  }
  return {
    event: async ({ event }) => {
      const properties = event.properties ?? {}
      if (event.type === "session.created") await tell("session-start", properties.info?.id ?? properties.sessionID)
      if (event.type === "session.compacted") await tell("session-start", properties.sessionID, { source: "compact" })
      if (event.type === "session.idle") await tell("stop", properties.sessionID)
    },
    "chat.message": async (input, output) => {
      const text = await hook("prompt", { sessionID: input.sessionID, directory: root })
      const part = output.parts.find((each) => each.type === "text")
      if (text && part) part.text += `\n\n${text}`
    },
    "tool.execute.after": async (input, output) => {
      if (!["edit", "write", "patch", "multiedit", "apply_patch"].includes(input.tool)) return
      const text = await hook("after-edit", { ...input, directory: root })
      if (text) output.output += `\n\n${text}`
    },
  }
}
