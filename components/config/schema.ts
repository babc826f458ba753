import { z } from "zod";
import { unpinned } from "../../policy/values/image-reference.ts";
import { microvmGuest } from "./microvm-guest.ts";
import { proxmoxGuest } from "./proxmox-guest.ts";
import { hostKey, path, publicKey } from "./values.ts";

const volume = z.strictObject({
  source: path.describe("Path in the guest. For /opt/data: the mount point of a persistent disk."),
  target: path.describe("Path in the container. A change restarts the container, and a microvm as a whole."),
  kind: z.enum(["bind", "tmpfs", "anonymous"]).describe("Only a bind outlives the container."),
  readOnly: z.boolean().optional().describe("Only of a bind. Default: false."),
});

const environmentValue = z
  .string()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .regex(/^[^\u0000-\u001f\u007f]*$/, "must not contain control characters or line breaks");

/** The dashboard answers on the guest's loopback, where it needs no login; elsewhere Hermes refuses to start it. */
function checkDashboard(environment: Record<string, string>, context: z.core.$RefinementCtx): void {
  const check = (name: string, allowed: string, valid: (value: string) => boolean) => {
    if (valid(environment[name] ?? "")) return;
    context.addIssue({ code: "custom", path: [name], message: `must be ${allowed}` });
  };
  check("HERMES_DASHBOARD", '"1": a deploy is ready when the dashboard answers', (value) => value === "1");
  check(
    "HERMES_DASHBOARD_HOST",
    "127.0.0.1: whoever can fetch the page has a shell",
    (value) => value === "127.0.0.1",
  );
  const port = (value: string) => /^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65535;
  check("HERMES_DASHBOARD_PORT", 'a port, as in "9119"', port);
}

export const container = z.strictObject({
  image: z
    .string()
    .superRefine((image, context) => {
      const reason = unpinned(image);
      if (reason === undefined) return;
      const message = `${reason}; allowed is a release tag, vYYYY.M.D[.N] or vX.Y.Z, with or without @sha256:…`;
      context.addIssue({ code: "custom", message });
    })
    .describe(
      "The official image at a release tag. Kind proxmox: a change pulls it first, then restarts the container. Kind microvm: it restarts the guest, which pulls it within readyTimeoutSeconds.",
    ),
  network: z
    .literal("host")
    .describe(
      "Host networking: Hermes decides by its own bind address whether its dashboard needs a login; a port map would make it bind 0.0.0.0.",
    ),
  environment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be a variable name"), environmentValue)
    .superRefine(checkDashboard)
    .describe(
      "Environment of the container, not for secrets. A change restarts the container, and a microvm as a whole.",
    ),
  volumes: z.array(volume).describe("Mounts. /opt/data must be a bind of a persistent disk."),
  command: z
    .array(
      environmentValue
        .min(1)
        .refine((word) => word !== ";", "must not be a lone ;: systemd starts a command at it"),
    )
    .min(1)
    .describe("Arguments to the image's init. The image's default is empty: `gateway run` keeps Hermes up."),
});

const loginName = z
  .string()
  // NixOS allows one character less than Debian.
  .regex(/^[a-z][a-z0-9_-]{0,30}$/, "must be a login name: a-z first, then a-z, 0-9, _ and -, at most 31");

const SYSTEM_ACCOUNTS = ["root", "daemon", "bin", "sys", "sync", "nobody", "sshd", "hermes-probe"];

const person = loginName.refine(
  (name) => !SYSTEM_ACCOUNTS.includes(name),
  "must not be an account of the system",
);

export const admin = z.strictObject({
  user: person.describe(
    "Login name in the guest, with sudo. Kind proxmox: made by cloud-init, read at the first boot only. Kind microvm: a change restarts the guest.",
  ),
  authorizedKeys: z
    .array(publicKey)
    .min(1, "must hold at least one key: the public half of the deploy key (hermes:ssh.privateKey)")
    .describe("OpenSSH public keys that may log in to the guest. When a change takes effect: see user."),
});

export const ssh = z.strictObject({
  privateKey: z
    .string()
    .regex(/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n/, "must be a private key in PEM or OpenSSH form")
    .describe("Deploy key; set it with `pulumi config set --secret --path hermes:ssh.privateKey`."),
  host: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$/, "must be a host name or an address")
    .optional()
    .describe(
      "Where SSH is dialled. Kind proxmox: default the guest's address. Kind microvm: the NixOS host; required.",
    ),
  port: z.int().min(1).max(65535).optional().describe("Default: 22."),
  user: loginName
    .optional()
    .describe(
      "Kind microvm only, and required: login on the NixOS host that may use sudo without a password.",
    ),
  hostKey: hostKey
    .optional()
    .describe("Kind microvm only, and required: SSH host key of the NixOS host, as `type base64`."),
});

/** Everything under `hermes:` in a stack file. The only description of it: types and JSON Schema derive from it. */
export const settings = z.strictObject({
  guest: z.discriminatedUnion("kind", [proxmoxGuest, microvmGuest], {
    error: 'must be a guest whose kind is "proxmox" or "microvm"',
  }),
  container,
  admin,
  ssh: ssh
    .optional()
    .describe("How the machine that parts are sent to is reached: the Debian guest, or the NixOS host."),
  hostUsers: z
    .array(person)
    .optional()
    .describe(
      "Login names in the guest whose command `hermes` runs in the container, with one shared home: they join the group hermes and get the link ~/.hermes. Who may not use sudo as the admin does is told the rule to add. Default: hermes:admin.user; [] takes all back. Kind proxmox: a change restarts nothing of Hermes. Kind microvm: it restarts the guest.",
    ),
  readyTimeoutSeconds: z
    .int()
    .min(30)
    .max(3600)
    .default(600)
    .describe(
      "How long a deploy waits for Hermes to answer before the previous version is put back, in seconds.",
    ),
});

export type Settings = z.output<typeof settings>;
export type ContainerSettings = z.output<typeof container>;
export type VolumeSettings = z.output<typeof volume>;
