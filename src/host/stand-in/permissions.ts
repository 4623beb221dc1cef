/**
 * Whether an action is wholly denied, which hides the tools that use it: host contract, sections 4.2 and 4.4.
 * The last matching rule wins; a rule for single resources never hides a tool.
 */
export type PermissionRule = { action: string; resource: string; effect: string };

export function isWhollyDenied(rules: readonly PermissionRule[], action: string): boolean {
  const last = rules.findLast((rule) => rule.resource === "*" && matches(rule.action, action));
  return last?.effect === "deny";
}

function matches(pattern: string, action: string): boolean {
  if (!pattern.includes("*")) return pattern === action;
  const escaped = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`).test(action);
}
