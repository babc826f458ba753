/** Runs a command's body: an error ends it with its message and status 1, without a stack trace. */
export async function main(body: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    if (process.env["HERMES_DEBUG"] !== undefined && error instanceof Error) console.error(error.stack);
    process.exitCode = 1;
  }
}
