import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type CallError, Driver } from "./base/driver.ts";
import { isSecret, secret, UNKNOWN, type Values } from "./base/values.ts";
import { freePort } from "./command/sshd.ts";
import { PveStub } from "./proxmoxve/stub.ts";

const VM = "proxmoxve:index/vmLegacy:VmLegacy";
const FILE = "proxmoxve:download/file:File";
const SPEEDS = ["disks[0].speed", "disks[1].speed"];

vi.setConfig({ testTimeout: 30_000 });
const plugin = await Driver.start("proxmoxve", { PROXMOX_VE_API_TOKEN: "" });
const stub = await PveStub.start();
afterAll(() => {
  plugin.stop();
  stub.stop();
});

const guest: Values = {
  nodeName: "pve",
  vmId: 210,
  name: "vm-hermes",
  description: "Hermes Agent",
  tags: ["apps", "hermes"],
  agent: { enabled: true, timeout: "1s" },
  bootOrders: ["scsi0"],
  cpu: { cores: 4, type: "x86-64-v2-AES" },
  memory: { dedicated: 8192 },
  scsiHardware: "virtio-scsi-single",
  machine: "q35",
  operatingSystem: { type: "l26" },
  protection: true,
  cdrom: { fileId: "none", interface: "ide3" },
  serialDevices: [{}],
  startup: { order: 3 },
  networkDevices: [{ bridge: "vmbr0", vlanId: 21, firewall: true }],
  disks: [
    {
      interface: "scsi0",
      datastoreId: "local-lvm",
      importFrom: "library-pve:import/debian.qcow2",
      size: 64,
      discard: "on",
      iothread: true,
      ssd: true,
    },
    {
      interface: "scsi1",
      datastoreId: "local-lvm",
      pathInDatastore: "vm-211-disk-0",
      fileFormat: "raw",
      size: 32,
      serial: "hermes-data",
    },
  ],
  initialization: {
    datastoreId: "local-lvm",
    vendorDataFileId: "library-pve:snippets/hermes.yaml",
    dns: { servers: ["10.32.21.1", "9.9.9.9"] },
    ipConfigs: [{ ipv4: { address: "10.32.21.110/24", gateway: "10.32.21.1" } }],
    userAccount: { username: "ops", keys: ["ssh-ed25519 AAAA+/= me@home"] },
  },
};

beforeEach(async () => {
  stub.vms.clear();
  stub.files.clear();
  stub.writes = [];
  stub.failNext = undefined;
  stub.addresses = ["10.32.21.110"];
  stub.urlSize = 1000;
  await plugin.configure({
    endpoint: stub.endpoint,
    apiToken: secret("root@pam!test=1-2-3"),
    insecure: "true",
  });
});

async function checked(type: string, inputs: Values): Promise<Values> {
  const { inputs: filled, failures } = await plugin.check(type, inputs);
  expect(failures).toEqual([]);
  return filled;
}

async function made(inputs: Values = guest) {
  const filled = await checked(VM, inputs);
  const { id, outputs } = await plugin.create(VM, filled);
  stub.writes = [];
  stub.reads = 0;
  return { id, filled, outputs };
}

async function diffTo(from: Awaited<ReturnType<typeof made>>, news: Values, ignore = SPEEDS) {
  const wanted = await checked(VM, news);
  return { wanted, ...(await plugin.diff(VM, from.id, from.outputs, from.filled, wanted, ignore)) };
}

function failureOf(call: Promise<unknown>): Promise<CallError> {
  return call.then(
    () => Promise.reject(new Error("it succeeded")),
    (error: CallError) => error,
  );
}

