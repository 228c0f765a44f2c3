;;; hermes-agent-shell.el --- Hermes as an agent of agent-shell  -*- lexical-binding: t; -*-

;;; Commentary:

;; This file is placed by `hermes editor install agent-shell`.  In your init file:
;;
;;   (load (locate-user-emacs-file "hermes-agent-shell") t)
;;
;; Then M-x hermes-agent-shell, or choose Hermes in M-x agent-shell.

;;; Code:

(defvar agent-shell-agent-configs)
(declare-function acp-make-client "acp")
(declare-function agent-shell-make-agent-config "agent-shell")
(declare-function agent-shell-start "agent-shell")

(defgroup hermes-agent-shell nil
  "Hermes as an agent of agent-shell."
  :group 'tools)

(defcustom hermes-agent-shell-command
  '("hermes" "acp")
  "The program that serves the protocol, and its arguments."
  :type '(repeat string))

(defcustom hermes-agent-shell-environment
  '()
  "Variables for the program, each as NAME=VALUE, besides those of Emacs."
  :type '(repeat string))

(defun hermes-agent-shell-make-client (buffer)
  "Return a client that starts Hermes for the shell in BUFFER."
  (acp-make-client
   :context-buffer buffer
   :command (car hermes-agent-shell-command)
   :command-params (cdr hermes-agent-shell-command)
   :environment-variables hermes-agent-shell-environment))

(defun hermes-agent-shell-make-config ()
  "Return what agent-shell needs to know of Hermes."
  (agent-shell-make-agent-config
   :identifier 'hermes
   :mode-line-name "Hermes"
   :buffer-name "Hermes"
   :shell-prompt "Hermes> "
   :shell-prompt-regexp "Hermes> "
   :client-maker #'hermes-agent-shell-make-client
   :install-instructions "Run `hermes doctor' in a terminal: it tells what is missing."))

;;;###autoload
(defun hermes-agent-shell ()
  "Start a shell with Hermes."
  (interactive)
  (require 'agent-shell)
  (agent-shell-start :config (hermes-agent-shell-make-config)))

(with-eval-after-load 'agent-shell
  (when (listp agent-shell-agent-configs)
    (add-to-list 'agent-shell-agent-configs (hermes-agent-shell-make-config) t)))

(provide 'hermes-agent-shell)

;;; hermes-agent-shell.el ends here
