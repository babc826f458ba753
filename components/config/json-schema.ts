import { z } from "zod";
import { settings } from "./schema.ts";

/**
 * JSON Schema of a stack file, for editors: `hermes:` keys as the zod schema describes them, other keys free.
 * Rules that span several keys are checked by the program only.
 */
export function stackFileSchema(): unknown {
  const own = z.toJSONSchema(settings, { io: "input", unrepresentable: "any" });
  const properties = Object.fromEntries(
    Object.entries(own.properties ?? {}).map(([key, value]) => [`hermes:${key}`, value]),
  );
  // Secrets are set from the command line and stand in the file encrypted, or not at all.
  const secret = { type: "object", properties: { secure: { type: "string" } }, required: ["secure"] };
  return {
    $schema: own.$schema,
    title: "Stack file of the Pulumi project hermes",
    description: "Generated from components/config/schema.ts by `npm run generate`.",
    type: "object",
    properties: {
      config: {
        type: "object",
        properties: withSecret(properties, secret),
        required: ["hermes:guest", "hermes:container", "hermes:admin"],
        patternProperties: { [`^hermes:(?!(${Object.keys(own.properties ?? {}).join("|")})$)`]: false },
      },
    },
  };
}

function withSecret(properties: Record<string, unknown>, secret: unknown): Record<string, unknown> {
  const text = JSON.stringify(properties, (key, value: unknown) => (key === "privateKey" ? secret : value));
  return JSON.parse(text) as Record<string, unknown>;
}
