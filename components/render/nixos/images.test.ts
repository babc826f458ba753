import { describe, expect, it } from "vitest";
import { ofMicrovm } from "../../../test/support/nixos/arbitrary-settings.ts";
import { shippedSettings } from "../../../test/support/settings.ts";
import { images } from "./images.ts";

describe("images", () => {
  it("keeps persistent images of the shipped stack outside of the state folder that goes with the guest", () => {
    const places = images(ofMicrovm(shippedSettings("chopper")).guest).map(({ name, path, sizeMiB }) => [
      name,
      path,
      sizeMiB,
    ]);
    expect(places).toEqual([
      ["state", "/var/lib/hermes-microvm/guests/vm-hermes/images/state.img", 1024],
      ["containers", "containers.img", 32768],
      ["hermes", "/var/lib/hermes-microvm/guests/vm-hermes/images/hermes.img", 32768],
    ]);
  });
});
