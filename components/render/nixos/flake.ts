import type { MicrovmGuestSettings } from "../../config/microvm-guest.ts";
import { Application, Expression, Lambda, nixFile } from "../nix.ts";
import type { FlakeFile } from "./flake-file.ts";

/**
 * The flake that `microvm` builds the guest from: its inputs are pinned, its modules lie beside it.
 * @param modules names of the files beside it that make the guest.
 */
export function flakeFile(guest: MicrovmGuestSettings, modules: readonly string[]): FlakeFile {
  const system = new Application("nixpkgs.lib.nixosSystem", {
    system: guest.system,
    modules: [new Expression("microvm.nixosModules.microvm"), ...modules.map(beside)],
  });
  const text = nixFile({
    description: `${guest.hostname}: Hermes Agent in a NixOS microvm`,
    inputs: {
      nixpkgs: { url: guest.inputs.nixpkgs },
      microvm: { url: guest.inputs.microvm, inputs: { nixpkgs: { follows: "nixpkgs" } } },
    },
    outputs: new Lambda("{ nixpkgs, microvm, ... }", { nixosConfigurations: { [guest.hostname]: system } }),
  });
  return { name: "flake.nix", text };
}

function beside(name: string): Expression {
  if (!/^[a-z][a-z0-9-]*\.nix$/.test(name)) {
    throw new RangeError(`a module must be called like machine.nix, not ${JSON.stringify(name)}`);
  }
  return new Expression(`./${name}`);
}
