/**
 * What client calls throw: host contract, sections 2.3 and 3.8.
 *
 * A declared error reaches the caller as its parsed JSON body, a plain object with `_tag`, and is not an `Error`.
 * Everything else is a `ClientError`.
 */

type DeclaredError =
  | { _tag: "SessionNotFoundError"; sessionID: string; message: string }
  | { _tag: "MessageNotFoundError"; sessionID: string; messageID: string; message: string }
  | { _tag: "AgentNotFoundError"; agent: string; message: string }
  | { _tag: "ConflictError"; resource: string; message: string }
  | { _tag: "InvalidRequestError"; kind: string; field?: string; message: string }
  | { _tag: "InvalidCursorError"; message: string };

export function sessionNotFound(sessionID: string): DeclaredError {
  return { _tag: "SessionNotFoundError", sessionID, message: `Session not found: ${sessionID}` };
}

export function messageNotFound(sessionID: string, messageID: string): DeclaredError {
  return { _tag: "MessageNotFoundError", sessionID, messageID, message: `Message not found: ${messageID}` };
}

export function agentNotFound(agent: string): DeclaredError {
  return { _tag: "AgentNotFoundError", agent, message: `Agent not found: ${agent}` };
}

export function conflict(resource: string): DeclaredError {
  return { _tag: "ConflictError", resource, message: `Already used for something else: ${resource}` };
}

export function invalidRequest(kind: string, message: string, field?: string): DeclaredError {
  return { _tag: "InvalidRequestError", kind, message, ...(field === undefined ? {} : { field }) };
}

export function invalidCursor(message: string): DeclaredError {
  return { _tag: "InvalidCursorError", message };
}

type ClientErrorReason =
  | "Transport"
  | "UnexpectedStatus"
  | "MalformedResponse"
  | "UnsupportedContentType"
  | "SseEventTooLarge";

export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly reason: ClientErrorReason;

  constructor(reason: ClientErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
