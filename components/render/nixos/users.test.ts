import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ofMicrovm } from "../../../test/support/nixos/arbitrary-settings.ts";
import { evaluatedOption, renderedFlake } from "../../../test/support/nixos/evaluated-flakes.ts";
import { shippedSettings } from "../../../test/support/settings.ts";

const shipped = ofMicrovm(shippedSettings("chopper"));
const accounts = z.record(
  z.string(),
  z.looseObject({
    hashedPassword: z.null(),
    openssh: z.object({ authorizedKeys: z.object({ keys: z.array(z.string()) }) }),
  }),
);

describe("the merged system of the shipped stack", () => {
  it("gives root no key, mhelton two, the probe its own, and nobody a password", () => {
    const [users] = evaluatedOption([renderedFlake(shipped)], "users.users");
    const keys = Object.entries(accounts.parse(users)).map(([name, { openssh }]) => [
      name,
      openssh.authorizedKeys.keys.map((key) => key.split(" ").at(-1)),
    ]);
    expect(Object.fromEntries(keys)).toEqual({
      root: [],
      mhelton: ["mhelton", "mhelton"],
      "hermes-probe": ["probe"],
    });
  });

  it("lets wheel use sudo without a password, and the probe run its two commands", () => {
    const [sudoers] = evaluatedOption([renderedFlake(shipped)], "security.sudo.configFile");
    const probe = "/run/current-system/sw/bin/hermes-probe";
    expect(sudoers).toBe(
      `root ALL=(ALL:ALL) SETENV: ALL
%wheel ALL=(ALL:ALL) NOPASSWD: SETENV: ALL
hermes-probe ALL=(ALL:ALL) NOPASSWD: ${probe} status, NOPASSWD: ${probe} journal
`,
    );
  });
});
