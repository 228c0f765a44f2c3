return { form_messages = function(_, messages) return messages end }
