/**
 * `ContainerHarness` with a real agent CLI in its container. The object is that of subject `container` in everything but the
 * adapter that it names; `scripts/local/container/agent/` has the adapters.
 */
import { ContainerObject } from "../container/container-driver.ts";

export class CodexObject extends ContainerObject {
  protected override adapter(): string {
    return "codex";
  }
}

export class CodexRetryObject extends CodexObject {
  protected override onContainerLost(): "retry" {
    return "retry";
  }
}

export class ClaudeCodeObject extends ContainerObject {
  protected override adapter(): string {
    return "claude-code";
  }
}

export class ClaudeCodeRetryObject extends ClaudeCodeObject {
  protected override onContainerLost(): "retry" {
    return "retry";
  }
}
