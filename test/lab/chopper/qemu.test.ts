import { expect, test } from "vitest";
import { qemuCommand } from "./qemu.ts";

const chopper = { kvm: false, ports: { ssh: 12_223, registry: 15_001 }, credentials: ["a", "b"] };

/** The values of an option, in their order. */
const values = (command: readonly string[], option: string): string[] =>
  command.flatMap((word, index) => (command[index - 1] === option ? [word] : []));

test("nothing of this machine but SSH's port and the registry is on chopper's network", () => {
  expect(values(qemuCommand(chopper), "-netdev")).toEqual([
    "user,id=lan,restrict=on,ipv6=off,net=192.168.20.0/23,host=192.168.20.1,dhcpstart=192.168.20.100," +
      "hostfwd=tcp:127.0.0.1:12223-192.168.20.2:22," +
      "guestfwd=tcp:192.168.20.5:5000-cmd:socat STDIO TCP4:127.0.0.1:15001",
  ]);
});

test("an emulated processor is one whose memory is copied at once, and a real one is passed on", () => {
  expect(qemuCommand(chopper)).toEqual(expect.arrayContaining(["tcg,thread=multi", "max,-erms"]));
  const real = qemuCommand({ ...chopper, kvm: true });
  expect(values(real, "-accel")).toEqual(["kvm"]);
  expect(values(real, "-cpu")).toEqual(["host"]);
});

test("a kernel that an emulated processor has brought down starts again", () => {
  expect(values(qemuCommand(chopper), "-append")[0]).toMatch(/ oops=panic panic=1$/);
  expect(values(qemuCommand({ ...chopper, kvm: true }), "-append")[0]).not.toContain("panic");
});

test("chopper has room for the guest as it is shipped", () => {
  const command = qemuCommand(chopper);
  expect(values(command, "-smp")).toEqual(["4"]);
  expect(Number(values(command, "-m")[0])).toBeGreaterThan(8192);
});

test("credentials stand in files, and no path is absolute", () => {
  const command = qemuCommand(chopper);
  expect(values(command, "-smbios")).toEqual(["type=11,path=a", "type=11,path=b"]);
  expect(command.join(" ")).not.toMatch(/[ =]\//);
});
