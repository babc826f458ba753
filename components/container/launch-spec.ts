import type { ContainerSettings, VolumeSettings } from "../config/schema.ts";

/** How the one container of the guest is started. Renderers turn it into a Quadlet unit or a NixOS module. */
export interface LaunchSpec {
  /** Name of the container and, with `.service`, of its unit. */
  readonly name: string;
  readonly image: string;
  readonly network: "host";
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly VolumeSettings[];
  /** Arguments to the image's init. */
  readonly command: readonly string[];
}

/** @param hostUsers users of the guest that share the container's home. */
export function launchSpec(settings: ContainerSettings, hostUsers: readonly string[] = []): LaunchSpec {
  // Hermes sets the mode of its home and of the folders in it at every start: 0700, unless told otherwise.
  const shared = hostUsers.length === 0 ? {} : { HERMES_HOME_MODE: "2770" };
  return { name: "hermes", ...settings, environment: { ...shared, ...settings.environment } };
}

/** Where the dashboard answers inside the guest; the port's default is the image's. */
export function dashboardAddress(spec: LaunchSpec): string {
  return `127.0.0.1:${spec.environment["HERMES_DASHBOARD_PORT"] ?? "9119"}`;
}
