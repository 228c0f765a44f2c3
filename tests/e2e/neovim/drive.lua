-- An ACP client inside of Neovim: starts what the plugin was told to, runs one turn for each answer
-- in HERMES_TEST.decide, and writes what it saw to HERMES_TEST.report.
local order = vim.json.decode(vim.env.HERMES_TEST)
local plugin = require(order.plugin)
local command, environment = plugin.command()

local answers, updates, asked, rest, last = {}, {}, {}, "", 0
local decide, process

local function send(message)
  message.jsonrpc = "2.0"
  process:write(vim.json.encode(message) .. "\n")
end

local function take(message)
  if message.method == "session/update" then
    updates[#updates + 1] = message.params.update
  elseif message.method == "session/request_permission" then
    asked[#asked + 1] = message.params.toolCall.title
    local outcome = { outcome = "cancelled" }
    for _, option in ipairs(message.params.options) do
      if option.kind == decide then outcome = { outcome = "selected", optionId = option.optionId } end
    end
    send({ id = message.id, result = { outcome = outcome } })
  else
    answers[message.id] = message
  end
end

local function read(_, data)
  rest = rest .. (data or "")
  for line in rest:gmatch("([^\n]*)\n") do
    vim.schedule(function() take(vim.json.decode(line)) end)
  end
  rest = rest:match("[^\n]*$")
end

local function request(method, params)
  last = last + 1
  local id = last
  send({ id = id, method = method, params = params })
  assert(vim.wait(60000, function() return answers[id] ~= nil end, 5), method .. " was not answered")
  return assert(answers[id].result, vim.inspect(answers[id].error))
end

local stderr = ""
process = vim.system(command, {
  stdin = true,
  env = environment,
  stdout = read,
  stderr = function(_, data) stderr = stderr .. (data or "") end,
})

local hello = request("initialize", {
  protocolVersion = 1,
  clientCapabilities = { fs = { readTextFile = false, writeTextFile = false } },
})
local session = request("session/new", { cwd = vim.fn.getcwd(), mcpServers = {} })
local stops = {}
for _, kind in ipairs(order.decide) do
  decide = kind
  local prompt = { { type = "text", text = "write it" } }
  stops[#stops + 1] = request("session/prompt", { sessionId = session.sessionId, prompt = prompt }).stopReason
end
process:write(nil)
local ended = process:wait(60000)
local behaviour = plugin.options.behaviour or vim.empty_dict()
vim.fn.writefile({
  vim.json.encode({
    agent = hello.agentInfo.name,
    command = command,
    asked = asked,
    stops = stops,
    updates = updates,
    stderr = stderr,
    code = ended.code,
    behaviour = behaviour,
    mine = plugin.options.mine,
  }),
}, order.report)
