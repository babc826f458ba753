// Stand-in for the real `proxmoxve` provider, for machines where that cannot be installed.
// It calls the same Proxmox VE API with the same requests, for the few resource types that this project uses.

import { serve } from "./base.ts";
import { downloadFile } from "./proxmoxve/file.ts";
import { vmLegacy } from "./proxmoxve/vm.ts";

await serve({
  name: "proxmoxve",
  sdk: "@muhlba91/pulumi-proxmoxve",
  config: { file: "provider", args: "ProviderArgs" },
  resources: {
    "proxmoxve:index/vmLegacy:VmLegacy": vmLegacy,
    "proxmoxve:download/file:File": downloadFile,
  },
  refused: {
    "proxmoxve:index/fileLegacy:FileLegacy":
      "It copies snippets over SSH to the node, and the lab's node has no SSH: put the file on the storage first.",
  },
});
