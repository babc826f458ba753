# The derivation that `nix build FLAKE#nixosConfigurations.NAME.config.microvm.declaredRunner` makes.
{
  flakeFolder ? null,
  modules ? null,
  name ? null,
}@arguments:
(import ./system.nix arguments).config.microvm.declaredRunner
