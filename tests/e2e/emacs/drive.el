;;; drive.el --- An ACP client inside of Emacs  -*- lexical-binding: t; -*-

;; Starts what agent-shell would be told to start, runs one turn for each kind of answer in
;; HERMES_DECIDE, and writes what it saw to HERMES_REPORT.

(require 'acp)
(require 'json)
(require 'subr-x)

(defvar drive-answers (make-hash-table :test #'equal))
(defvar drive-asked nil)
(defvar drive-said "")
(defvar drive-rest "")
(defvar drive-decide nil)
(defvar drive-last 0)
(defvar drive-process nil)

(defun drive-send (message)
  (process-send-string
   drive-process (concat (json-serialize (append '(:jsonrpc "2.0") message)) "\n")))

(defun drive-answer-question (id params)
  (push (map-nested-elt params '(toolCall title)) drive-asked)
  (let ((option (seq-find (lambda (one) (equal (map-elt one 'kind) drive-decide))
                          (map-elt params 'options))))
    (drive-send `(:id ,id :result (:outcome (:outcome "selected"
                                             :optionId ,(map-elt option 'optionId)))))))

(defun drive-take (line)
  (let* ((message (json-parse-string line :object-type 'alist))
         (params (map-elt message 'params)))
    (pcase (map-elt message 'method)
      ("session/request_permission" (drive-answer-question (map-elt message 'id) params))
      ("session/update"
       (when (equal (map-nested-elt params '(update sessionUpdate)) "agent_message_chunk")
         (setq drive-said
               (concat drive-said (map-nested-elt params '(update content text))))))
      (_ (puthash (map-elt message 'id) message drive-answers)))))

(defun drive-read (_process text)
  (setq drive-rest (concat drive-rest text))
  (while (string-match "\n" drive-rest)
    (let ((line (substring drive-rest 0 (match-beginning 0))))
      (setq drive-rest (substring drive-rest (match-end 0)))
      (drive-take line))))

(defun drive-request (method params)
  (let ((id (setq drive-last (1+ drive-last))))
    (drive-send `(:id ,id :method ,method :params ,params))
    (with-timeout (60 (error "%s was not answered" method))
      (while (not (gethash id drive-answers))
        (accept-process-output drive-process 0.1)))
    (or (map-elt (gethash id drive-answers) 'result)
        (error "%s: %s" method (gethash id drive-answers)))))

(hermes-agent-shell)
(let* ((config agent-shell-started)
       (client (funcall (plist-get config :client-maker) (current-buffer)))
       (errors (generate-new-buffer "errors"))
       (process-environment (append (plist-get client :environment) process-environment))
       session stops)
  (setq drive-process (make-process :name "agent" :command (plist-get client :command)
                                    :coding 'utf-8-unix :connection-type 'pipe
                                    :noquery t :filter #'drive-read :stderr errors))
  (drive-request "initialize" '(:protocolVersion 1 :clientCapabilities #s(hash-table)))
  (setq session
        (map-elt (drive-request "session/new" `(:cwd ,(expand-file-name default-directory)
                                                :mcpServers []))
                 'sessionId))
  (dolist (decide (split-string (getenv "HERMES_DECIDE")))
    (setq drive-decide decide)
    (push (map-elt (drive-request "session/prompt"
                                  `(:sessionId ,session
                                    :prompt [(:type "text" :text "write it")]))
                   'stopReason)
          stops))
  (with-temp-file (getenv "HERMES_REPORT")
    (insert (json-serialize
             `(:stops ,(vconcat (reverse stops))
               :asked ,(vconcat (reverse drive-asked))
               :said ,drive-said
               :command ,(vconcat (plist-get client :command))
               :known ,(vconcat (mapcar (lambda (one) (symbol-name (plist-get one :identifier)))
                                        agent-shell-agent-configs))
               :errors ,(with-current-buffer errors (buffer-string)))))))

;;; drive.el ends here
