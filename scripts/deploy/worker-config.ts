/**
 * The configuration of one Worker of a deployment, made of the Worker's own wrangler.jsonc. Pure: text in, value out.
 *
 * What differs from that file: names begin with the prefix; the script is the frozen one beside the configuration;
 * nothing has an address but the controller on the network; storage begins empty, so that one migration is enough; and the
 * controller has a binding for each slot, all of which lead to the one subject.
 */
import { parse } from "jsonc-parser";
import { z } from "zod";
import { slotBindingName } from "../../src/controller/slots.ts";
import { type DeployedRole, type Deployment, ROLES, workerName, workflowName } from "./deployment.ts";

const Source = z.looseObject({
  name: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  durable_objects: z
    .object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) })
    .optional(),
  workflows: z.array(z.object({ binding: z.string(), class_name: z.string() })).optional(),
  services: z.array(z.object({ binding: z.string(), service: z.string() })).optional(),
  version_metadata: z.object({ binding: z.string() }).optional(),
});

type Config = {
  readonly name: string;
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly workers_dev: boolean;
  readonly preview_urls: false;
  readonly durable_objects?: { readonly bindings: readonly { name: string; class_name: string }[] };
  readonly migrations?: readonly { tag: string; new_sqlite_classes: readonly string[] }[];
  readonly workflows?: readonly { name: string; binding: string; class_name: string }[];
  readonly services?: readonly { binding: string; service: string }[];
  readonly version_metadata?: { readonly binding: string };
  readonly ai?: { readonly binding: "AI" };
  readonly vars?: Readonly<Record<string, string>>;
};

export type ConfigOptions = {
  readonly deployment: Pick<Deployment, "prefix">;
  readonly slots: readonly string[];
  /** Workers that are there to be bound; a binding to another one is left out. */
  readonly present: readonly DeployedRole[];
  /** Whether the controller gets an address of its own: nobody could reach it on the network without. */
  readonly isPublic: boolean;
  /** Whether the controller gets the AI binding, by which it reaches real models. */
  readonly hasModels: boolean;
  /** Names the subject's build, so that its activations can tell which code they ran. */
  readonly build: string;
};

/** `source`: the text of the Worker's wrangler.jsonc. @throws when it declares what this does not know. */
export function configOf(role: DeployedRole, source: string, options: ConfigOptions): Config {
  const { deployment, slots, present, isPublic, hasModels, build } = options;
  const declared = Source.parse(parse(source));
  const services = (declared.services ?? []).flatMap(({ binding, service }) => {
    const target = roleOf(service);
    if (!present.includes(target)) return [];
    const name = workerName(deployment, target);
    const bindings = binding === "SUBJECT" ? slots.map(slotBindingName) : [binding];
    return bindings.map((bound) => ({ binding: bound, service: name }));
  });
  const { durable_objects: objects, workflows, version_metadata } = declared;
  return {
    name: workerName(deployment, role),
    main: "./index.js",
    compatibility_date: declared.compatibility_date,
    compatibility_flags: declared.compatibility_flags,
    workers_dev: isPublic && role === "controller",
    preview_urls: false,
    ...(objects === undefined
      ? {}
      : {
          durable_objects: objects,
          migrations: [
            {
              tag: "v1",
              new_sqlite_classes: [...new Set(objects.bindings.map((bound) => bound.class_name))],
            },
          ],
        }),
    ...(workflows === undefined
      ? {}
      : { workflows: workflows.map((workflow) => ({ ...workflow, name: workflowName(deployment) })) }),
    ...(services.length === 0 ? {} : { services }),
    ...(version_metadata === undefined ? {} : { version_metadata }),
    ...(role === "controller" && hasModels ? { ai: { binding: "AI" as const } } : {}),
    ...(role === "subject" ? { vars: { KIT_BUILD: build } } : {}),
  };
}

/** Which of the kit's Workers a service name in the wrangler files means. */
function roleOf(service: string): DeployedRole {
  return z.enum(ROLES).parse(service.replace(/^recovery-kit-/, ""));
}
