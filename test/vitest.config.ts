import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));
const shared = {
  root,
  exclude: ["**/node_modules/**", "**/.cache/**"],
  // Node runs the TypeScript itself, as it does in a deploy: Pulumi serialises functions as they are written.
  experimental: { viteModuleRunner: false },
};

export default defineConfig({
  root,
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["{components,policy,scripts,test}/**/*.test.ts"],
          exclude: [...shared.exclude, "**/*.engine.test.ts", "**/*.lab.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          ...shared,
          name: "engine",
          include: ["**/*.engine.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          name: "lab",
          include: ["**/*.lab.test.ts"],
          testTimeout: 900_000,
          hookTimeout: 1_800_000,
          // One machine with one virtual machine: the tests stand on each other's results, in order.
          fileParallelism: false,
          sequence: { concurrent: false },
        },
      },
    ],
  },
});
