# The part of microvm.nix that a guest's configuration sees.
{
  imports = [
    ./options.nix
    ./asserts.nix
    ./mounts.nix
    ./runner.nix
  ];
}