describe("checking a VM", () => {
  it("names unknown, missing and mistyped properties at any depth", async () => {
    const { failures } = await plugin.check(VM, {
      nodeName: "pve",
      networkDevices: [{ vlan: 21 }],
      disks: [{ size: "64" }],
      initialization: secret({ userAccount: { Keys: [] } }),
      protect: true,
    });
    expect(failures.map(({ property }) => property).sort()).toEqual([
      "disks[0].interface",
      "disks[0].size",
      "initialization.userAccount.Keys",
      "networkDevices[0].vlan",
      "protect",
    ]);
  });

  it("says what it does not carry out, and what can only fail later", async () => {
    const { failures } = await plugin.check(VM, {
      nodeName: "pve",
      efiDisk: { type: "4m" },
      disks: [{ interface: "sda", importFrom: "nothing", serial: "x".repeat(21) }],
      agent: { timeout: "15 minutes" },
    });
    expect(failures.map(({ property }) => property)).toEqual([
      "efiDisk",
      "disks[0].importFrom",
      "disks[0].interface",
      "disks[0].serial",
      "agent.timeout",
    ]);
    await expect(plugin.check("proxmoxve:index/fileLegacy:FileLegacy", {})).rejects.toThrow(
      /over SSH to the node/,
    );
  });

  it("fills in the defaults that bite, also the CD-ROM drive that nobody asked for", async () => {
    const filled = await checked(VM, { nodeName: "pve", disks: [{ interface: "scsi0" }] });
    expect(filled).toMatchObject({
      agent: { enabled: false, timeout: "15m" },
      cdrom: { interface: "ide3" },
      cpu: { type: "qemu64" },
      deleteUnreferencedDisksOnDestroy: true,
      disks: [{ size: 8, speed: { read: 0 } }],
      protection: false,
      rebootAfterUpdate: true,
    });
  });

  it("takes unknown values, and tells what a preview can know", async () => {
    const filled = await checked(VM, {
      ...guest,
      disks: [{ interface: "scsi0", importFrom: UNKNOWN }],
      initialization: UNKNOWN,
    });
    const { outputs } = await plugin.create(VM, filled, true);
    expect(outputs).toMatchObject({ vmId: 210, ipv4Addresses: UNKNOWN, macAddresses: UNKNOWN });
    // What another VM attaches this disk by: a preview that left it out would attach nothing.
    expect(outputs).toMatchObject({
      disks: [{ pathInDatastore: UNKNOWN }],
      networkDevices: [{ macAddress: UNKNOWN }],
    });
    expect(stub.writes).toEqual([]);
  });

  it("knows what the provider's own configuration may hold", async () => {
    const config = {
      endpoint: "https://pve:8006",
      insecure: "true",
      ssh: '{"agent":true}',
      version: "8.6.0",
    };
    expect(await plugin.checkConfig(config)).toEqual([]);
    expect(
      (await plugin.checkConfig({ endPoint: "x", insecure: "perhaps" })).map(({ property }) => property),
    ).toEqual(["insecure", "endPoint"]);
  });
});

