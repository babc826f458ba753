import { describe, expect, it } from "vitest";
import { ofMicrovm } from "../../../test/support/nixos/arbitrary-settings.ts";
import { shippedSettings } from "../../../test/support/settings.ts";
import { flakeFile } from "./flake.ts";

const { guest } = ofMicrovm(shippedSettings("chopper"));

describe("flakeFile", () => {
  it("reads as if a person had written it", () => {
    expect(
      flakeFile(guest, ["machine.nix", "users.nix"]).text,
    ).toBe(`# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.
{
  description = "vm-hermes: Hermes Agent in a NixOS microvm";

  inputs = {
    nixpkgs.url = "github:NixOS/nixpkgs/643809054d65fdd466a63e3155b8c498cb483c04";
    microvm = {
      url = "github:microvm-nix/microvm.nix/71beea0076cd46dafcee97a5a2e7d00cbba5bd2f";
      inputs.nixpkgs.follows = "nixpkgs";
    };
  };

  outputs =
    { nixpkgs, microvm, ... }:
    {
      nixosConfigurations.vm-hermes = nixpkgs.lib.nixosSystem {
        system = "x86_64-linux";
        modules = [
          microvm.nixosModules.microvm
          ./machine.nix
          ./users.nix
        ];
      };
    };
}
`);
  });

  it("refuses a module whose name is no plain file name", () => {
    for (const name of ["a b.nix", "../x.nix", "x", `\${x}.nix`, "x.nix;"]) {
      expect(() => flakeFile(guest, [name])).toThrow(/must be called like machine\.nix/);
    }
  });
});
