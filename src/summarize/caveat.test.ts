import { expect, it } from "vitest";
import { CONTAINER_CAVEATS, caveatOf, REHEARSAL_CAVEAT, realModelCaveat, STAND_IN_CAVEAT } from "./caveat.ts";

const standIn = { kind: "stand-in", name: "opencode-stand-in", version: "0.1.0" } as const;
const server = { kind: "server", name: "opencode", version: "1.18.33" } as const;
const plain = { environment: null, spec: null };

it("says what stood for a part, whichever trial of the run it was, and each once", () => {
  const rehearsed = { environment: { runtime: "rehearsal" }, spec: null } as const;
  const contained = { environment: null, spec: { container: "process" } } as const;
  expect(caveatOf(server, [plain])).toBeNull();
  expect(caveatOf(null)).toBeNull();
  expect(caveatOf(server, [plain, contained, contained])).toBe(CONTAINER_CAVEATS.process);
  expect(caveatOf(standIn, [rehearsed, contained])).toBe(
    [STAND_IN_CAVEAT, REHEARSAL_CAVEAT, CONTAINER_CAVEATS.process].join("; "),
  );
});

it("names the real models that answered", () => {
  const answered = (model: string) => ({ environment: null, spec: { factors: { model } } });
  expect(caveatOf(server, [answered("@cf/a"), plain, answered("@cf/a")])).toBe(realModelCaveat("@cf/a"));
});
