;;; agent-shell.el --- Stands in for agent-shell  -*- lexical-binding: t; -*-
(require 'cl-lib)
(defvar agent-shell-agent-configs nil)
(defvar agent-shell-started nil "The configuration of the shell that was started last.")
(cl-defun agent-shell-make-agent-config
    (&key identifier mode-line-name buffer-name shell-prompt shell-prompt-regexp
          client-maker install-instructions)
  (list :identifier identifier :names (list mode-line-name buffer-name)
        :prompt (and (string-match-p shell-prompt-regexp shell-prompt) shell-prompt)
        :client-maker client-maker :help install-instructions))
(cl-defun agent-shell-start (&key config)
  (setq agent-shell-started config))
(provide 'agent-shell)
