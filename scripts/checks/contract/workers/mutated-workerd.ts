/**
 * Stands behind `@opencode/sdk/workerd` where trials need broken hosts: which rule is broken is part of the trial's
 * name, so that one bundle serves every mutant and the sound host beside them.
 */
import { createStandIn } from "../../../../src/host/stand-in/create.ts";
import { HOST_IDENTITY as SOUND } from "../../../../src/host/stand-in/identity.ts";
import { MUTATIONS, type Mutation } from "../../../../src/host/stand-in/mutations.ts";
import type { CreateOptions, HostInterface } from "../../../../src/host/types/client-types.ts";

/** Not the stand-in that other runs use, and every trace says so. */
export const HOST_IDENTITY = { ...SOUND, version: `${SOUND.version}+mutants` };

export const OpenCodeWorkerd = {
  create: (options: CreateOptions): Promise<HostInterface> =>
    createStandIn(options, { mutations: new Set(mutationsOf(options)) }),
};

/** The trial is in the model's address, which the subject writes into the configuration. */
function mutationsOf({ config }: CreateOptions): Mutation[] {
  const text = JSON.stringify(config);
  return (Object.keys(MUTATIONS) as Mutation[]).filter((name) =>
    text.includes(`/mutant-${name.toLowerCase()}-`),
  );
}
