-- Hermes for codecompanion.nvim, placed by `hermes editor install codecompanion`.
-- In your configuration: require("codecompanion").setup(require("hermes-codecompanion")({ --[[ your options ]] }))
local command = { "hermes", "acp" }
local environment = {}

local function adapter()
  local helpers = require("codecompanion.adapters.acp.helpers")
  return {
    name = "hermes",
    formatted_name = "Hermes",
    type = "acp",
    roles = { llm = "assistant", user = "user" },
    opts = { vision = true },
    commands = { default = command },
    env = environment,
    defaults = { mcpServers = {}, timeout = 20000 },
    parameters = {
      protocolVersion = 1,
      clientCapabilities = { fs = { readTextFile = true, writeTextFile = true } },
      clientInfo = { name = "CodeCompanion.nvim", version = "1.0.0" },
    },
    handlers = {
      setup = function() return true end,
      auth = function() return true end,
      form_messages = function(self, messages, capabilities)
        return helpers.form_messages(self, messages, capabilities)
      end,
      on_exit = function() end,
    },
  }
end

-- Returns `options` with Hermes added; what `options` says itself stays.
return function(options)
  return vim.tbl_deep_extend("force", {
    adapters = { acp = { hermes = adapter } },
    interactions = { chat = { adapter = "hermes" } },
  }, options or {})
end
