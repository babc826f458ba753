import * as pulumi from "@pulumi/pulumi";
import { loadSettings } from "./components/config/load.ts";
import { HermesContainer } from "./components/container/hermes-container.ts";
import { HermesGuest } from "./components/guest/hermes-guest.ts";

const settings = loadSettings();
const { guest: machine, admin, ssh, container: launch, readyTimeoutSeconds } = settings;
const { hostUsers = [admin.user] } = settings;

const guest = new HermesGuest("guest", { ...machine, admin, ssh });
const container = new HermesContainer("hermes", { ...launch, hostUsers, readyTimeoutSeconds });

guest.install(container.command);
guest.install(container.part);
const running = guest.activate(container.readiness);

export const hostname = guest.hostname;
export const address = guest.address;
export const hostKey = guest.hostKey;
export const user = admin.user;
export const image = running.apply(({ image }) => image);
export const version = running.apply(({ version }) => version);
export const tunnel = pulumi.interpolate`ssh -L ${container.dashboard}:${container.dashboard} ${user}@${address}`;