describe("creating a VM", () => {
  it("sends what the real provider sends, resizes the imported disk in bytes, and starts", async () => {
    const filled = await checked(VM, guest);
    const { id, outputs } = await plugin.create(VM, filled);
    expect(id).toBe("210");
    const [post = "", ...then] = stub.writes;
    expect(then).toEqual([
      `PUT /nodes/pve/qemu/210/resize disk=scsi0&size=${64 * 2 ** 30}`,
      "POST /nodes/pve/qemu/210/status/start timeout=1800",
    ]);
    const params = Object.fromEntries(
      post
        .replace("POST /nodes/pve/qemu ", "")
        .split("&")
        .map((each) => each.split(/=(.*)/s)),
    );
    expect(params).toMatchObject({
      agent: "enabled=1,fstrim_cloned_disks=0,type=virtio",
      balloon: "0",
      boot: "order=scsi0",
      cicustom: "vendor=library-pve:snippets/hermes.yaml",
      ciuser: "ops",
      cores: "4",
      cpu: "x86-64-v2-AES",
      ide2: "file=local-lvm:cloudinit",
      ide3: "file=none,media=cdrom",
      ipconfig0: "gw=10.32.21.1,ip=10.32.21.110/24",
      machine: "q35",
      memory: "8192",
      nameserver: "10.32.21.1 9.9.9.9",
      net0: "model=virtio,bridge=vmbr0,firewall=1,tag=21",
      onboot: "1",
      ostype: "l26",
      protection: "1",
      scsi1: `file=local-lvm:vm-211-disk-0,format=raw,size=${32 * 2 ** 30},aio=io_uring,backup=1,iothread=0,serial=hermes-data,ssd=0,discard=ignore,cache=none,replicate=1`,
      scsihw: "virtio-scsi-single",
      serial0: "socket",
      sshkeys: "ssh-ed25519%20AAAA%2B%2F%3D%20me%40home",
      startup: "order=3",
      tags: "apps;hermes",
    });
    expect(params["scsi0"]).toMatch(
      /^file=local-lvm:0,import-from=library-pve:import\/debian.qcow2,size=\d+,.*iothread=1,ssd=1,discard=on/,
    );
    expect(outputs).toMatchObject({
      ipv4Addresses: [["127.0.0.1"], ["10.32.21.110"]],
      networkInterfaceNames: ["lo", "eth0"],
      started: true,
    });
  });

  it("only creates a VM that is not to be started", async () => {
    const filled = await checked(VM, {
      nodeName: "pve",
      vmId: 211,
      started: false,
      disks: [{ interface: "scsi0" }],
      tags: ["z", "a"],
    });
    await plugin.create(VM, filled);
    expect(stub.writes).toHaveLength(1);
    expect(stub.writes[0]).toContain("tags=a;z");
    expect(stub.writes[0]).toContain("ide3=file=cdrom,media=cdrom");
    expect(stub.writes[0]).toContain("scsi0=file=local-lvm:8,");
  });

  it("succeeds with a warning when the agent tells no address in time", async () => {
    stub.addresses = [];
    const { outputs } = await made();
    expect(outputs["ipv4Addresses"]).toEqual([]);
    expect(plugin.logs.at(-1)).toMatch(/told no address within 1s/);
  });

  it("keeps a secret input secret in the outputs", async () => {
    const account = { username: "ops", password: secret("pw"), keys: ["ssh-ed25519 AAAA me"] };
    const { outputs } = await made({
      ...guest,
      initialization: { ...(guest["initialization"] as Values), userAccount: account },
    });
    const seen = (outputs["initialization"] as { userAccount: Values }).userAccount;
    expect([isSecret(seen["password"]), isSecret(seen["username"])]).toEqual([true, false]);
  });

  it("names the VMID that is taken, and how to adopt that guest", async () => {
    await made();
    await expect(plugin.create(VM, await checked(VM, guest))).rejects.toThrow(
      /PVE answered 500 to POST \/nodes\/pve\/qemu: .*VM 210 already exists.*pulumi import proxmoxve:index\/vmLegacy:VmLegacy NAME pve\/VMID/,
    );
  });

  it("keeps a VM that exists but did not start, so that the next run finishes it", async () => {
    stub.failNext = {
      line: /status\/start/,
      answer: { status: 403, message: "Permission check failed (VM.PowerMgmt)" },
    };
    const filled = await checked(VM, guest);
    const error = await failureOf(plugin.create(VM, filled));
    expect(error.message).toMatch(/403.*VM.PowerMgmt.*grant it to user AND token/);
    expect(error.kept).toMatchObject({ id: "210", outputs: { started: false, agent: { enabled: true } } });
    const outputs = error.kept?.outputs ?? {};
    expect((await plugin.diff(VM, "210", outputs, filled, filled, SPEEDS)).details).toEqual({ started: 4 });
    stub.writes = [];
    await plugin.update(VM, "210", outputs, filled, filled, { ignore: SPEEDS });
    expect(stub.writes).toEqual(["POST /nodes/pve/qemu/210/status/start timeout=1800"]);
  });

  it("shows the log of a task that failed", async () => {
    stub.failNext = { line: /resize/, answer: { data: "UPID:pve:1:0:0:bad:210:root@pam:" } };
    await expect(plugin.create(VM, await checked(VM, guest))).rejects.toThrow(
      /failed: disk full\n {2}no space left on device/,
    );
  });
});

