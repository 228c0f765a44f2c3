-- Hermes for agentic.nvim, placed by `hermes editor install agentic`.
-- In your configuration: require("agentic").setup(require("hermes-agentic")({ --[[ your options ]] }))
local command = { "hermes", "acp" }
local environment = {}

-- Returns `options` with Hermes added; what `options` says itself stays.
return function(options)
  return vim.tbl_deep_extend("force", {
    provider = "hermes",
    acp_providers = {
      hermes = {
        name = "Hermes",
        command = command[1],
        args = vim.list_slice(command, 2),
        env = environment,
      },
    },
  }, options or {})
end
