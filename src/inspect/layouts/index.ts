/** The storage layouts that the inspectors know. A new one is one file and one line here. */
import { aiSdk } from "./ai-sdk.ts";
import type { Layout } from "./layout.ts";
import { lifecycleJobs } from "./lifecycle-jobs.ts";
import { openCode118 } from "./opencode-1-18.ts";
import { openCode2 } from "./opencode-2.ts";
import { kit, runtime } from "./own.ts";
import { think } from "./think.ts";

export const LAYOUTS: readonly Layout[] = [lifecycleJobs, openCode2, openCode118, think, aiSdk, kit, runtime];
