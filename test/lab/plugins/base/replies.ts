// The messages of the provider protocol from plain values.

import messages from "@pulumi/pulumi/proto/provider_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { Failure } from "./check.ts";
import { type Change, pick } from "./diff.ts";
import type { Comparison, Difference, Resource } from "./resource.ts";
import { markSecret, type Path, pathText, revealAll, secretPaths, type Values } from "./values.ts";
import { fromStruct, toStruct } from "./wire.ts";

type Compared = InstanceType<typeof messages.DiffRequest> | InstanceType<typeof messages.UpdateRequest>;

export function comparison(request: Compared): Comparison {
  const state = revealAll(fromStruct(request.getOlds()));
  const inputs = revealAll(fromStruct(request.getNews()));
  // An engine that does not send the old inputs leaves the state, which repeats them.
  const oldInputs = request.hasOldInputs()
    ? revealAll(fromStruct(request.getOldInputs()))
    : pick(state, Object.keys(inputs));
  return { id: request.getId(), state, inputs, oldInputs, ignoreChanges: request.getIgnorechangesList() };
}

export function checked(
  inputs: Values,
  failures: readonly Failure[],
): InstanceType<typeof messages.CheckResponse> {
  const reply = new messages.CheckResponse();
  reply.setInputs(toStruct(inputs));
  reply.setFailuresList(
    failures.map(({ property, reason }) => {
      const failure = new messages.CheckFailure();
      failure.setProperty(property);
      failure.setReason(reason);
      return failure;
    }),
  );
  return reply;
}

export function difference(found: Difference): InstanceType<typeof messages.DiffResponse> {
  const reply = new messages.DiffResponse();
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  reply.setChanges(found.changes.length === 0 ? DIFF_NONE : DIFF_SOME);
  reply.setHasdetaileddiff(true);
  reply.setDeletebeforereplace(found.deleteBeforeReplace ?? false);
  const top = ({ path }: Change): string => String(path[0]);
  reply.setDiffsList([...new Set(found.changes.map(top))]);
  reply.setReplacesList([...new Set(found.changes.filter(({ replace }) => replace).map(top))]);
  for (const change of found.changes) {
    const detail = new messages.PropertyDiff();
    const kind = { add: "ADD", delete: "DELETE", update: "UPDATE" } as const;
    const name = `${kind[change.kind]}${change.replace ? "_REPLACE" : ""}` as const;
    detail.setKind(messages.PropertyDiff.Kind[name]);
    reply.getDetaileddiffMap().set(pathText(change.path), detail);
  }
  return reply;
}

/** Outputs are as secret as the values that they repeat, and those that are secret in themselves. */
export function marked(kind: Resource, outputs: Values, ...like: readonly Values[]): Struct {
  const own: readonly Path[] = (kind.secretOutputs ?? []).map((key) => [key]);
  const paths = like.flatMap((values) => secretPaths(values));
  return toStruct([...paths, ...own].reduce(markSecret, outputs));
}

export function remark(inputs: Values, like: Values, always: readonly string[]): Values {
  const paths = [...secretPaths(like), ...always.map((key) => [key])];
  return paths.reduce((values, path) => markSecret(values, path), inputs);
}
