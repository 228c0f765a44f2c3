-- Stands in for codecompanion.nvim: keeps what its setup is given.
local M = {}
function M.setup(options) M.options = options end
function M.command()
  local adapter = M.options.adapters.acp[M.options.interactions.chat.adapter]()
  assert(adapter.type == "acp" and adapter.handlers.setup(adapter) and adapter.handlers.auth(adapter))
  assert(adapter.handlers.form_messages(adapter, { "x" }, {})[1] == "x")
  return adapter.commands.default, adapter.env
end
return M
