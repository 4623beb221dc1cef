import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../base/repository.ts";
import { WORKER_CONFIGS } from "../local/workerd/bundle.ts";
import { type DeployedRole, Prefix, ROLES } from "./deployment.ts";
import { configOf } from "./worker-config.ts";

const make = (role: DeployedRole, changed: Partial<Parameters<typeof configOf>[2]> = {}) =>
  configOf(role, readFileSync(join(REPOSITORY, WORKER_CONFIGS[role]), "utf8"), {
    deployment: { prefix: "some-prefix" },
    slots: ["default", "redeploy-1"],
    present: ROLES,
    isPublic: true,
    hasModels: false,
    build: "build-7",
    ...changed,
  });

describe("the configuration of a deployed Worker", () => {
  it("names nothing that does not begin with the prefix", () => {
    for (const role of ROLES) {
      const { name, services = [], workflows = [] } = make(role);
      const names = [name, ...services.map(({ service }) => service), ...workflows.map((one) => one.name)];
      expect(names.filter((one) => !one.startsWith("some-prefix-"))).toEqual([]);
    }
  });

  it("gives an address to the controller alone, and only where it is asked for; previews to none", () => {
    const open = (isPublic: boolean) => ROLES.filter((role) => make(role, { isPublic }).workers_dev);
    expect(open(true)).toEqual(["controller"]);
    expect(open(false)).toEqual([]);
    expect(ROLES.map((role) => make(role).preview_urls)).toEqual([false, false, false]);
  });

  it("leads every slot to the one subject", () => {
    const { services } = make("controller");
    expect(services?.filter(({ service }) => service === "some-prefix-subject")).toEqual([
      { binding: "SUBJECT", service: "some-prefix-subject" },
      { binding: "SUBJECT_REDEPLOY_1", service: "some-prefix-subject" },
    ]);
  });

  it("binds no Worker that is not there yet", () => {
    expect(make("subject", { present: ["ledger"] }).services).toEqual([
      { binding: "LEDGER", service: "some-prefix-ledger" },
    ]);
  });

  it("creates every class that is bound, in one migration", () => {
    const { durable_objects, migrations } = make("subject");
    const bound = durable_objects?.bindings.map((one) => one.class_name);
    expect(migrations).toEqual([{ tag: "v1", new_sqlite_classes: bound }]);
  });

  it("gives the AI binding to the controller, and only where it is asked for", () => {
    const bound = (hasModels: boolean) => ROLES.filter((role) => make(role, { hasModels }).ai !== undefined);
    expect(bound(true)).toEqual(["controller"]);
    expect(bound(false)).toEqual([]);
  });

  it("names the build of the subject, which alone is built again", () => {
    expect(make("subject").vars).toEqual({ KIT_BUILD: "build-7" });
    expect(make("ledger").vars).toBeUndefined();
  });
});

it("takes no prefix under which something may have been deployed by hand", () => {
  for (const prefix of ["recovery-kit", "Abcd", "a", "-abc", "abc-", "a/../b", "x".repeat(40)])
    expect(Prefix.safeParse(prefix).success, prefix).toBe(false);
});
