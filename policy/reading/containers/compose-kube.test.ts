import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../content.ts";
import { readYaml } from "../data/yaml.ts";

const read = (text: string) => readYaml({ text, at: "kube.yaml" });

describe("kubeContent", () => {
  it("reads a container of a deployment with the volumes of its pod", () => {
    const text = `
kind: Deployment
metadata: {name: hermes}
spec:
  template:
    spec:
      hostNetwork: true
      hostPID: true
      containers:
        - name: hermes
          image: hermes:latest
          command: [tailscale]
          args: [funnel, "443"]
          env: [{name: A, value: b}, {name: C, valueFrom: {secretKeyRef: {name: s}}}]
          ports: [{containerPort: 80, hostPort: 8080}, {containerPort: 81}]
          securityContext: {privileged: true, capabilities: {add: [SYS_ADMIN]}}
          volumeMounts:
            - {name: data, mountPath: /opt/data}
            - {name: mem, mountPath: /a}
            - {name: gone, mountPath: /b}
            - {name: disk, mountPath: /c, readOnly: true}
            - {name: net, mountPath: /d}
      volumes:
        - {name: data, hostPath: {path: /var/lib/hermes}}
        - {name: mem, emptyDir: {medium: Memory}}
        - {name: gone, emptyDir: {}}
        - {name: disk, persistentVolumeClaim: {claimName: hermes}}
        - {name: net, nfs: {server: nas, path: /x}}
`;
    const { launches } = read(text);
    expect(launches).toMatchObject([
      {
        at: "kube.yaml › Deployment.spec.template.spec.containers[0]",
        image: "hermes:latest",
        network: "host",
        environment: { A: "b", C: UNKNOWN },
        ports: ["8080:80"],
        privileges: ["--privileged", "--pid=host", "--cap-add=SYS_ADMIN"],
        command: ["tailscale", "funnel", "443"],
        mounts: [
          { kind: "bind", source: "/var/lib/hermes", target: "/opt/data" },
          { kind: "tmpfs", target: "/a" },
          { kind: "anonymous", target: "/b" },
          { kind: "volume", source: "hermes", target: "/c", readOnly: true },
          { kind: "other", target: "/d", options: ["type=nfs"] },
        ],
      },
    ]);
  });

  it("reads every document, lists of objects, and the texts of ConfigMaps and Secrets", () => {
    const text = `
kind: List
items: [{kind: Pod, spec: {initContainers: [{image: a}], containers: [{image: b}]}}]
---
kind: ConfigMap
data: {serve.json: '{"AllowFunnel": {}}'}
---
kind: Secret
data: {up.sh: ZnVubmVs}
`;
    const { launches, texts } = read(text);
    expect(launches?.map(({ image }) => image)).toEqual(["a", "b"]);
    expect(texts?.map(({ path, text: content }) => [path, content])).toEqual([
      ["serve.json", '{"AllowFunnel": {}}'],
      ["up.sh", "funnel"],
    ]);
  });

  it("takes containers without a kind for something else", () => {
    expect(read("containers: [{image: a}]").launches).toEqual([]);
  });
});
