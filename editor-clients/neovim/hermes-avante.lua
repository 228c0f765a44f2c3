-- Hermes for avante.nvim, placed by `hermes editor install avante`.
-- In your configuration: require("avante").setup(require("hermes-avante")({ --[[ your options ]] }))
local command = { "hermes", "acp" }
local environment = {}

-- Returns `options` with Hermes added; what `options` says itself stays, but for one thing: avante
-- answers permission questions by itself unless told otherwise, and then nobody sees what runs.
return function(options)
  return vim.tbl_deep_extend("force", {
    provider = "hermes",
    acp_providers = {
      hermes = { command = command[1], args = vim.list_slice(command, 2), env = environment },
    },
  }, options or {}, { behaviour = { auto_approve_tool_permissions = false } })
end
