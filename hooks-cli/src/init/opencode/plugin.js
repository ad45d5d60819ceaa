// Each event of OpenCode goes to `hooks run`, and its answer is obeyed. Without a valid answer, the call is denied.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

// `hooks run` denies before this time.
const PATIENCE = 30_000

// An answer of the model that is counted. Nothing can be denied there, and exit code 1 is a warning.
const STEP = "message.part.updated"

export const Hooks = async ({ client, directory }) => {
  const ask = (event, fields) =>
    new Promise((resolve, reject) => {
      const failed = (why) => reject(new Error(`hooks failed, so this is denied: ${why}`))
      const options = { shell: true, cwd: directory, windowsHide: true, detached: process.platform !== "win32" }
      const child = spawn(LINES[event], options)
      const timer = setTimeout(() => {
        failed("no answer in time")
        try {
          process.kill(-child.pid, "SIGKILL")
        } catch {
          child.kill("SIGKILL")
        }
      }, PATIENCE)
      let [out, err] = ["", ""]
      child.stdout.setEncoding("utf8").on("data", (text) => (out += text))
      child.stderr.setEncoding("utf8").on("data", (text) => (err += text))
      child.on("error", (error) => failed(error.message))
      // A program that ended early reads nothing.
      child.stdin.on("error", () => {})
      child.on("close", (code) => {
        clearTimeout(timer)
        if (event === STEP && (code === 0 || code === 1)) return resolve({})
        if (code !== 0) return failed(err.trim() || `exit code ${code}`)
        let answer
        try {
          answer = JSON.parse(out)
        } catch {
          return failed("its answer is not JSON")
        }
        if (answer?.hook_event_name !== event) return failed("its answer is not one to this event")
        if (answer.decision !== undefined) return reject(new Error(answer.reason || "hooks denied this"))
        resolve(answer)
      })
      child.stdin.end(JSON.stringify({ hook_event_name: event, cwd: directory, ...fields }) + "\n")
    })

  // The parent of a session, and the agent of each session that has one.
  const parents = new Map()
  const agents = new Map()
  const sessionOf = async (id) => {
    if (!parents.has(id)) {
      const found = await client.session.get({ path: { id } })
      if (!found.data) throw new Error("hooks failed, so this is denied: the session is unknown")
      parents.set(id, found.data.parentID)
    }
    const parent = parents.get(id)
    const agent = parent && agents.get(id)
    return { session_id: id, ...(parent && { parent_session_id: parent }), ...(agent && { agent }) }
  }

  // Answers of the model that are being counted. The next call waits for them, and is denied if one could not be counted.
  let counted = []
  const models = new Map()
  const count = async (part) => {
    const { input, output, reasoning, cache } = part.tokens
    await ask(STEP, {
      ...(await sessionOf(part.sessionID)),
      model: models.get(part.sessionID) ?? "",
      tokens: {
        input: input + cache.read + cache.write,
        output: output + reasoning,
        reasoning,
        cached: cache.read,
      },
      cost: part.cost,
    })
  }
  const called = async (event, input, args, more) => {
    const all = counted
    try {
      await Promise.all(all)
    } finally {
      // Calls that waited for one that failed are denied, and later ones are not.
      counted = counted.filter((one) => !all.includes(one))
    }
    const call = { tool_name: input.tool, tool_input: args, tool_use_id: input.callID }
    return ask(event, { ...(await sessionOf(input.sessionID)), ...call, ...more })
  }
  const replace = (object, by) => {
    for (const key of Object.keys(object)) if (!(key in by)) delete object[key]
    Object.assign(object, by)
  }

  // A file that the message has, although no tool read it: judged as if the agent had read it.
  const attached = async (message, part, texts) => {
    const url = part.source?.path ?? part.url
    const filePath = url?.startsWith("file:") ? fileURLToPath(url) : (part.source?.path ?? part.filename ?? "")
    const input = { tool: "read", sessionID: message.sessionID, callID: part.id }
    await called("tool.execute.before", input, { filePath })
    for (const text of texts) {
      const tool_response = { output: text.text }
      const answer = await called("tool.execute.after", input, { filePath }, { tool_response })
      if (answer.tool_response) text.text = answer.tool_response.output
    }
  }

  const submitted = async (message, parts) => {
    agents.set(message.sessionID, message.agent)
    models.set(message.sessionID, message.model?.modelID)
    const texts = parts.filter((part) => part.type === "text" && !part.synthetic)
    const prompt = texts.map((part) => part.text).join("\n")
    const answer = await ask("chat.message", { ...(await sessionOf(message.sessionID)), prompt })
    const added = parts.filter((part) => part.type === "text" && part.synthetic)
    for (const part of parts.filter((part) => part.type === "file")) await attached(message, part, added)
    if (answer.prompt !== undefined) {
      if (texts.length === 0) throw new Error("hooks failed, so this is denied: the message has no text to change")
      texts.forEach((part, at) => (part.text = at === 0 ? answer.prompt : ""))
    }
    if (answer.context) {
      const ids = { id: `${parts.at(-1)?.id ?? "prt_"}hooks`, sessionID: message.sessionID, messageID: message.id }
      parts.push({ ...ids, type: "text", text: answer.context, synthetic: true })
    }
  }

  return {
    event: async ({ event }) => {
      const part = event.properties?.part
      if (event.type !== STEP || part?.type !== "step-finish") return
      const count_of_it = count(part)
      count_of_it.catch(() => {})
      counted.push(count_of_it)
    },
    "chat.message": async (_, { message, parts }) => {
      // OpenCode itself shows no reason why a message is not sent.
      const show = (error) => client.tui.showToast({ body: { message: error.message, variant: "error" } }).catch(() => {})
      await submitted(message, parts).catch(async (error) => {
        await show(error)
        throw error
      })
    },
    "tool.execute.before": async (input, output) => {
      const answer = await called("tool.execute.before", input, output.args)
      // OpenCode runs the call with the same object.
      if (answer.tool_input) replace(output.args, answer.tool_input)
    },
    "tool.execute.after": async (input, output) => {
      const { attachments, ...tool_response } = output
      const answer = await called("tool.execute.after", input, input.args, { tool_response })
      if (answer.tool_response) Object.assign(output, answer.tool_response)
      if (!answer.context) return
      if (Array.isArray(output.content)) output.content.push({ type: "text", text: answer.context })
      else output.output = `${output.output}\n${answer.context}`
    },
  }
}
