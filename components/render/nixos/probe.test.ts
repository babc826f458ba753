import { describe, expect, it } from "vitest";
import { READINESS } from "../../../test/support/nixos/evaluated-flakes.ts";
import { probeFile } from "./probe.ts";

describe("probeFile", () => {
  it("names the container after the unit", () => {
    const { text } = probeFile({ ...READINESS, unit: "agent.service" });
    expect(text).toContain("export HERMES_UNIT=agent.service\n    export HERMES_CONTAINER=agent\n");
  });

  it("refuses what a shell or Nix would not read as it stands", () => {
    for (const nasty of ["", "a b", "$(id)", `\${x}`, "a''b", "a\nb", "a;b", 'a"b']) {
      expect(() => probeFile({ ...READINESS, unit: nasty })).toThrow(/may stand in the probe/);
      expect(() => probeFile({ ...READINESS, url: nasty })).toThrow(/may stand in the probe/);
    }
  });
});
