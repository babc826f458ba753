import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["components/**/*.test.ts", "policy/**/*.test.ts", "scripts/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.cache/**"],
    environment: "node",
    testTimeout: 30_000,
    // Node runs the TypeScript itself, as it does in a deploy: Pulumi serialises functions as they are written.
    experimental: { viteModuleRunner: false },
  },
});