describe("the same VM again", () => {
  it("is no difference and no request, once the speeds are ignored", async () => {
    const vm = await made();
    expect(await diffTo(vm, guest)).toMatchObject({ changed: false, details: {} });
    expect([stub.reads, stub.writes]).toEqual([0, []]);
  });

  it("differs for ever in the speed of its disks, and sends them again", async () => {
    const vm = await made();
    const { wanted, details } = await diffTo(vm, guest, []);
    expect(Object.keys(details)).toEqual(["disks[0].speed", "disks[1].speed"]);
    const outputs = await plugin.update(VM, "210", vm.outputs, vm.filled, wanted);
    expect(stub.writes).toHaveLength(1);
    expect(stub.writes[0]).toMatch(
      /^PUT \/nodes\/pve\/qemu\/210\/config scsi0=file=local-lvm:vm-210-disk-0,aio=/,
    );
    expect((await plugin.diff(VM, "210", outputs, wanted, wanted)).changed).toBe(true);
  });

  it("differs for ever in unsorted tags", async () => {
    const vm = await made({ ...guest, tags: ["hermes", "apps"] });
    expect(Object.keys((await diffTo(vm, { ...guest, tags: ["hermes", "apps"] })).details)).toEqual([
      "tags[0]",
      "tags[1]",
    ]);
  });

  it("is the same after a refresh", async () => {
    const vm = await made();
    const found = await plugin.read(VM, "210", vm.outputs, vm.filled);
    expect(found.outputs).toEqual(vm.outputs);
    expect(found.inputs).toMatchObject({ name: "vm-hermes", memory: { dedicated: 8192 } });
    expect((await plugin.diff(VM, "210", found.outputs, found.inputs, vm.filled, SPEEDS)).changed).toBe(
      false,
    );
  });

  it("shows what somebody changed by hand after a refresh", async () => {
    const vm = await made();
    const held = stub.vms.get(210);
    if (held !== undefined) held.config["memory"] = "4096";
    const found = await plugin.read(VM, "210", vm.outputs, vm.filled);
    expect(found.inputs).toMatchObject({ memory: { dedicated: 4096 } });
    expect((await plugin.diff(VM, "210", found.outputs, found.inputs, vm.filled, SPEEDS)).details).toEqual({
      "memory.dedicated": 4,
    });
  });

  it("is gone when PVE does not have it any more", async () => {
    const vm = await made();
    stub.vms.clear();
    expect((await plugin.read(VM, "210", vm.outputs, vm.filled)).id).toBe("");
  });

  it("can be imported by node and VMID", async () => {
    await made();
    const found = await plugin.read(VM, "pve/210");
    expect(found.id).toBe("210");
    expect(found.inputs).toMatchObject({ nodeName: "pve", vmId: 210, name: "vm-hermes" });
    await expect(plugin.read(VM, "vm")).rejects.toThrow(/allowed is NODE\/VMID/);
  });
});

