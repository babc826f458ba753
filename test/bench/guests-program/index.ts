import * as pulumi from "@pulumi/pulumi";
import { loadSettings } from "../../../components/config/load.ts";
import { HermesContainer } from "../../../components/container/hermes-container.ts";
import { HermesGuest } from "../../../components/guest/hermes-guest.ts";

/** The shipped stack, as many times as the configuration says: every guest with its parts. */
const { guest: machine, admin, ssh, container: launch, readyTimeoutSeconds } = loadSettings();
if (machine.kind !== "proxmox") throw new Error("the measurement is of Proxmox guests");

for (let index = 0; index < new pulumi.Config("bench").requireNumber("guests"); index += 1) {
  const own = { hostname: `vm-hermes-${index}`, vmId: 1000 + index, dataVmId: 2000 + index };
  const guest = new HermesGuest(`guest-${index}`, { ...machine, ...own, admin, ssh });
  const container = new HermesContainer(`hermes-${index}`, { ...launch, readyTimeoutSeconds });
  guest.install(container.part);
  guest.activate(container.readiness);
}
