// Walks through a session as opencode does, with a client like the documented one, and prints what the model gets.
const [plugin, worktree, oldText, newText] = process.argv.slice(2)
const { Holdfast } = await import(plugin)
const messages = []
const client = {
  session: {
    prompt: async ({ path, body }) => {
      if (path.id !== "s1" || body.noReply !== true) throw new Error("not a message without a reply")
      messages.push(body.parts[0].text)
    },
  },
}
const hooks = await Holdfast({ client, worktree, directory: worktree })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "s1" } } } })
const prompt = { parts: [{ type: "text", text: "Rename x" }] }
await hooks["chat.message"]({ sessionID: "s1" }, prompt)
const args = { filePath: `${worktree}/a.py`, oldString: oldText, newString: newText }
const result = { title: "a.py", output: "Done.", metadata: {} }
await hooks["tool.execute.after"]({ tool: "edit", sessionID: "s1", callID: "c1", args }, result)
const read = { title: "a.py", output: "Read.", metadata: {} }
await hooks["tool.execute.after"]({ tool: "read", sessionID: "s1", callID: "c2", args }, read)
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
const told = { messages, prompt: prompt.parts[0].text, edit: result.output, read: read.output }
// Without waiting for the time limits of programs that could not be started.
process.stdout.write(JSON.stringify(told), () => process.exit(0))