describe("changing a VM", () => {
  it("sends only what changed, without a restart where none is needed", async () => {
    const vm = await made();
    const { wanted, replaces } = await diffTo(vm, { ...guest, description: "new", tags: ["apps"] });
    const seen = await plugin.update(VM, "210", vm.outputs, vm.filled, wanted, { preview: true });
    expect(seen).toMatchObject({ description: "new", disks: [{ pathInDatastore: "vm-210-disk-0" }, {}] });
    expect(replaces).toEqual([]);
    const outputs = await plugin.update(VM, "210", vm.outputs, vm.filled, wanted, { ignore: SPEEDS });
    expect(stub.writes).toEqual(["PUT /nodes/pve/qemu/210/config description=new&tags=apps"]);
    expect(outputs).toMatchObject({ description: "new", tags: ["apps"] });
  });

  it("restarts for more memory: gently with an agent, by the plug without", async () => {
    for (const enabled of [true, false]) {
      stub.vms.clear();
      const base = { ...guest, agent: { enabled, timeout: "1s" } };
      const vm = await made(base);
      const { wanted } = await diffTo(vm, { ...base, memory: { dedicated: 4096 } });
      await plugin.update(VM, "210", vm.outputs, vm.filled, wanted, { ignore: SPEEDS });
      expect(stub.writes).toEqual([
        "PUT /nodes/pve/qemu/210/config memory=4096&balloon=0",
        enabled
          ? "POST /nodes/pve/qemu/210/status/shutdown forceStop=1&timeout=1800"
          : "POST /nodes/pve/qemu/210/status/stop",
        "POST /nodes/pve/qemu/210/status/start timeout=1800",
      ]);
    }
  });

  it("leaves the VM running when rebootAfterUpdate is false, and says so", async () => {
    const base = { ...guest, rebootAfterUpdate: false };
    const vm = await made(base);
    const { wanted } = await diffTo(vm, { ...base, cpu: { cores: 2, type: "host" } });
    await plugin.update(VM, "210", vm.outputs, vm.filled, wanted, { ignore: SPEEDS });
    expect(stub.writes).toEqual(["PUT /nodes/pve/qemu/210/config cores=2&sockets=1&numa=0&cpu=host"]);
    expect(plugin.logs.at(-1)).toMatch(/reboot is required/);
  });

  it("grows a disk, refuses to shrink one, and leaves another VM's disk alone", async () => {
    const vm = await made();
    const [system, data] = guest["disks"] as Values[];
    const sized = (a: number, b: number) => ({
      ...guest,
      disks: [
        { ...system, size: a },
        { ...data, size: b },
      ],
    });
    const run = async (news: Values) => {
      const { wanted } = await diffTo(vm, news);
      return plugin.update(VM, "210", vm.outputs, vm.filled, wanted, { ignore: SPEEDS });
    };
    await expect(run(sized(32, 32))).rejects.toThrow(/Cannot shrink scsi0 .* from 64 to 32 GiB/);
    await expect(run(sized(64, 40))).rejects.toThrow(/Cannot resize scsi1 .*another VM owns it/);
    expect(stub.writes).toEqual([]);
    expect(await run(sized(80, 32))).toMatchObject({ disks: [{ size: 80 }, { size: 32 }] });
    expect(stub.writes).toEqual([`PUT /nodes/pve/qemu/210/resize disk=scsi0&size=${80 * 2 ** 30}`]);
  });

  it("adds and removes disks, and does not remove one that it boots from", async () => {
    const vm = await made();
    const [system, data] = guest["disks"] as Values[];
    const more = { ...guest, disks: [system ?? {}, { interface: "scsi2", size: 4 }] };
    const { wanted, details } = await diffTo(vm, more);
    expect(details["disks[1]"]).toBeDefined();
    await plugin.update(VM, "210", vm.outputs, vm.filled, wanted, { ignore: SPEEDS });
    expect(stub.writes[0]).toMatch(/scsi2=file=local-lvm:4,.*&delete=scsi1$/);
    const { wanted: without } = await diffTo(vm, { ...guest, disks: [data ?? {}] });
    await expect(
      plugin.update(VM, "210", vm.outputs, vm.filled, without, { ignore: SPEEDS }),
    ).rejects.toThrow(/cannot delete boot disk scsi0/);
  });

  it("replaces for another VMID, node or cloud-init file, and for nothing else", async () => {
    const vm = await made();
    const cloud = guest["initialization"] as Values;
    const replaced = async (change: Values, ignore = SPEEDS) =>
      (await diffTo(vm, { ...guest, ...change }, ignore)).replaces;
    expect(await replaced({ vmId: 212 })).toEqual(["vmId"]);
    expect(await replaced({ nodeName: "pve-2" })).toEqual(["nodeName"]);
    const changed = { initialization: { ...cloud, vendorDataFileId: "library-pve:snippets/other.yaml" } };
    expect(await replaced(changed)).toEqual(["initialization"]);
    expect(await replaced(changed, [...SPEEDS, "initialization"])).toEqual([]);
    expect(await replaced({ cpu: { cores: 8, type: "host" }, protection: false })).toEqual([]);
  });

  it("rebuilds the cloud-init drive when its contents change", async () => {
    const vm = await made();
    const cloud = { ...(guest["initialization"] as Values), dns: { servers: ["1.1.1.1"] } };
    const { wanted } = await diffTo(vm, { ...guest, initialization: cloud });
    await plugin.update(VM, "210", vm.outputs, vm.filled, wanted, { ignore: SPEEDS });
    expect(stub.writes[0]).toContain("nameserver=1.1.1.1");
    expect(stub.writes[1]).toBe("PUT /nodes/pve/qemu/210/cloudinit");
  });
});

describe("destroying a VM", () => {
  it("stops it, deletes it with the slash of the real provider, and waits until it is gone", async () => {
    const vm = await made({
      ...guest,
      protection: false,
      stopOnDestroy: true,
      deleteUnreferencedDisksOnDestroy: false,
    });
    await plugin.delete(VM, "210", vm.outputs);
    expect(stub.writes).toEqual([
      "POST /nodes/pve/qemu/210/status/stop",
      "DELETE /nodes/pve/qemu/210/ destroy-unreferenced-disks=0&purge=1",
    ]);
    await plugin.delete(VM, "210", vm.outputs);
  });

  it("fails on a protected VM with PVE's own words", async () => {
    const vm = await made();
    await expect(plugin.delete(VM, "210", vm.outputs)).rejects.toThrow(
      /can't remove VM 210 - protection mode enabled. Set protection to false/,
    );
    expect(stub.vms.has(210)).toBe(true);
  });
});

