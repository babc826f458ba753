import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";

const CHOPPER = [
  { name: "state", mountPoint: "/var/lib", sizeMiB: 1024, persistent: true },
  { name: "containers", mountPoint: "/var/lib/containers", sizeMiB: 32768, persistent: false },
  { name: "hermes", mountPoint: "/var/lib/hermes", sizeMiB: 32768, persistent: true },
];
const PVE_SBX = [
  { name: "root", mountPoint: "/", sizeMiB: 32768, persistent: false },
  { name: "data", mountPoint: "/var/lib/hermes", sizeMiB: 32768, persistent: true },
];
const guest = (
  props: Readonly<Record<string, unknown>>,
  type = "hermes:index:HermesGuest",
): Case["resources"] => [
  { type, name: "guest", props: { vcpus: 4, memoryMiB: 8192, disks: PVE_SBX, ...props } },
];
const data = (...sizes: unknown[]): Case["resources"] =>
  guest({ disks: sizes.map((sizeMiB) => ({ mountPoint: "/var/lib/hermes", sizeMiB, persistent: true })) });

export const cases: GateCases = {
  level: "advisory",
  allows: [
    { title: "the shipped chopper guest", resources: guest({ disks: CHOPPER }) },
    { title: "the shipped pve-sbx guest", resources: guest({}) },
    { title: "the smallest of everything", resources: guest({ vcpus: 2, memoryMiB: 6144 }) },
    { title: "the largest disk", resources: data(65536) },
    {
      title: "sizes that are not known yet",
      resources: guest({ vcpus: unknown, memoryMiB: unknown, disks: unknown }),
    },
    { title: "a small disk beside one that is not known yet", resources: data(1024, unknown) },
    { title: "disks that are not known yet", resources: guest({ disks: [unknown] }) },
    { title: "a guest without disks", resources: guest({ disks: undefined }) },
    {
      title: "a guest without a persistent disk",
      resources: guest({ disks: [{ sizeMiB: 1024, persistent: false }] }),
    },
    { title: "something else of another size", resources: guest({ vcpus: 1 }, "x:y:Z") },
    {
      title: "sizes within the pack's configuration",
      resources: guest({ vcpus: 1, memoryMiB: 4096, disks: [{ sizeMiB: 1024, persistent: true }] }),
      settings: { vcpus: [1, 1], memoryMiB: [4096, 4096], dataMiB: [1024, 1024] },
    },
  ],
  refuses: [
    {
      title: "one virtual CPU",
      resources: guest({ vcpus: 1 }),
      says: ["guest: vcpus is 1, which is outside 2 to 4.", "widen the range"],
    },
    { title: "five virtual CPUs", resources: guest({ vcpus: 5 }), says: ["vcpus is 5"] },
    {
      title: "too little memory beside unknown CPUs",
      resources: guest({ vcpus: unknown, memoryMiB: 6143 }),
      says: ["memoryMiB is 6143, which is outside 6144 to 8192."],
    },
    { title: "too much memory", resources: guest({ memoryMiB: 8193 }) },
    { title: "a secret size", resources: guest({ memoryMiB: secret(16384) }) },
    {
      title: "a data disk that is too small, beside a large one that is not persistent",
      resources: guest({
        disks: [
          { sizeMiB: 32768, persistent: false },
          { sizeMiB: 32767, persistent: true },
          { sizeMiB: 8192, persistent: true },
        ],
      }),
      says: ["disks › largest persistent › sizeMiB is 32767, which is outside 32768 to 65536."],
    },
    { title: "a data disk that is too large", resources: data(65537, 40000) },
    {
      title: "a size outside the pack's configuration",
      resources: guest({}),
      settings: { memoryMiB: [1024, 4096] },
    },
  ],
};
