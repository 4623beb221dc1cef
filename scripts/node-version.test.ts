import { describe, expect, it } from "vitest";
import { complainAboutNode } from "./node-version.mjs";

describe("the version of Node", () => {
  it.each(["22.18.0", "22.20.1", "23.6.0", "24.0.0", "24.21.0", "26.1.0"])("%s will do", (version) => {
    expect(complainAboutNode(version)).toBeNull();
  });

  it.each(["22.17.1", "22.9.0", "23.5.0", "20.20.2", "18.0.0", "8.1.0"])("%s is too old", (version) => {
    expect(complainAboutNode(version)).toMatch(
      /^recovery-kit needs Node 22\.18 or newer and this is [\d.]+;/,
    );
    expect(complainAboutNode(version)).toContain(version);
  });
});