describe("an API that does not answer as wished", () => {
  it("is named with address, status and next step", async () => {
    const filled = await checked(VM, guest);
    const withConfig = async (config: Values) => {
      await plugin.configure({ endpoint: stub.endpoint, apiToken: "root@pam!test=1-2-3", ...config });
      return plugin.create(VM, filled);
    };
    await expect(withConfig({ endpoint: `http://127.0.0.1:${await freePort()}` })).rejects.toThrow(
      /cannot reach the Proxmox VE API for POST .* at http:\/\/127.0.0.1:\d+: .*ECONNREFUSED.*does pveproxy run/,
    );
    await expect(withConfig({ apiToken: "root@pam!test=wrong" })).rejects.toThrow(
      /401 .*no such token.*Check proxmoxve:apiToken/,
    );
    await expect(withConfig({ apiToken: "secret-thing" })).rejects.toThrow(
      /does not look like one: want `user@realm!name=uuid`/,
    );
    await expect(withConfig({ endpoint: "pve:8006" })).rejects.toThrow(/want a URL such as/);
    stub.failNext = { line: /POST/, answer: { status: 301, message: "Moved" } };
    await expect(withConfig({})).rejects.toThrow(/301 .*Redirects are not followed/);
    await expect(plugin.create(VM, await checked(VM, { ...guest, nodeName: "pve-9" }))).rejects.toThrow(
      /595 .*is nodeName right/,
    );
  });
});

describe("a downloaded file", () => {
  const file = {
    nodeName: "pve",
    datastoreId: "library-pve",
    contentType: "import",
    fileName: "debian-13.qcow2",
    url: "https://images.example/debian-13.qcow2",
    checksum: "abc",
    checksumAlgorithm: "sha512",
  };

  it("is asked for, downloaded with its checksum, and found on the storage", async () => {
    const { id, outputs } = await plugin.create(FILE, await checked(FILE, file));
    expect(id).toBe("library-pve:import/debian-13.qcow2");
    expect(outputs).toMatchObject({ size: 1000, overwrite: true });
    expect(stub.writes).toEqual([
      "POST /nodes/pve/storage/library-pve/download-url content=import&filename=debian-13.qcow2" +
        "&url=https://images.example/debian-13.qcow2&verify-certificates=1&checksum=abc&checksum-algorithm=sha512",
    ]);
  });

  it("is refused with a bad address, an unknown algorithm, or a checksum without one", async () => {
    const { checksumAlgorithm: _, ...without } = file;
    const bad = { ...without, url: "ftp://x", contentType: "images" };
    expect((await plugin.check(FILE, bad)).failures.map(({ property }) => property)).toEqual([
      "contentType",
      "url",
      "checksumAlgorithm",
    ]);
  });

  it("is replaced for a new address, name or checksum, and changed in place for the rest", async () => {
    const olds = await checked(FILE, file);
    const { id, outputs } = await plugin.create(FILE, olds);
    const to = async (change: Values) =>
      plugin.diff(FILE, id, outputs, olds, await checked(FILE, { ...file, ...change }));
    expect((await to({})).changed).toBe(false);
    expect((await to({ url: "https://x/y", checksum: "def" })).replaces.sort()).toEqual(["checksum", "url"]);
    expect(await to({ uploadTimeout: 60 })).toMatchObject({ changed: true, replaces: [] });
  });

  it("is the same after a refresh, and is replaced when the address offers another size", async () => {
    const olds = await checked(FILE, file);
    const { id, outputs } = await plugin.create(FILE, olds);
    const same = await plugin.read(FILE, id, outputs, olds);
    expect(same).toEqual({ id, outputs, inputs: olds });
    stub.urlSize = 2000;
    const other = await plugin.read(FILE, id, outputs, olds);
    expect((await plugin.diff(FILE, id, other.outputs, olds, olds)).replaces).toEqual(["size"]);
    stub.files.clear();
    expect((await plugin.read(FILE, id, outputs, olds)).id).toBe("");
  });

  it("does not replace a file that somebody else put there, unless told to", async () => {
    stub.files.set("library-pve:import/debian-13.qcow2", 1);
    await expect(plugin.create(FILE, await checked(FILE, file))).rejects.toThrow(
      /refusing to override existing file.*overwriteUnmanaged/,
    );
    const { outputs } = await plugin.create(FILE, await checked(FILE, { ...file, overwriteUnmanaged: true }));
    expect(outputs["size"]).toBe(1000);
  });

  it("is deleted, and it is no error when it is gone already", async () => {
    const { id, outputs } = await plugin.create(FILE, await checked(FILE, file));
    await plugin.delete(FILE, id, outputs);
    expect(stub.files.size).toBe(0);
    await plugin.delete(FILE, id, outputs);
  });
});
