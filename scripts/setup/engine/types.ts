/** A usable Pulumi engine. */
export interface Engine {
  /** Path of the `pulumi` executable. */
  pulumi: string;
  /** For example "3.274.1". */
  version: string;
  /** Where it came from: the machine's own, the vendor's download, or built from Go modules. */
  source: "path" | "download" | "build";
  /** To be put first on PATH, in this order. */
  binFolders: string[];
}

/** One way to an engine: the engine, or the reason why this way is closed. */
export type Attempt = { engine: Engine } | { reason: string };
