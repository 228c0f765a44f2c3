// A client on the official TypeScript SDK. It takes one JSON object as its argument:
//   sdk: the SDK's main module, command: the agent's command line, cwd: the workspace,
//   load: a session to go on with, prompts: [{ text, decide: "allow_once" | "reject_once", cancel: bool }]
// and prints one: what initialize and new or load answered, and for each prompt how it ended.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const order = JSON.parse(process.argv[2]);
const { client, methods, ndJsonStream, PROTOCOL_VERSION } = await import(pathToFileURL(order.sdk));

const [program, ...args] = order.command;
const agent = spawn(program, args, { cwd: order.cwd, stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

const updates = [];
const asked = [];
let now = {};
let onUpdate = () => {};

const app = client({ name: "tests" })
  .onNotification(methods.client.session.update, ({ params }) => {
    updates.push(params.update);
    onUpdate(params);
  })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    asked.push(params.toolCall.title);
    const option = params.options.find((one) => one.kind === now.decide);
    return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
  });

const told = await app.connectWith(stream, async (ctx) => {
  const found = { turns: [] };
  found.hello = await ctx.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "typescript-sdk", version: "1" },
  });
  const where = { cwd: order.cwd, mcpServers: [] };
  if (order.load) {
    found.session = await ctx.request(methods.agent.session.load, { sessionId: order.load, ...where });
    found.sessionId = order.load;
  } else {
    found.session = await ctx.request(methods.agent.session.new, where);
    found.sessionId = found.session.sessionId;
  }
  found.replayed = updates.splice(0);
  const sessionId = found.sessionId;
  for (now of order.prompts) {
    onUpdate = ({ update }) => {
      if (now.cancel && update.toolCallId && update.status === "in_progress") {
        now.cancel = false;
        void ctx.notify(methods.agent.session.cancel, { sessionId });
      }
    };
    const prompt = [{ type: "text", text: now.text }];
    const answer = await ctx.request(methods.agent.session.prompt, { sessionId, prompt });
    found.turns.push({ stop: answer.stopReason, asked: asked.splice(0), updates: updates.splice(0) });
  }
  const listed = await ctx.request(methods.agent.session.list, { cwd: order.cwd });
  found.listed = listed.sessions.map((one) => one.sessionId);
  found.refused = await ctx
    .request(methods.agent.session.load, { sessionId: "nowhere", ...where })
    .then(() => null, (error) => error.code);
  return found;
});

agent.stdin.end();
told.exit = await new Promise((resolve) => agent.once("exit", resolve));
console.log(JSON.stringify(told));
