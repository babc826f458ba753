import { describe, expect, it } from "vitest";
import { ofMicrovm } from "../../../test/support/nixos/arbitrary-settings.ts";
import { shippedSettings } from "../../../test/support/settings.ts";
import { tailscaleFile } from "./tailscale.ts";

const { guest } = ofMicrovm(shippedSettings("chopper"));

describe("tailscaleFile", () => {
  it("is not there when the guest joins no tailnet", () => {
    const { tailscale: _, ...without } = guest;
    expect(tailscaleFile(without)).toBeUndefined();
  });

  it("gives parameters only with an OAuth client's secret: with an auth key they would be taken for a part of it", () => {
    const { tailscale } = guest;
    if (tailscale === undefined) throw new Error("the shipped stack joins a tailnet");
    const of = (authKeyKind: typeof tailscale.authKeyKind) =>
      tailscaleFile({ ...guest, tailscale: { ...tailscale, authKeyKind } })?.text;
    expect(of("oauth-client-secret")).toContain("preauthorized = true;");
    expect(of("auth-key")).not.toContain("authKeyParameters");
  });

  it("names the key by the path of its credential and never by the host's file", () => {
    const text = tailscaleFile(guest)?.text;
    expect(text).toContain('authKeyFile = "/run/credentials/@system/TS_AUTHKEY";');
    expect(text).not.toContain("/run/secrets");
  });
});
