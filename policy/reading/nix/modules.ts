/** Whether what stands at this path is a NixOS module: a module's own `config`, or the one of a guest. */
export function startsModule(path: readonly string[]): boolean {
  const last = path.at(-1);
  if (last === "configuration") return path.at(-3) === "specialisation";
  if (last !== "config") return false;
  const guest = path.at(-3);
  return (
    path.length === 1 ||
    (path.at(-4) === "microvm" && guest === "vms") ||
    (guest === "containers" && path.length === 3)
  );
}
