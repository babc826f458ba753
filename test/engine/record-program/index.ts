import * as pulumi from "@pulumi/pulumi";
import { MicrovmRecord } from "../../../components/guest/microvm/microvm-record.ts";

/** A record by itself, as a microvm's backend makes it: no host is needed to see what the engine makes of it. */
const config = new pulumi.Config("record");
const disk = { name: "hermes", mountPoint: "/var/lib/hermes", persistent: true };
const record = new MicrovmRecord("guest-record", {
  hostname: "vm-hermes",
  host: { name: "chopper", key: "ssh-ed25519 AAAA" },
  disks: [{ ...disk, sizeMiB: config.requireNumber("sizeMiB") }],
  files: { "machine.nix": config.require("machine") },
});
record.effect.apply((effect) => {
  if (effect) pulumi.log.info(`effect: ${effect}`);
});
