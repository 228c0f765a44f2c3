-- Stands in for avante.nvim: keeps what its setup is given.
local M = {}
function M.setup(options) M.options = options end
function M.command()
  local provider = M.options.acp_providers[M.options.provider]
  return vim.list_extend({ provider.command }, provider.args), provider.env
end
return M
