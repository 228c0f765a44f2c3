;;; acp.el --- Stands in for acp.el  -*- lexical-binding: t; -*-
(require 'cl-lib)
(cl-defun acp-make-client (&key context-buffer command command-params environment-variables)
  (list :buffer context-buffer :command (cons command command-params)
        :environment environment-variables))
(provide 'acp)
