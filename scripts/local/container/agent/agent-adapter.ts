/** What is special about an agent; where its files lie and how often they are stored is the daemon's. Reads the environment when it is asked. */
import type { CliAdapterOptions } from "agents/harness/container/runtime";

export type AgentAdapter = () => Omit<CliAdapterOptions, "cwd" | "homes" | "syncIntervalMs">;
