/**
 * The tables of a plain `Agent` of `agents` 0.32, beside its Lifecycle's jobs. Those of runs and fibers may hold work that is
 * under way; what their rows say is not read, so that a row in them leaves open whether work is owed.
 */
import type { Layout } from "../../inspect/index.ts";

const MAY_HOLD_WORK = [
  "cf_agent_tool_runs",
  "cf_agents_facet_runs",
  "cf_agents_fibers",
  "cf_agents_runs",
  "cf_agents_task_runs",
  "cf_agents_workflows",
] as const;
const OTHERS = ["cf_agents_mcp_servers", "cf_agents_state", "cf_agents_task_steps"] as const;

export const agentStore: Layout = {
  name: "agent",
  owns: (table) => [...MAY_HOLD_WORK, ...OTHERS].some((name) => name === table),
  claims: ({ tables, rows, complain }) => {
    for (const table of MAY_HOLD_WORK)
      if (tables.includes(table) && rows(table).length > 0)
        complain(`what the rows of ${table} say of work under way is not known`);
    return [];
  },
};
